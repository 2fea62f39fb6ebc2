// All that the page says, in English and Chinese, and the choice between them.

import { chineseRegions, englishRegions } from "./words_regions.js";

/** Names of what the map can be coloured by, in the order of the list. */
export const COLOURS = ["mode", "layer", "ring", "importance", "change"];

/* How often moves are told, by the period of a ring. */
function inEnglish(period) {
  return period === Infinity ? "never after the enter" : period === 1 ? "every tick" : `every ${period} ticks`;
}
function inChinese(period) {
  return period === Infinity ? "进入之后不再通知移动" : `每${period === 1 ? "个" : ` ${period} 个`} tick 通知一次移动`;
}

const english = {
  regions: englishRegions,
  title: "lua-aoi viewer",
  open: "Open…",
  openTitle: "Open a recording (O)",
  language: "中文",
  languageTitle: "用中文显示",
  help: "Keys",
  helpTitle: "Show all keys (?)",
  close: "Close",
  dropTitle: "Look at a recording",
  dropText: "Drop a file here that aoi.recorder has written, or open one.",
  dropNote: "It stays on this machine: the page loads nothing and sends nothing.",
  dropNow: "Let go to open it",
  reading: "Reading…",

  map: "Map of the world. Arrows are for the time line; W A S D pan, + and − zoom, " +
    "Enter selects what is nearest to the middle.",
  show: "Show",
  cells: { grid: "Cells", quadtree: "Leaves", crosslist: "Blocks" },
  cellsTitle: "The parts of the map that the engine looks at as one (C)",
  areas: "Areas",
  areasTitle: "The shapes of all areas (R)",
  views: "Views",
  viewsTitle: "The views of all watchers (V)",
  names: "Ids",
  namesTitle: "The id beside each entity (N)",
  colour: "Colour",
  colourTitle: "What the colours stand for (K)",
  colours: {
    mode: "by mode", layer: "by layer", ring: "by rate ring", importance: "by importance", change: "by change",
  },
  fit: "Fit",
  fitTitle: "Show everything (Z)",
  zoomIn: "Zoom in (+)", zoomOut: "Zoom out (−)",
  zoomForNames: "Zoom in to read the ids",
  modes: ["", "watcher only", "marker only", "watcher and marker"],
  modesShort: ["", "w", "m", "wm"],
  noLayer: "no layer",
  layerOf: (bit) => `layer ${bit}`,
  severalLayers: "several layers",
  ringTo: (bound, period) =>
    (bound === Infinity ? "beyond" : `up to ${number(bound)}`) + `: ${inEnglish(period)}`,
  ringNone: "not in the told set",
  ringNobody: "select a watcher in a crowd space",
  importanceOf: (from, to) => from === to ? `importance ${from}` : `importance ${from}–${to}`,
  changes: ["nothing", "moved", "came into a view", "went out of a view", "came and went in views"],

  timeLine: "Time line",
  play: "Play (space)",
  pause: "Pause (space)",
  stepBack: "One step back (←)",
  stepForward: "One step on (→)",
  toStart: "To the start (Home)",
  toEnd: "To the end (End)",
  units: { ticks: "tick", calls: "call" },
  perSecond: { ticks: "ticks/s", calls: "calls/s" },
  speed: "Speed",
  speedTitle: "How fast it plays ([ and ])",
  goTo: "Where the recording is; type a number to go there",
  of: (from, to) => `${from} – ${to}`,
  follow: "Follow",
  followTitle: "Stay at the newest moment (L)",
  atNewest: "at the newest moment",
  behind: (n, unit) => `${n} ${unit === "ticks" ? "ticks" : "calls"} behind`,

  live: {
    connecting: "connecting…",
    open: "live",
    closed: "connection lost",
    ended: "the scene has ended",
    refused: "no connection: is the address whole, with its token?",
  },
  again: "Connect again",

  find: "Find by id",
  findTitle: "Find by id (F)",
  findHint: "id, Enter",
  notFound: (id) => `${id} is not in the space at this moment.`,
  notAnId: "An id is a whole number.",
  noSelection: "Click an entity to see its view, whom it sees and who sees it. " +
    "Shift-click a second one to ask why they see each other, or not.",
  world: "This moment",
  entities: "entities",
  engine: "engine",
  shape: "views",
  shapes: { square: "squares", circle: "circles", classic: "nine-grid" },
  mapSize: "map",
  noMap: "without borders",
  slack: "slack",
  deferred: "events at ticks",
  limit: "limit",
  calls: "calls until now",

  entity: "Entity",
  area: "Area",
  areaCount: "areas",
  areaShape: "shape",
  areaShapes: ["", "circle", "square", "rectangle", "polygon"],
  areaMembers: "Its members",
  areaGone: "not there at this moment",
  areaClear: "Clear the area (Esc)",
  areaChip: "Click: show the area.",
  memberChip: "Click: select it.",
  leaveRadius: "leave radius",
  size: "size", corners: "corners",
  owner: "owner",
  gone: "not in the space at this moment",
  clear: "Clear (Esc)",
  centre: "Centre it on the map (M)",
  place: "place",
  mode: "mode",
  radius: "radius", visibleRadius: "visible radius",
  unlimited: "∞",
  layers: "layers", seesLayers: "sees layers",
  all: "all",
  importance: "importance",
  slackNote: (s) => `Views are judged from anchors, which stay up to ${s} behind the places drawn here: ` +
    "between the dashed lines either can be.",
  classicNote: "The view is its cell and the cells that touch it.",

  markers: "Whom it sees",
  watchers: "Who sees it",
  inAreas: "Areas it is in",
  groups: {
    markers: ["in the view", "in the told set", "in the view, not in the told set",
      "in the told set, no longer in the view"],
    watchers: ["", "have it in their told sets", "see it, but not in their told sets",
      "have it in their told sets, no longer see it"],
  },
  nobody: "nobody",
  more: (n) => `and ${n} more`,
  chipTitle: "Click: ask about these two. Double click: select it.",

  why: "Why?",
  whyHint: "Ask about a second entity",
  whySecond: "id of the other",
  swap: "Swap the two (X)",
  answer: {
    yes: (w, m) => `${w} sees ${m}`,
    no: (w, m) => `${w} does not see ${m}`,
    partly: (w, m) => `${w} sees ${m}, which is not in its told set`,
  },

  events: "Events of this entity",
  eventsNone: "None in the moments played so far.",
  eventsNote: (from, to, unit) => `${unit === "ticks" ? "ticks" : "calls"} ${from} to ${to}, as far as played`,
  ops: { 1: "enter", 2: "leave", 4: "move", 8: "area enter", 16: "area leave" },
  moves: "with moves",

  damaged: "The recording can't be read to its end.",
  damagedAll: "This is no recording that can be read.",
  damagedNote: (unit, to) => `Everything before that is here, until ${unit === "ticks" ? "tick" : "call"} ${to}.`,
  damagedPart: (unit, from, to) => "A part of the recording is damaged: what is " +
    (to === undefined ? `after ${unit === "ticks" ? "tick" : "call"} ${from}` : `between ${unit} ${from} and ${to}`) +
    " can't be played.",
  brokenMoment: (unit, n) => `The recording can't be played beyond ${unit === "ticks" ? "tick" : "call"} ${n}.`,
  dismiss: "Dismiss",

  keys: [
    ["Space", "play or pause"],
    ["← →", "one step back or on; with Shift ten"],
    ["Home End", "to the start, to the end"],
    ["[ ]", "slower, faster"],
    ["L", "live: follow the newest moment, or stop"],
    ["F", "find by id"],
    ["Click", "select an entity, or the area there; with Shift, or a long touch: ask about a second one"],
    ["Enter", "on the map: select what is nearest to the middle"],
    ["X", "swap the two"],
    ["M", "centre the selected one"],
    ["Esc", "clear the selection"],
    ["+ − Z", "zoom in, zoom out, show everything"],
    ["W A S D", "pan"],
    ["C R V N", "cells, areas, views, ids"],
    ["K", "next colours"],
    ["O", "open a recording"],
    ["?", "this list"],
  ],

  reason: {
    unknown: ({ names }) =>
      `${names.join(" and ")} ${names.length > 1 ? "are" : "is"} not in the space at this moment.`,
    self: () => "They are the same: nobody sees itself.",
    mode: ({ w, m, wMode, mMode }) => !(wMode & 1)
      ? `${w} is a marker only (mode "m"): it sees nobody.`
      : `${m} is a watcher only (mode "${modesShort[mMode]}"): nobody sees it.`,
    hidden: ({ w, m }) => `The game has said that ${w} never sees ${m} (a sight of false).`,
    always: ({ w, m, plain }) => `The game has said that ${w} always sees ${m}, now ${number(plain)} away.`,
    layer: ({ w, m, layers, seesLayers }) =>
      `${m} shows itself on layer ${bits(layers)}; ${w} sees layers ${bits(seesLayers)}: no bit in common.`,
    range: (f) => f.classic
      ? `${f.m} is neither in ${f.w}'s cell nor in one that touches it. ${f.apart}`
      : `${f.m} is ${number(f.distance)} away${f.axis}, ${reachInEnglish(f)}: ` +
        `${number(f.distance - f.radius)} too far.`,
    sees: (f) => f.classic
      ? `${f.m} is in ${f.w}'s cell or one that touches it. ${f.apart}`
      : `${f.m} is ${number(f.distance)} away${f.axis}, ${reachInEnglish(f)}.`,
    told: (f) => `${f.m} is in ${f.w}'s told set as of the last tick; it is ${number(f.plain)} away` +
      (f.period ? `, where moves come ${inEnglish(f.period)}.` : "."),
    limit: (f) => `${f.m} is in view, ${number(f.plain)} away, but ranks ${f.rank}, and the limit of ${f.w} is ` +
      `${f.limit}${f.importance ? ` (importance ${f.importance})` : ""}.`,
    waits: (f) => `${f.m} is in view, ${number(f.plain)} away, and waits: it comes at the next tick, ` +
      "or with enter_budget at a later one.",
  },
  because: {
    pinned: () => "It is pinned: always told while it is in view, and not counted.",
    notCounted: () => "It has no layer that the limit counts.",
    bySight: () => "A word of the game says so (a sight of true): neither layers nor distance count.",
    byVisibleRadius: ({ radius }) => `It is seen by its visible radius, ${number(radius)}.`,
  },
  tags: { pinned: "pinned", notCounted: "not counted", bySight: "sight", byVisibleRadius: "visible radius" },
  counted: ({ counted, limit, free }) => `${counted} of ${number(limit)}, ${free} free`,
  axis: " on its farther axis",
  apart: (d) => `They are ${number(d)} apart.`,
  slackWhy: (s) =>
    `With slack ${number(s)} anchors count, not these places: each may be off by ${number(s)} on each axis.`,
};

