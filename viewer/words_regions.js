// Words of the page for the regions of a world, in English and Chinese; a part of words.js.

export const englishRegions = {
  title: "Regions",
  columns: ["#", "node", "entities", "ghosts", "handed over a tick", "ms a tick"],
  note: "Of the last second, in all regions of the world. Ghosts are entities of other regions, near the border.",
  noNode: "no node",
  silent: "does not answer",
  hollow: "ghosts",
  show: (region) => `Show region ${region}`,
};

export const chineseRegions = {
  title: "分区",
  columns: ["#", "节点", "实体", "影子", "每 tick 交接", "每 tick ms"],
  note: "世界里所有分区最近一秒的情况。影子是边界附近属于其他分区的实体。",
  noNode: "没有节点",
  silent: "没有回答",
  hollow: "影子",
  show: (region) => `显示分区 ${region}`,
};
