/* space.js - the C core in WebAssembly: spaces that are loaded, replayed and asked, as JavaScript objects. */

const ENGINES = { 1: "grid", 2: "crosslist", 3: "quadtree" };
const SHAPES = { 1: "square", 2: "circle" };
const REASONS = ["", "unknown", "self", "mode", "hidden", "layer", "range", "sees", "told", "limit", "waits"];

const ALWAYS = 2; // of aoi_sight

// Values of aoi_status; INVALID has a complaint.
const OK = 0;
const NO_MEMORY = 1;
const NOT_FOUND = 3;

// Where what stands in core.c's struct answer.
const ANSWER_ARRAYS = 64 * 8;
const ANSWER_COUNT = ANSWER_ARRAYS + 8 * 4;

// The fields of `options` in core.c, and how many numbers come before the rings of the rates.
const OPTION_NUMBERS = 20;

// As in `areas` of core.c.
const AREA_FIELDS = 7;

const NO_LIMIT = BigInt.asUintN(64, -1n);

function isId(id) {
  return typeof id === "bigint" && BigInt.asIntN(64, id) === id;
}

/**
 * Starts the core.
 * @param {Uint8Array} wasmBytes what `make viewer` compiled of the C files
 * @returns {Promise<Core>}
 */
export async function loadCore(wasmBytes) {
  const { instance } = await WebAssembly.instantiate(wasmBytes, {});
  instance.exports._initialize();
  return new Core(instance.exports);
}

/** The core: makes spaces of saves. One thing at a time; all spaces of a core share its memory. */
class Core {
  #exports;
  #answer;
  #input = null; // the bytes that stand in the core's memory for the next call

  constructor(exports) {
    this.#exports = exports;
    this.#answer = exports.answer();
  }