/* Which of both radii counts, and how far it reaches. */
function reachInEnglish(f) {
  return f.isVisibleRadius
    ? `${f.m} is seen from up to ${number(f.radius)} (its visible radius)`
    : `${f.w} sees up to ${number(f.radius)}`;
}

function reachInChinese(f) {
  return f.isVisibleRadius
    ? `${f.m} 最远从 ${number(f.radius)} 看得见（它的可见半径）`
    : `${f.w} 最远看到 ${number(f.radius)}`;
}

const chinese = {
  regions: chineseRegions,
  title: "lua-aoi 查看器",
  open: "打开…",
  openTitle: "打开录像（O）",
  language: "English",
  languageTitle: "Show in English",
  help: "按键",
  helpTitle: "显示所有按键（?）",
  close: "关闭",
  dropTitle: "看一段录像",
  dropText: "把 aoi.recorder 写出的文件拖到这里，或者打开一个。",
  dropNote: "文件不会离开这台机器：页面不加载、也不发送任何东西。",
  dropNow: "松手即打开",
  reading: "正在读取…",

  map: "世界地图。方向键控制时间轴；W A S D 平移，+ 和 − 缩放，回车选中离中心最近的一个。",
  show: "显示",
  cells: { grid: "格子", quadtree: "叶子", crosslist: "块" },
  cellsTitle: "引擎当作一块来看的区域（C）",
  areas: "区域",
  areasTitle: "所有区域的形状（R）",
  views: "视野",
  viewsTitle: "所有观察者的视野（V）",
  names: "id",
  namesTitle: "每个实体旁边写上 id（N）",
  colour: "颜色",
  colourTitle: "颜色表示什么（K）",
  colours: { mode: "按模式", layer: "按层", ring: "按频率圈", importance: "按重要度", change: "按变化" },
  fit: "全图",
  fitTitle: "显示全部（Z）",
  zoomIn: "放大（+）", zoomOut: "缩小（−）",
  zoomForNames: "放大后才看得清 id",
  modes: ["", "只是观察者", "只是被观察者", "两者都是"],
  modesShort: ["", "w", "m", "wm"],
  noLayer: "不在任何层",
  layerOf: (bit) => `第 ${bit} 层`,
  severalLayers: "在几个层里",
  ringTo: (bound, period) =>
    (bound === Infinity ? "更远" : `${number(bound)} 以内`) + `：${inChinese(period)}`,
  ringNone: "不在通知集里",
  ringNobody: "请在人群空间里选一个观察者",
  importanceOf: (from, to) => from === to ? `重要度 ${from}` : `重要度 ${from}–${to}`,
  changes: ["没有变化", "移动了", "进了某个视野", "出了某个视野", "有进有出"],

  timeLine: "时间轴",
  play: "播放（空格）",
  pause: "暂停（空格）",
  stepBack: "后退一步（←）",
  stepForward: "前进一步（→）",
  toStart: "到开头（Home）",
  toEnd: "到结尾（End）",
  units: { ticks: "tick", calls: "调用" },
  perSecond: { ticks: "tick/秒", calls: "调用/秒" },
  speed: "速度",
  speedTitle: "播放快慢（[ 和 ]）",
  goTo: "现在的位置；输入数字即可跳转",
  of: (from, to) => `${from} – ${to}`,
  follow: "跟随",
  followTitle: "停在最新的时刻（L）",
  atNewest: "在最新的时刻",
  behind: (n, unit) => `落后 ${n} ${unit === "ticks" ? "个 tick" : "次调用"}`,

  live: {
    connecting: "正在连接…",
    open: "实时",
    closed: "连接断开",
    ended: "场景已结束",
    refused: "连不上：地址完整吗？token 在里面吗？",
  },
  again: "重新连接",

  find: "按 id 查找",
  findTitle: "按 id 查找（F）",
  findHint: "输入 id，回车",
  notFound: (id) => `${id} 此刻不在空间里。`,
  notAnId: "id 是一个整数。",
  noSelection: "点一个实体，看它的视野、它看见谁、谁看见它。按住 Shift 再点一个，问它们为什么看得见或看不见。",
  world: "此刻",
  entities: "实体",
  engine: "引擎",
  shape: "视野形状",
  shapes: { square: "方形", circle: "圆形", classic: "九宫格" },
  mapSize: "地图",
  noMap: "没有边界",
  slack: "边界防抖",
  deferred: "按 tick 通知",
  limit: "名额",
  calls: "至此的调用",

  entity: "实体",
  area: "区域",
  areaCount: "区域",
  areaShape: "形状",
  areaShapes: ["", "圆", "正方形", "矩形", "多边形"],
  areaMembers: "里面有谁",
  areaGone: "此刻没有这个区域",
  areaClear: "取消选中区域（Esc）",
  areaChip: "单击：显示这个区域。",
  memberChip: "单击：选中它。",
  leaveRadius: "离开半径",
  size: "大小", corners: "顶点数",
  owner: "属于",
  gone: "此刻不在空间里",
  clear: "取消选择（Esc）",
  centre: "移到地图中央（M）",
  place: "位置",
  mode: "模式",
  radius: "半径", visibleRadius: "可见半径",
  unlimited: "∞",
  layers: "所在层", seesLayers: "看得见的层",
  all: "全部",
  importance: "重要度",
  slackNote: (s) => `看不看得见由锚点决定，锚点最多落后于图上的位置 ${s}：虚线之间两种情况都可能。`,
  classicNote: "视野是它所在的格子和相邻的格子。",

  markers: "我看见谁",
  watchers: "谁看见我",
  inAreas: "它在哪些区域里",
  groups: {
    markers: ["在视野里", "在视野里，也在通知集里", "在视野里，不在通知集里", "在通知集里，已不在视野里"],
    watchers: ["", "它在他们的通知集里", "看得见它，通知集里没有它", "通知集里有它，已看不见它"],
  },
  nobody: "没有",
  more: (n) => `还有 ${n} 个`,
  chipTitle: "单击：问这两个之间。双击：选中它。",

  why: "为什么？",
  whyHint: "再问另一个实体",
  whySecond: "另一个的 id",
  swap: "两者互换（X）",
  answer: {
    yes: (w, m) => `${w} 看得见 ${m}`,
    no: (w, m) => `${w} 看不见 ${m}`,
    partly: (w, m) => `${w} 看得见 ${m}，但通知集里没有它`,
  },

  events: "这个实体的事件",
  eventsNone: "播放过的时刻里没有。",
  eventsNote: (from, to, unit) => `${unit === "ticks" ? "tick" : "调用"} ${from} 到 ${to} 中播放过的部分`,
  ops: { 1: "enter", 2: "leave", 4: "move", 8: "区域 enter", 16: "区域 leave" },
  moves: "包括 move",

  damaged: "录像后面的部分读不出来。",
  damagedAll: "这不是能读的录像。",
  damagedNote: (unit, to) => `在那之前的都在，直到${unit === "ticks" ? " tick" : "调用"} ${to}。`,
  damagedPart: (unit, from, to) => `录像有一部分损坏：${unit === "ticks" ? "tick" : "调用"} ${from} ` +
    `${to === undefined ? "之后" : `到 ${to} 之间`}的放不出来。`,
  brokenMoment: (unit, n) => `录像只能播放到${unit === "ticks" ? " tick" : "调用"} ${n}。`,
  dismiss: "知道了",

  keys: [
    ["空格", "播放或暂停"],
    ["← →", "后退、前进一步；按住 Shift 十步"],
    ["Home End", "到开头，到结尾"],
    ["[ ]", "慢一些，快一些"],
    ["L", "实时：跟随最新的时刻，或停下"],
    ["F", "按 id 查找"],
    ["单击", "选中实体，或那里的区域；按住 Shift：再问另一个"],
    ["回车", "在地图上：选中离中心最近的一个"],
    ["X", "两者互换"],
    ["M", "把选中的移到中央"],
    ["Esc", "取消选择"],
    ["+ − Z", "放大，缩小，全图"],
    ["W A S D", "平移"],
    ["C R V N", "格子，区域，视野，id"],
    ["K", "换一种颜色"],
    ["O", "打开录像"],
    ["?", "这张表"],
  ],

  reason: {
    unknown: ({ names }) => `${names.join(" 和 ")} 此刻不在空间里。`,
    self: () => "是同一个实体：谁也看不见自己。",
    mode: ({ w, m, wMode, mMode }) => !(wMode & 1)
      ? `${w} 只是被观察者（mode "m"），谁也看不见。`
      : `${m} 只是观察者（mode "${modesShort[mMode]}"），谁也看不见它。`,
    hidden: ({ w, m }) => `游戏指定了 ${w} 永远看不见 ${m}。`,
    always: ({ w, m, plain }) => `游戏指定了 ${w} 总看得见 ${m}，此刻距离 ${number(plain)}。`,
    layer: ({ w, m, layers, seesLayers }) => `${m} 在层 ${bits(layers)}，${w} 看得见的层是 ${bits(seesLayers)}：没有共同的位。`,
    range: (f) => f.classic
      ? `${f.m} 不在 ${f.w} 的格子里，也不在相邻的格子里。${f.apart}`
      : `${f.m} ${f.axis}距离 ${number(f.distance)}，${reachInChinese(f)}：` +
        `远了 ${number(f.distance - f.radius)}。`,
    sees: (f) => f.classic
      ? `${f.m} 在 ${f.w} 的格子里或相邻的格子里。${f.apart}`
      : `${f.m} ${f.axis}距离 ${number(f.distance)}，${reachInChinese(f)}。`,
    told: (f) => `${f.m} 在 ${f.w} 的通知集里（上一次 tick 时）；距离 ${number(f.plain)}` +
      (f.period ? `，这里${inChinese(f.period)}。` : "。"),
    limit: (f) => `${f.m} 在视野里，距离 ${number(f.plain)}，但排第 ${f.rank}，${f.w} 的名额是 ${f.limit}` +
      `${f.importance ? `（重要度 ${f.importance}）` : ""}。`,
    waits: (f) => `${f.m} 在视野里，距离 ${number(f.plain)}，正等着：下一次 tick 进通知集，有 enter_budget 时可能更晚。`,
  },
  because: {
    pinned: () => "它被固定关注：在视野里就一直通知，不占名额。",
    notCounted: () => "它的层都不占名额。",
    bySight: () => "这是游戏指定的（sight 为 true）：不看层和距离。",
    byVisibleRadius: ({ radius }) => `靠它的可见半径 ${number(radius)} 看见。`,
  },
  tags: { pinned: "固定关注", notCounted: "不占名额", bySight: "指定", byVisibleRadius: "可见半径" },
  counted: ({ counted, limit, free }) => `名额 ${counted} / ${number(limit)}，不占名额 ${free}`,
  axis: "在较远的轴上",
  apart: (d) => `两者相距 ${number(d)}。`,
  slackWhy: (s) => `边界防抖为 ${number(s)}：算的是锚点，不是图上的位置，每个轴上各可差 ${number(s)}。`,
};

