/*
 * player.js - plays a recording: a space as it was at any moment, and what happened then.
 *
 * A moment is a number of ticks in a deferred space, of calls in others: tick n is the space right after its n-th
 * tick, before any further call. The ways of lua/aoi/player.lua, but for damage: when a seek comes upon it first,
 * it fails; from then on what can't be read is a gap, as where nothing was recorded.
 */
import { Damage, KEYFRAME, RECORD } from "./recording.js";
import { lastWhere, Saves } from "./saves.js";

const NO_EVENTS = { count: 0, watcher: new BigInt64Array(), marker: new BigInt64Array(), op: new Uint8Array() };

const SAVE_AFTER = 25; // milliseconds of replay; somebody waits

export class Player {
  #core;
  #recording;
  #keyframes = []; // their numbers among the pieces
  #piecesSeen = 0;
  #damaged = new Map(); // pieces, and what is wrong with them
  #first = null; // the keyframe of the first moment
  #target = null; // of the last seek
  #kept = { piece: null, payload: null }; // steps often stay in a piece
  #running = Promise.resolve(); // the last call: they are made one after the other
  #stretches = null; // with the numbers of pieces and of damaged ones that they were made of
  #saves;
  #saveAfter;
  #unsaved = 0; // milliseconds of replay since the last save or keyframe
  #isExact = false; // the space is right at its position, with no call behind it

  /** The space at `position`: another one after each call of the player, or the same. */
  space = null;
  /** The events from the moment before `position` to it; none at the first moment and right behind a gap. */
  events = NO_EVENTS;
  /** "ticks" or "calls". */
  unit = undefined;

  /**
   * Has no space before the first seek: Player.open(core, recording) makes one that stands at the first moment.
   * saveAfter: after so many milliseconds of replay it keeps a save. saves: where.
   */
  constructor(core, recording, { saveAfter = SAVE_AFTER, saves = new Saves() } = {}) {
    this.#core = core;
    this.#recording = recording;
    this.#saveAfter = saveAfter;
    this.#saves = saves;
  }

  /** @returns {Promise<Player>} rejected with an Error when no moment of the recording can be shown. */
  static async open(core, recording, options) {
    const player = new Player(core, recording, options);
    await player.#inTurn(() => player.#begin());
    return player;
  }

  /** The first and the last moment that there is so far. */
  get from() {
    return this.#first && this.#at(this.#first.from);
  }

  get to() {
    return this.#first && this.#at(this.#recording.to);
  }

  get position() {
    return this.space && this.#at(this.space.moment);
  }

