// The events of the moments that were played: who came into whose view when, and into which area. Of moves only those
// of one entity are kept, as there are many; the oldest moments are dropped.

const MOST_EVENTS = 2_000_000;
const MOVE = 4;
const AREA_ENTER = 8; // and 16, leave: the watcher is an area, whose id may be that of an entity, too

/** The events that are kept: {watcher, marker, op}. One pass finds them, as most are moves of others. */
function keptOf({ count, watcher, marker, op }, chosen) {
  // Half an id says cheaply that it is another one.
  const low = chosen === null ? 0 : Number(BigInt.asIntN(32, chosen));
  const halves = ({ buffer, byteOffset }) => new Int32Array(buffer, byteOffset, 2 * count);
  const watchers = halves(watcher);
  const markers = halves(marker);
  const kept = new Uint32Array(count);
  let length = 0;
  for (let i = 0; i < count; i++) {
    if (op[i] !== MOVE || (chosen !== null && (watchers[2 * i] === low || markers[2 * i] === low) &&
      (watcher[i] === chosen || marker[i] === chosen))) {
      kept[length++] = i;
    }
  }
  const pick = (from) => {
    const picked = new from.constructor(length);
    for (let i = 0; i < length; i++) {
      picked[i] = from[kept[i]];
    }
    return picked;
  };
  return { watcher: pick(watcher), marker: pick(marker), op: pick(op) };
}

export class EventLog {
  #moments = new Map(); // position -> {watcher, marker, op}
  #held = 0;

  /** Takes the events of the unit that ended at a position, moves only of `chosen` (an id or null). */
  add(position, events, chosen) {
    const kept = keptOf(events, chosen);
    this.#held -= this.#moments.get(position)?.op.length ?? 0;
    this.#moments.delete(position);
    this.#moments.set(position, kept);
    this.#held += kept.op.length;
    for (const [oldest, { op }] of this.#moments) {
      if (this.#held <= MOST_EVENTS && this.#moments.size <= MOST_EVENTS / 10) {
        break;
      }
      this.#moments.delete(oldest);
      this.#held -= op.length;
    }
  }

  /** The events with an entity in them, newest moment first: [{position, watcher, marker, op}]. */
  of(id) {
    const found = [];
    for (const [position, { watcher, marker, op }] of this.#moments) {
      for (let i = 0; i < op.length; i++) {
        if (marker[i] === id || (watcher[i] === id && op[i] < AREA_ENTER)) {
          found.push({ position, watcher: watcher[i], marker: marker[i], op: op[i] });
        }
      }
    }
    return found.sort((a, b) => b.position - a.position || a.op - b.op);
  }

  /** The kept events of one position, or null when it was not played. */
  at(position) {
    return this.#moments.get(position) ?? null;
  }

  /** The first and the last position played: [from, to], or null. */
  span() {
    let [from, to] = [Infinity, -Infinity];
    for (const position of this.#moments.keys()) {
      from = Math.min(from, position);
      to = Math.max(to, position);
    }
    return from <= to ? [from, to] : null;
  }
}
