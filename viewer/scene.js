// The space at one moment, copied out of the core's memory, and what follows from it for the selected ones.
import { Areas } from "./areas.js";

/** Bits of `flags`: what an entity is to the selected one. */
export const SEEN = 1, TOLD = 2, WATCHES = 4, TOLD_OF_IT = 8;

/** The ops that are about views, and not about areas. */
const ANY_VIEW = 7;

const NOBODY = new BigInt64Array(0);

export class Scene {
  count = 0;
  options = null;
  moment = { calls: 0, ticks: 0 };
  ids = NOBODY;
  x = new Float64Array(0);
  y = new Float64Array(0);
  z = new Float64Array(0);
  radius = new Float64Array(0);
  mode = new Uint8Array(0);
  layers = new Uint32Array(0);
  seesLayers = new Uint32Array(0);
  /** x, y, width, height, entities for each part of the engine; only when asked for. */
  cells = new Float64Array(0);
  areas = new Areas();
  /** Importance of each, and the ops of this moment in which each is the marker; only when asked for. */
  importance = new Uint8Array(0);
  change = new Uint8Array(0);
  #indexes = null;

  /** Copies the entities, so that the core may go on; wants: {cells, areas, importance}. */
  take(space, wants) {
    const all = space.entities();
    this.count = all.count;
    this.options = space.options;
    this.moment = { ...space.moment };
    for (const name of ["ids", "x", "y", "z", "radius", "mode", "layers", "seesLayers"]) {
      const from = all[name]?.subarray(0, all.count);
      if (from) {
        this[name] = this[name].length >= all.count && this[name].length > 0 ? this[name] : from.slice();
        this[name].set(from);
      }
    }
    this.cells = wants.cells ? space.cells().slice() : new Float64Array(0);
    this.areas.take(wants.areas ? space.areas() : null);
    this.#indexes = null;
    this.importance = wants.importance
      ? Uint8Array.from({ length: this.count }, (_, i) => space.traits(this.ids[i]).importance ?? 0)
      : new Uint8Array(this.count);
    this.change = new Uint8Array(this.count);
  }

  /** Marks the markers of these events. */
  mark(events) {
    for (let i = 0; i < events.op.length; i++) {
      const index = this.indexOf(events.marker[i]);
      if (index >= 0) {
        this.change[index] |= events.op[i] & ANY_VIEW;
      }
    }
  }

  /** Where the entity stands in the arrays, or −1. */
  indexOf(id) {
    if (!this.#indexes) {
      this.#indexes = new Map();
      for (let i = 0; i < this.count; i++) {
        this.#indexes.set(this.ids[i], i);
      }
    }
    return this.#indexes.get(id) ?? -1;
  }

  /** The nearest entity within `reach` of a place, or −1. */
  nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    for (let i = 0; i < this.count; i++) {
      const dx = this.x[i] - x;
      const dy = this.y[i] - y;
      const distance = dx * dx + dy * dy;
      if (distance <= least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  /** The box around the map, or around all entities where there is none: {x, y, width, height} or null. */
  bounds() {
    const { map } = this.options ?? {};
    if (map) {
      return map;
    }
    if (this.count === 0) {
      return null;
    }
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < this.count; i++) {
      left = Math.min(left, this.x[i]);
      right = Math.max(right, this.x[i]);
      low = Math.min(low, this.y[i]);
      high = Math.max(high, this.y[i]);
    }
    return { x: left, y: low, width: right - left, height: high - low };
  }

  /** The nine cells that a watcher of a classic nine-grid sees, cut at the map: a box, or null. */
  nineCells(x, y) {
    const { map } = this.options;
    if (!map || this.cells.length < 5) {
      return null;
    }
    const [width, height] = [this.cells[2], this.cells[3]];
    const index = (at, from, cell, length) =>
      Math.max(0, Math.min(Math.floor((at - from) / cell), Math.ceil(length / cell - 1e-9) - 1));
    const column = index(x, map.x, width, map.width);
    const row = index(y, map.y, height, map.height);
    const left = Math.max(map.x, map.x + (column - 1) * width);
    const low = Math.max(map.y, map.y + (row - 1) * height);
    return {
      x: left,
      y: low,
      width: Math.min(map.x + map.width, map.x + (column + 2) * width) - left,
      height: Math.min(map.y + map.height, map.y + (row + 2) * height) - low,
    };
  }
}

/*
 * All that is known of one entity at this moment, and the relations of all others to it. Returns {id, index,
 * position, traits, markers, watchers, toldMarkers, toldWatchers, areas, flags}; without a place when it is
 * absent.
 */
export function look(space, scene, id) {
  const found = { id, index: scene.indexOf(id), position: null, traits: null, flags: new Uint8Array(scene.count) };
  if (found.index >= 0) {
    found.position = space.position(id);
    found.traits = space.traits(id);
  }
  found.markers = (found.position && space.markersOf(id)) || NOBODY;
  found.watchers = (found.position && space.watchersOf(id)) || NOBODY;
  found.toldMarkers = (found.position && space.toldMarkersOf(id)) || NOBODY;
  found.toldWatchers = (found.position && space.toldWatchersOf(id)) || NOBODY;
  found.areas = (found.position && space.areasOf(id)) || NOBODY;
  for (const [list, bit] of [[found.markers, SEEN], [found.toldMarkers, TOLD], [found.watchers, WATCHES],
    [found.toldWatchers, TOLD_OF_IT]]) {
    for (const other of list) {
      const index = scene.indexOf(other);
      if (index >= 0) {
        found.flags[index] |= bit;
      }
    }
  }
  return found;
}

/* An area at this moment: {id, index, members}; index −1 when it is absent. */
export function lookAtArea(space, scene, id) {
  return { id, index: scene.areas.indexOf(id), members: space.membersOf(id) ?? NOBODY };
}