  /* The damage found: [{ message, from, to }]. */
  get problems() {
    return Array.from(this.#damaged, ([piece, message]) =>
      ({ message, from: this.#at(piece.from), to: this.#at(piece.to) }));
  }

  /** The moments from `from` to `to` without the gaps: [{ from, to }]. */
  get stretches() {
    const { pieces } = this.#recording;
    const made = `${pieces.length} ${this.#damaged.size}`;
    if (this.#stretches?.made !== made) {
      this.#stretches = { made, list: this.#findStretches(pieces) };
    }
    return this.#stretches.list;
  }

  /**
   * Goes to moment n (from..to), from where it is or from a keyframe. In a gap it ends before it, at a lower
   * position. Rejected with an Error when damage is found on the way and n can't be reached otherwise; the player
   * then stands before the damage.
   */
  seek(n) {
    return this.#inTurn(async () => {
      await this.#begin();
      await this.#seek(this.#clamp(n));
    });
  }

  /** Goes n moments on, or back, but not over the ends. A gap is stepped over. */
  step(n = 1) {
    return this.#inTurn(async () => {
      await this.#begin();
      await this.#step(n);
    });
  }

  /**
   * Comes to moment n without its events, for the saves that are kept on the way: for a player that nobody looks at.
   * Rejected with Damage where a seek would go round it.
   */
  visit(n) {
    return this.#inTurn(async () => {
      await this.#begin();
      await this.#come(this.#startFor(n), n);
    });
  }

  /** Goes to the first moment at which somebody is there; to the first of all when there is none, or behind damage. */
  seekSomebody() {
    return this.#inTurn(async () => {
      await this.#begin();
      await this.#seek(this.from);
      try {
        for (let before = -1; this.space.entities().count === 0 && this.position !== before;) {
          before = this.position;
          await this.#step(1);
        }
      } catch (error) {
        if (!(error instanceof Damage)) {
          throw error;
        }
      }
      if (this.space.entities().count === 0) {
        await this.#seek(this.from);
      }
    });
  }

  async #step(n) {
    const target = this.#clamp(this.position + n);
    await this.#seek(target);
    const next = n > 0 && this.position < target ? this.stretches.find(({ from }) => from > this.position) : null;
    if (next) {
      await this.#seek(next.from);
    }
  }

  /** Gives the memory of the space back, until the next call. */
  close() {
    return this.#inTurn(async () => {
      this.space?.free();
      this.space = null;
    });
  }

  #inTurn(work) {
    const result = this.#running.then(work);
    this.#running = result.catch(() => {});
    return result;
  }

  #at(moment) {
    return this.unit === "ticks" ? moment.ticks : moment.calls;
  }

  #clamp(n) {
    return Math.max(this.from, Math.min(this.to, Math.trunc(n)));
  }

  // ---- pieces

  // Pieces may have come since the last time.
  #lookAtPieces() {
    const { pieces } = this.#recording;
    for (; this.#piecesSeen < pieces.length; this.#piecesSeen++) {
      if (pieces[this.#piecesSeen].kind === KEYFRAME) {
        this.#keyframes.push(this.#piecesSeen);
      }
    }
  }

  #findStretches(pieces) {
    const list = [];
    let calls = -1; // up to where the last stretch goes
    for (const piece of pieces) {
      if (!this.#damaged.has(piece)) {
        if (piece.from.calls === calls) {
          list.at(-1).to = this.#at(piece.to);
          calls = piece.to.calls;
        } else if (piece.kind === KEYFRAME) {
          list.push({ from: this.#at(piece.from), to: this.#at(piece.to) });
          calls = piece.to.calls;
        }
      }
    }
    return list;
  }

  // The outcome of `use` for the payload; damage is noted and thrown.
  async #use(piece, use) {
    try {
      if (this.#kept.piece !== piece) {
        this.#kept = { piece: null, payload: null };
        this.#kept = { piece, payload: await this.#recording.payload(piece) };
      }
      return use(this.#kept.payload);
    } catch (error) { // a RangeError: there is not enough memory, the piece may be good
      throw error instanceof RangeError ? error : this.#noteDamage(piece, error);
    }
  }

  #noteDamage(piece, error) {
    const name = piece.kind === KEYFRAME ? "keyframe" : "record";
    const message = `the ${name} at byte ${piece.offset} can't be read: ${error.message}`;
    this.#damaged.set(piece, message);
    return new Damage(message, { cause: error });
  }

  async #load(piece) {
    const space = await this.#use(piece, (payload) => this.#core.load(payload));
    if (space.moment.calls !== piece.from.calls || space.moment.ticks !== piece.from.ticks) {
      space.free();
      throw this.#noteDamage(piece, new Error("it is of another moment than its head says"));
    }
    this.#stand(space, false);
  }

  // The player is where this space is.
  #stand(space, isExact) {
    this.space?.free();
    this.space = space;
    this.#unsaved = 0;
    this.#isExact = isExact;
  }

  // The first keyframe that can be loaded is the first moment.
  async #begin() {
    if (this.#first !== null) {
      return;
    }
    this.#lookAtPieces();
    let fault = new Error(this.#recording.problem?.message ?? "the recording is empty");
    for (const number of this.#keyframes) {
      const piece = this.#recording.pieces[number];
      try {
        await this.#load(piece);
      } catch (error) {
        if (!(error instanceof Damage)) {
          throw error;
        }
        fault = error;
        continue;
      }
      this.unit = this.space.options.deferred ? "ticks" : "calls";
      this.#recording.unit = this.unit;
      this.#first = piece;
      this.#target = this.position;
      return;
    }
    throw fault;
  }

  // ---- seeking

  // Whether no records lead to this keyframe: then it is the first moment behind a gap.
  #beginsAnew(number) {
    const { pieces } = this.#recording;
    for (let i = number - 1; i >= 0 && pieces[i].to.calls === pieces[i + 1].from.calls; i--) {
      const isDamaged = this.#damaged.has(pieces[i]);
      if (isDamaged ? pieces[i].kind === RECORD : pieces[i].kind === KEYFRAME) {
        return isDamaged;
      }
    }
    return true;
  }

  // The number of the last keyframe up to moment n. One that was made after tick n, at the same number of ticks, may
  // be later than the moment that n stands for: it serves for what is behind n, and where nothing else leads to n.
  #startFor(n) {
    this.#lookAtPieces();
    const { pieces } = this.#recording;
    const piece = (i) => pieces[this.#keyframes[i]];
    let i = lastWhere(this.#keyframes.length, (at) => this.#at(piece(at).from) <= n);
    while (i >= 0 && this.#damaged.has(piece(i))) {
      i--;
    }
    return i >= 0 ? this.#keyframes[i] : pieces.indexOf(this.#first);
  }

  // Makes the calls of the records behind the space's moment, as far as they follow each other, until moment n.
  async #replayTo(n) {
    const { pieces } = this.#recording;
    const { calls } = this.space.moment;
    const made = lastWhere(pieces.length, (i) => pieces[i].to.calls <= calls);
    for (let i = made + 1; i < pieces.length && this.position < n; i++) {
      const piece = pieces[i];
      if (piece.from.calls > this.space.moment.calls) {
        break;
      }
      if (piece.kind === RECORD && !this.#damaged.has(piece)) {
        await this.#use(piece, (payload) => this.#replay(payload, n));
      }
    }
  }

  // Replays in parts, so that saves can be kept between them. Each part finds its first call anew: parts that take
  // little time get longer.
  #replay(payload, n) {
    for (let length = 1; this.position < n;) {
      const end = Math.min(n, this.position + length);
      const began = performance.now();
      this.#isExact = false;
      this.space.replay(payload, { [this.unit]: end });
      const elapsed = performance.now() - began;
      this.#unsaved += elapsed;
      if (this.position < end) { // the payload has no more
        return;
      }
      this.#isExact = true;
      length *= elapsed < this.#saveAfter / 2 ? 2 : 1;
      this.#keepSave();
    }
  }

  // Keeps a save of this moment when it took long to come here. Without memory for it the player does as well.
  #keepSave() {
    const { position, space } = this;
    if (!this.#isExact || space.isListening || this.#unsaved < this.#saveAfter) {
      return;
    }
    this.#unsaved = 0;
    if (this.#saves.has(position)) {
      return;
    }
    try {
      this.#saves.keep(position, space.moment.calls, space.save());
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw error;
      }
    }
  }

  // Comes to moment n, or into the gap before it: from where it is, from that keyframe or from a save, whichever is
  // nearest.
  async #come(start, n) {
    const piece = this.#recording.pieces[start];
    const save = this.#saves.upTo(n);
    const here = this.space !== null && this.position <= n ? this.space.moment.calls : -1;
    if (save !== null && save.calls > Math.max(here, piece.from.calls)) {
      this.#stand(this.#core.load(save.bytes), true);
    } else if (here < piece.from.calls) {
      await this.#load(piece);
    }
    await this.#replayTo(n);
    this.#keepSave(); // it may have come here by steps
  }

  // Comes to the moment before n, then to n, with the events between the two. No events when no moment is before it.
  async #comeWithEvents(n) {
    const start = this.#startFor(n);
    const piece = this.#recording.pieces[start];
    if (this.#at(piece.from) < n) {
      await this.#come(start, n - 1);
    } else if (this.#beginsAnew(start)) {
      await this.#load(piece);
      return;
    } else {
      await this.#come(this.#startFor(n - 1), n - 1);
    }
    this.space.listen(true);
    try {
      await this.#replayTo(n);
      this.events = this.space.takeEvents();
    } finally {
      this.space.listen(false);
    }
  }

  // Damage that is found on the way is noted: the next try goes round it. Returns what was found first, or null.
  async #tryToCome(n) {
    this.#target = n;
    this.#saves.near = n;
    this.events = NO_EVENTS;
    for (let fault = null; ;) {
      const known = this.#damaged.size;
      try {
        await this.#comeWithEvents(n);
        return fault;
      } catch (error) {
        if (!(error instanceof Damage) || this.#damaged.size === known) {
          throw error;
        }
        fault ??= error;
      }
    }
  }

  async #seek(n) {
    if (this.position === n && this.#target === n) {
      return;
    }
    const fault = await this.#tryToCome(n);
    if (this.position === n) {
      return;
    }
    for (let end = n; this.position !== end;) { // calls behind the last moment before the gap may have been made
      end = this.position;
      await this.#tryToCome(end);
    }
    if (fault !== null) {
      throw fault;
    }
  }
}
