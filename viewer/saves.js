// Saves of the space at moments between the keyframes, in memory: a way back that is shorter than from a keyframe.

const MOST_BYTES = 256 * 2 ** 20;

/** The last index from 0 to count - 1 for which `holds`, which does so for all before it; -1: none. */
export function lastWhere(count, holds) {
  let low = -1;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

export class Saves {
  #list = []; // { position, calls, bytes }, in the order of time
  #held = 0;
  #most;
  #near = 0;

  /** A save was farther away from `near` than all others, and there was no room for it. */
  isFull = false;
  /** Called with the position of each save that goes. */
  dropped = () => {};

  /** most: bytes of all saves together. */
  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /* The position that somebody looks at: what is farthest away from it goes first. */
  get near() {
    return this.#near;
  }

  set near(position) {
    this.isFull &&= position === this.#near;
    this.#near = position;
  }

  /* The positions that have a save, in order. */
  get positions() {
    return this.#list.map(({ position }) => position);
  }

  /** The last save up to a position, or null. */
  upTo(position) {
    return this.#list[this.#indexUpTo(position)] ?? null;
  }

  #indexUpTo(position) {
    return lastWhere(this.#list.length, (i) => this.#list[i].position <= position);
  }

  has(position) {
    return this.upTo(position)?.position === position;
  }

  /** Takes the bytes in; when they are too many, the saves that are farthest away go, this one among them. */
  keep(position, calls, bytes) {
    this.#list.splice(this.#indexUpTo(position) + 1, 0, { position, calls, bytes });
    this.#held += bytes.length;
    while (this.#held > this.#most) {
      const isFirstFarther = this.#near - this.#list[0].position > this.#list.at(-1).position - this.#near;
      const gone = isFirstFarther ? this.#list.shift() : this.#list.pop();
      this.#held -= gone.bytes.length;
      this.isFull ||= gone.position === position;
      this.dropped(gone.position);
    }
  }
}
