// Which moment the page is at: plays, steps and seeks through a player, one thing at a time.

const MOST_STEPS = 64; // while it plays or follows; what is further away is sought
const MOST_MILLISECONDS = 24; // in one go; then the page may draw
const REST = 8; // milliseconds between two slices of the filler, so that the page does what it has to

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000];

const NO_FILLER = { slice: async () => false, close() {} };
const NOBODY = { stepped() {}, turned() {}, changed() {}, failed() {} };

export class Playback {
  playing = false;
  following = false;
  speed = 10;
  #player;
  #told;
  #wanted = null;
  #overGaps = true;
  #credit = 0;
  #busy = false;
  #waiting = new Set();
  #isClosed = false;
  #filler;
  #mayFill = true; // the filler may have something to do
  #hasTurned = () => this.#told.changed();

  /** Whether saves are filled in. */
  isFilling = false;

  /**
   * told.stepped(position, events): one step was made, in order. told.turned(): it plays or follows, or no longer does
   * so; told at once, when the space may not be asked. told.changed(): the player is at a new moment, or at rest after
   * a turn; its space may be asked until this returns. told.failed(error).
   * filler: works while the player rests.
   */
  constructor(player, told, filler = NO_FILLER) {
    this.#player = player;
    this.#told = told;
    this.#filler = filler;
    this.#fill();
  }

  get position() {
    return this.#player.position;
  }
  get from() {
    return this.#player.from;
  }
  get to() {
    return this.#player.to;
  }
  /* The recorded stretches, without the gaps: [{from, to}]. */
  get stretches() {
    return this.#player.stretches;
  }
  /* The damage found so far: [{message, from, to}]. */
  get problems() {
    return this.#player.problems;
  }
  get space() {
    return this.#player.space;
  }
  get idle() {
    return !this.#busy;
  }

  /** Goes to a moment; a newer wish replaces one that is not yet begun. */
  seek(position) {
    this.#stop();
    this.#want(position, false);
  }

  step(n) {
    this.#stop();
    this.#want((this.#wanted ?? this.position) + n);
  }

  play(on) {
    if (on && this.position >= this.to && !this.following) {
      this.#want(this.from);
    }
    this.#credit = 0;
    this.#turn(on, false);
    this.whenIdle(this.#hasTurned);
  }

  follow(on) {
    this.#turn(false, on);
    if (on) {
      this.#want(this.to);
    }
    this.whenIdle(this.#hasTurned);
  }

  /** The recording has grown. */
  grown() {
    if (this.following) {
      this.#want(this.to);
    }
  }

  /** Called for each frame, with the seconds since the one before. */
  frame(seconds) {
    if (!this.playing) {
      return;
    }
    this.#credit = Math.min(this.#credit + seconds * this.speed, Math.max(1, this.speed * 0.25));
    if (this.#busy || this.#credit < 1) {
      return;
    }
    if (this.position >= this.to) {
      this.play(false);
      return;
    }
    const steps = Math.min(Math.floor(this.#credit), this.to - this.position);
    this.#credit -= steps;
    this.#want(this.position + steps);
  }

  /** Calls back when nothing is under way: at once, or after it; once, however often the same callback was given. */
  whenIdle(callback) {
    if (this.#busy) {
      this.#waiting.add(callback);
    } else {
      callback();
    }
  }

  /** Tells nothing any more, and gives the memory of the player back as soon as nothing is under way. */
  close() {
    this.#isClosed = true;
    this.#told = NOBODY;
    this.#stop();
    this.#wanted = null;
    this.#waiting.clear();
    this.whenIdle(() => this.#player.close());
    this.#filler.close();
  }

  #stop() {
    this.#turn(false, false);
  }

  #turn(playing, following) {
    const isNew = playing !== this.playing || following !== this.following;
    this.playing = playing;
    this.following = following;
    if (isNew) {
      this.#told.turned();
      this.#fill();
    }
  }

  get #rests() {
    return !this.#busy && !this.playing && !this.following && !this.#isClosed;
  }

  /** Has the filler work until it has nothing to do, or the player works. */
  async #fill() {
    this.#mayFill = true;
    if (this.isFilling) {
      return;
    }
    this.isFilling = true;
    while (this.#mayFill && this.#rests) {
      await new Promise((resume) => setTimeout(resume, REST));
      if (this.#rests) {
        this.#mayFill = false;
        this.#mayFill = await this.#filler.slice() || this.#mayFill;
      }
    }
    this.isFilling = false;
  }

  /** A seek into a gap ends before it; what plays or steps goes over it. */
  async #want(position, overGaps = true) {
    this.#overGaps = overGaps;
    this.#wanted = Math.max(this.from, Math.min(this.to, Math.round(position)));
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    while (this.#wanted !== null) {
      const target = this.#wanted;
      this.#wanted = null;
      try {
        await this.#go(target);
      } catch (error) {
        this.#stop();
        this.#told.failed(error);
      }
      this.#told.changed();
      // So that a long series of wishes leaves the page its frames.
      await new Promise((resume) => setTimeout(resume, 0));
    }
    this.#busy = false;
    this.#fill();
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const callback of waiting) {
      callback();
    }
  }

  /** Steps while it plays or follows, so that each moment is told; goes to any other at once. */
  async #go(target) {
    const player = this.#player;
    const plays = this.playing || this.following;
    if (!plays || target <= player.position || target - player.position > MOST_STEPS) {
      const before = player.position;
      await player.seek(target);
      if (player.position === before && target > before && this.#overGaps) {
        await player.step(1); // over a gap
      }
      this.#told.stepped(player.position, player.events);
      return;
    }
    const end = performance.now() + MOST_MILLISECONDS;
    while (player.position < target && this.#wanted === null && !this.#isClosed) {
      const before = player.position;
      await player.step(1);
      this.#told.stepped(player.position, player.events);
      if (player.position === before) {
        break; // nothing is there yet
      }
      if (performance.now() > end) {
        if (!this.playing && player.position < target) { // it may be behind it, over a gap
          this.#wanted ??= target;
        }
        break;
      }
    }
  }
}