const { modesShort } = english;

/** A length or coordinate: at most three places behind the point. */
export function number(value) {
  if (value === undefined || value === null) {
    return "–";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "∞" : "−∞";
  }
  const rounded = Number(value.toFixed(Math.abs(value) >= 1000 ? 1 : Math.abs(value) >= 1 ? 2 : 3));
  return String(rounded).replace("-", "−");
}

/** A bit mask as it is written in code: all, or hexadecimal. */
export function bits(mask) {
  return mask >>> 0 === 0xffffffff ? words.all : "0x" + (mask >>> 0).toString(16);
}

export const languages = { en: english, zh: chinese };

/** The words of the language chosen last; a live binding. */
export let words = english;
export let language = "en";

/** Chooses "en" or "zh", and remembers it where the browser allows that. */
export function speak(name) {
  language = name in languages ? name : "en";
  words = languages[language];
  try {
    localStorage.setItem("aoi-language", language);
  } catch {
    // A page from disk may have no storage.
  }
}

/** The language chosen before, else the browser's. */
export function usualLanguage() {
  try {
    const chosen = localStorage.getItem("aoi-language");
    if (chosen) {
      return chosen;
    }
  } catch {
    // As above.
  }
  return navigator.language.startsWith("zh") ? "zh" : "en";
}