  /** Bytes of memory that the core has; it never gets smaller. */
  get memory() {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Makes a space of a string of save().
   * @param {Uint8Array} bytes
   * @returns {Space} to be freed with free(); throws an Error that says what is wrong with the bytes
   */
  load(bytes) {
    this.put(bytes);
    this.check(this.#exports.load(bytes.length));
    return new Space(this, this.#exports, this.pointer(0));
  }

  // ---- for Space alone. The memory may have grown with every call: views are always made anew.

  /** Copies the bytes to where `load` and `replay` look for them, unless they are those of the last time. */
  put(bytes) {
    if (this.#input === bytes) {
      return;
    }
    this.#input = null;
    const pointer = this.#exports.input(bytes.length) >>> 0; // may be above 2 GiB
    if (pointer === 0) {
      throw new RangeError("not enough memory");
    }
    this.array(Uint8Array, pointer, bytes.length).set(bytes);
    this.#input = bytes;
  }

  number(index) {
    return new DataView(this.#exports.memory.buffer).getFloat64(this.#answer + 8 * index, true);
  }

  numbers(count) {
    return this.array(Float64Array, this.#answer, count).slice();
  }

  get count() {
    return new DataView(this.#exports.memory.buffer).getUint32(this.#answer + ANSWER_COUNT, true);
  }

  pointer(index) {
    return new DataView(this.#exports.memory.buffer).getUint32(this.#answer + ANSWER_ARRAYS + 4 * index, true);
  }

  /** A view of the answer's array of that number, `count` items. */
  view(type, index, count) {
    return this.array(type, this.pointer(index), count);
  }

  array(type, pointer, count) {
    return new type(this.#exports.memory.buffer, pointer, count);
  }

  /** Throws what a status says; false when it says that an id is unknown. */
  check(status) {
    if (status === NOT_FOUND) {
      return false;
    }
    if (status === NO_MEMORY) {
      throw new RangeError("not enough memory");
    }
    if (status !== OK) {
      throw new Error(this.#complaint());
    }
    return true;
  }

  #complaint() {
    const start = this.#exports.complaint();
    const text = new Uint8Array(this.#exports.memory.buffer, start);
    return new TextDecoder().decode(text.slice(0, text.indexOf(0)));
  }
}

/** A space at one moment of its history. Ids are BigInt. */
class Space {
  #core;
  #exports;
  #pointer;
  #options = null;

  /** Whether events are kept: listen(). */
  isListening = false;

  constructor(core, exports, pointer) {
    this.#core = core;
    this.#exports = exports;
    this.#pointer = pointer;
    this.#readMoment();
  }

  /** Gives its memory back; it can't be used afterwards. */
  free() {
    if (this.#pointer !== 0) {
      this.#exports.free_space(this.#pointer);
      this.#pointer = 0;
    }
  }

  #here() {
    if (this.#pointer === 0) {
      throw new Error("the space is freed");
    }
    return this.#pointer;
  }

  /** @returns {Uint8Array} the space as a string of bytes for Core.load(): a copy. */
  save() {
    const core = this.#core;
    core.check(this.#exports.save(this.#here()));
    return core.view(Uint8Array, 0, core.count).slice();
  }

  #readMoment() {
    this.#exports.moment(this.#here());
    /** How many calls changed the space so far, and how many of them were ticks. */
    this.moment = { calls: this.#core.number(0), ticks: this.#core.number(1) };
  }

  /** Bytes that the space holds. */
  get memory() {
    this.#exports.held(this.#here());
    return this.#core.number(0);
  }

  /* The options of the space. The map may change with a replay. */
  get options() {
    this.#exports.options(this.#here());
    const [engine, shape, dims, deferred, slack, radius, classic, crowd, limit, limitLayers, keepFactor, enterBudget,
      moveBudget, clamp, bounded, x, y, width, height, rings, ...rates] = this.#core.numbers(OPTION_NUMBERS + 32);
    return {
      engine: ENGINES[engine],
      shape: SHAPES[shape],
      dims,
      deferred: deferred === 1,
      slack,
      radius: Number.isNaN(radius) ? undefined : radius,
      classic: classic === 1,
      crowd: crowd === 1,
      limit,
      limitLayers,
      keepFactor,
      enterBudget,
      moveBudget,
      rates: Array.from({ length: rings }, (_, i) => ({ bound: rates[2 * i], period: rates[2 * i + 1] })),
      clamp: clamp === 1,
      map: bounded === 1 ? { x, y, width, height } : null,
    };
  }

  /**
   * Makes the calls of a string of recorded() that the space has not made yet, up to a moment, or all. Throws an
   * Error when the bytes are damaged, or not of this history. The bytes must stay as they are: when the next
   * call brings the same array, it is not copied again.
   * @param {Uint8Array} bytes
   * @param {{calls?: number, ticks?: number}} [until] ends as soon as the space has made so many of either
   */
  replay(bytes, until = {}) {
    const pointer = this.#here();
    this.#core.put(bytes);
    const calls = until.calls === undefined ? NO_LIMIT : BigInt(until.calls);
    const ticks = until.ticks === undefined ? NO_LIMIT : BigInt(until.ticks);
    const status = this.#exports.replay(pointer, bytes.length, calls, ticks);
    this.#readMoment();
    this.#core.check(status);
  }

  // ---- everything at once; the arrays are valid until the next call of the core

  /** @returns all entities, in no particular order: one array a field. */
  entities() {
    const core = this.#core;
    core.check(this.#exports.entities(this.#here()));
    const count = core.count;
    return {
      count,
      ids: core.view(BigInt64Array, 0, count),
      x: core.view(Float64Array, 1, count),
      y: core.view(Float64Array, 2, count),
      z: core.view(Float64Array, 3, count),
      radius: core.view(Float64Array, 4, count),
      layers: core.view(Uint32Array, 5, count),
      seesLayers: core.view(Uint32Array, 6, count),
      mode: core.view(Uint8Array, 7, count),
    };
  }

  /** @returns {Float64Array} x, y, width, height and number of entities of each cell, leaf or block. */
  cells() {
    this.#core.check(this.#exports.cells(this.#here()));
    return this.#core.view(Float64Array, 0, 5 * this.#core.count);
  }

  /** @returns all areas, in no particular order: one array a field; copies. See core.c. */
  areas() {
    const core = this.#core;
    core.check(this.#exports.areas(this.#here()));
    const { count } = core;
    const [rings, corners] = core.numbers(2);
    return {
      count,
      ids: core.view(BigInt64Array, 0, count).slice(),
      owners: core.view(BigInt64Array, 1, count).slice(),
      fields: core.view(Float64Array, 2, AREA_FIELDS * count).slice(),
      corners: core.view(Float64Array, 3, 2 * corners).slice(),
      seesLayers: core.view(Uint32Array, 4, count).slice(),
      ringCounts: core.view(Uint32Array, 5, count).slice(),
      ringLengths: core.view(Uint32Array, 6, rings).slice(),
      owned: core.view(Uint8Array, 7, count).slice(),
    };
  }

  // ---- about some; null when an id is unknown

  #ask(question, id) {
    return isId(id) && this.#core.check(this.#exports[question](this.#here(), id));
  }

  #list(question, id) {
    return this.#ask(question, id) ? this.#core.view(BigInt64Array, 0, this.#core.count).slice() : null;
  }

  position(id) {
    if (!this.#ask("position", id)) {
      return null;
    }
    const [x, y, z] = this.#core.numbers(3);
    return { x, y, z };
  }

  /** The radii are undefined in a classic nine-grid, limit and importance are outside of crowd spaces. */
  traits(id) {
    if (!this.#ask("traits", id)) {
      return null;
    }
    const [radius, mode, layers, seesLayers, limit, importance, visibleRadius] = this.#core.numbers(7);
    const options = (this.#options ??= this.options);
    return {
      radius: options.classic ? undefined : radius,
      visibleRadius: options.classic ? undefined : visibleRadius,
      mode,
      layers,
      seesLayers,
      limit: options.crowd ? limit : undefined,
      importance: options.crowd ? importance : undefined,
    };
  }

  /* The markers that it sees now. */
  markersOf(id) {
    return this.#list("markers_of", id);
  }

  /* The watchers that see it now. */
  watchersOf(id) {
    return this.#list("watchers_of", id);
  }

  /** Of whom it was told by the last tick. */
  toldMarkersOf(id) {
    return this.#list("told_markers_of", id);
  }

  /* The watchers that were told of it by the last tick. */
  toldWatchersOf(id) {
    return this.#list("told_watchers_of", id);
  }

  /* The members of the area now. */
  membersOf(area) {
    return this.#list("members_of", area);
  }

  /** Of which areas it is a member now. */
  areasOf(id) {
    return this.#list("areas_of", id);
  }

  /** Why the watcher is told of the marker, or not. */
  explain(watcher, marker) {
    if (!isId(watcher) || !isId(marker)) {
      return { reason: "unknown", rank: 0 };
    }
    this.#core.check(this.#exports.explain(this.#here(), watcher, marker));
    return { reason: REASONS[this.#core.number(0)], rank: this.#core.number(1) };
  }

  /** The words of the game about a pair. bySight: the watcher sees the marker always; isPinned. */
  wordsAbout(watcher, marker) {
    if (!isId(watcher) || !isId(marker)) {
      return { bySight: false, isPinned: false };
    }
    this.#exports.words(this.#here(), watcher, marker);
    return { bySight: this.#core.number(0) === ALWAYS, isPinned: this.#core.number(1) === 1 };
  }

  // ---- events

  /** Whether the events of what is replayed from now on are kept for takeEvents(). Those that wait are dropped. */
  listen(on) {
    this.isListening = on;
    this.#exports.listen(this.#here(), on ? 1 : 0);
  }

  /** @returns the events since listen(true) or the last time: copies. op: 1 enter, 2 leave, 4 move; 8, 16 enter
   *  and leave of an area, which stands in place of the watcher. */
  takeEvents() {
    const core = this.#core;
    core.check(this.#exports.events(this.#here()));
    const count = core.count;
    return {
      count,
      watcher: core.view(BigInt64Array, 0, count).slice(),
      marker: core.view(BigInt64Array, 1, count).slice(),
      op: core.view(Uint8Array, 2, count).slice(),
    };
  }
}
