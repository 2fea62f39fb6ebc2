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

  /** most: bytes of all saves together. */
  constructor(most = MOST_BYTES) {
    this.#most = most;
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

  /** Takes the bytes in; when they are too many, the saves that are farthest away go. */
  keep(position, calls, bytes) {
    this.#list.splice(this.#indexUpTo(position) + 1, 0, { position, calls, bytes });
    this.#held += bytes.length;
    while (this.#held > this.#most) {
      const isFirstFarther = position - this.#list[0].position > this.#list.at(-1).position - position;
      this.#held -= (isFirstFarther ? this.#list.shift() : this.#list.pop()).bytes.length;
    }
  }
}
