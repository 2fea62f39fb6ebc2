// The regions of the world that a live page belongs to: how much each has to do, and which entities here are ghosts.
import { make } from "./dom.js";
import { number, words } from "./words.js";

/** The area that is the border of the region with this number from 0. */
const borderOf = (i) => -BigInt(i + 1);

export class Regions {
  /**
   * One for each region: {node (null: nobody has it), isSilent: its node has not answered, owned, ghosts, handOvers and
   * load: a tick, load in milliseconds; null until there are two counts of one node}.
   */
  list = [];
  /** The ids of entities that other regions own. */
  ghosts = new Set();
  #before = [];

  /** The page shows another scene. */
  clear() {
    this.list = [];
    this.ghosts = new Set();
    this.#before = [];
  }

  /** Takes what lua/aoi/skynet/region_loads.lua has written. */
  take({ regions, ghosts }) {
    this.list = regions.map((counts, i) => this.#read(counts, this.#before[i]));
    this.ghosts = new Set(ghosts.map(BigInt));
    this.#before = regions;
  }

  #read(counts, before) {
    const { node, ticks, owned, ghosts } = counts;
    const passed = before?.node === node && ticks > before.ticks ? ticks - before.ticks : 0;
    const aTick = (name) => (passed > 0 ? (counts[name] - before[name]) / passed : null);
    return { node, isSilent: ticks === undefined, owned, ghosts, handOvers: aTick("hand_overs"),
      load: aTick("tick_time") };
  }

  /** Whether the areas have a border for each region, as lua/aoi/skynet/picture.lua makes them: one map of all. */
  areOnOneMap(areas) {
    return this.list.every((_, i) => areas.indexOf(borderOf(i)) >= 0);
  }

  /**
   * A list of the section for the column beside the map, empty where there are no regions. areas: of the moment. open:
   * called with the border of a region that a person asks for.
   */
  panel(areas, open) {
    if (this.list.length === 0) {
      return [];
    }
    const { title, columns, note, noNode, silent, show } = words.regions;
    const name = this.areOnOneMap(areas)
      ? (i) => make("button", { class: "chip", type: "button", title: show(i + 1), "data-chip": `region-${i + 1}`,
        onclick: () => open(borderOf(i)) }, String(i + 1))
      : (i) => String(i + 1);
    const cells = ({ isSilent, owned, ghosts, handOvers, load }) => (isSilent
      ? [make("td", { colspan: 4 }, silent)]
      : [owned, ghosts, handOvers, load].map((value) => make("td", {}, number(value))));
    return [make("section", { id: "regions" },
      make("h2", {}, title, make("span", { class: "count" }, String(this.list.length))),
      make("table", {}, make("tr", {}, ...columns.map((name) => make("th", {}, name))),
        ...this.list.map((region, i) => make("tr", {}, make("td", {}, name(i)),
          make("td", {}, region.node ?? noNode), ...cells(region)))),
      make("p", { class: "note" }, note))];
  }
}
