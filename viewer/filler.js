/*
 * filler.js - fills what lies between the keyframes with saves, while nobody waits for the page: the stretches from one
 * keyframe to the next, those nearest to the moment that is shown first, in slices of a few milliseconds.
 */
import { Player } from "./player.js";
import { KEYFRAME } from "./recording.js";
import { lastWhere } from "./saves.js";

const SLICE = 8; // milliseconds; one tick of many entities takes longer
const SAVE_AFTER = 10; // milliseconds of replay: a save costs less than that
const MOST_WORK = 20000; // milliseconds for one moment: a recording may be long and its saves small

export class Filler {
  #player; // of its own: the other one stands at the moment that is shown
  #recording;
  #saves;
  #keyframes = []; // the pieces
  #piecesSeen = 0;
  #filled = new Map(); // keyframe -> the position up to which its stretch has its saves
  #length = 1; // positions of a slice
  #near = NaN;
  #work = 0; // milliseconds since the moment that is shown is this one

  /** saves: those of the player that shows the recording; saveAfter as for a player. */
  constructor(core, recording, saves, { saveAfter = SAVE_AFTER } = {}) {
    this.#player = new Player(core, recording, { saves, saveAfter });
    this.#recording = recording;
    this.#saves = saves;
    saves.dropped = (position) => this.#filled.delete(this.#keyframes[this.#stretchOf(position)]);
  }

  /** Fills a little more. False: there is nothing left to do until another moment is shown; the space is given back. */
  async slice() {
    this.#lookAtPieces();
    if (this.#near !== this.#saves.near) {
      this.#near = this.#saves.near;
      this.#work = 0;
    }
    const stretch = this.#saves.isFull || this.#work > MOST_WORK ? null : this.#nearest();
    if (stretch === null) {
      await this.close();
      return false;
    }
    const { keyframe, from, end } = stretch;
    const began = performance.now();
    // The keyframe alone is loaded first: that takes as long as some ticks.
    this.#filled.set(keyframe, this.#filled.has(keyframe) ? Math.min(end, from + this.#length) : from);
    try {
      await this.#player.visit(this.#filled.get(keyframe));
    } catch { // damage, or no memory: the player that is looked at will say so
      this.#filled.set(keyframe, Infinity);
    }
    const elapsed = performance.now() - began;
    this.#work += elapsed;
    this.#length = elapsed < SLICE / 2 ? 2 * this.#length : elapsed > SLICE ? Math.ceil(this.#length / 2) : this.#length;
    return true;
  }

  /** Gives the memory of the space back, until the next slice. */
  close() {
    return this.#player.close();
  }

  #lookAtPieces() {
    const { pieces } = this.#recording;
    for (; this.#piecesSeen < pieces.length; this.#piecesSeen++) {
      if (pieces[this.#piecesSeen].kind === KEYFRAME) {
        this.#keyframes.push(pieces[this.#piecesSeen]);
      }
    }
  }

  #positionOf(keyframe) {
    return keyframe.from[this.#recording.unit];
  }

  /** The number of the stretch that a position is in. */
  #stretchOf(position) {
    return Math.max(0, lastWhere(this.#keyframes.length, (i) => this.#positionOf(this.#keyframes[i]) <= position));
  }

  /* The stretch nearest to the moment that is shown which is not filled: { keyframe, from, end }, or null. */
  #nearest() {
    const middle = this.#stretchOf(this.#near);
    for (let away = 0; away < this.#keyframes.length; away++) {
      for (const i of away === 0 ? [middle] : [middle + away, middle - away]) {
        const unfilled = this.#unfilled(i);
        if (unfilled !== null) {
          return unfilled;
        }
      }
    }
    return null;
  }

  #unfilled(i) {
    const keyframe = this.#keyframes[i];
    if (keyframe === undefined) {
      return null;
    }
    const from = this.#filled.get(keyframe) ?? this.#positionOf(keyframe);
    const next = this.#keyframes[i + 1];
    const end = next === undefined ? this.#recording.to[this.#recording.unit] : this.#positionOf(next) - 1;
    return from < end ? { keyframe, from, end } : null;
  }
}
