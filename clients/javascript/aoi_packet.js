// Reads the packets that a scene sends: version 3, docs/packets.md. A module for browsers and node, without
// dependencies: copy this file.
//
//   const view = new View({
//     entered(id, entity) {}, moved(id, entity) {}, changed(id, entity, changes) {}, left(id, entity) {},
//     said(id, bytes, text) {}, notified(bytes, text) {}, meMoved(me) {}, meChanged(me) {}, resync() {}, over() {},
//   });
//   socket.onmessage = ({ data }) => view.take(data);
//
// A packet may come from anybody: what is wrong with it raises a PacketError, before anything of it is applied.
// Ids, and integers of properties, are numbers where a number holds them exactly, and BigInt beyond 2^53.

export const KIND = Object.freeze({ VIEW: 1, SAID: 2, REFUSED: 3, OVER: 4, NOTIFIED: 6 });
export const FLAG = Object.freeze({ LONG_IDS: 1, DOUBLES: 2, THREE: 4, REPLACES: 8, MORE: 16, TEXT: 32, LOST: 64,
  EXPELLED: 128 });

const RECORD = { 1: "left", 2: "entered", 3: "entered", 4: "moved", 5: "changed" };
const HAS_PLACE = { 2: true, 3: true, 4: true };
const HAS_DETAILS = { 3: true, 5: true };
const ME = 6; // the kind of the section about the watcher itself
const ME_WHOLE = 1; // its flag: it is all that there is
const TRAITS = { 1: "radius", 2: "visibleRadius", 3: "mode", 4: "layers", 5: "seesLayers", 6: "limit", 7: "importance" };
const EXTRAS = 7; // the kind of a section with the extras of the next one's records
const MOST_EXTRAS = 4;
const HEAD = 4; // bytes of a block's kind, flags and length

/** Says what is wrong with a packet, and at which byte. */
export class PacketError extends Error {
  constructor(what, at) {
    super(`${what}, at byte ${at}`);
    this.name = "PacketError";
    this.at = at;
  }
}

// ---- bytes -----------------------------------------------------------------------------------------------------

/** Takes one value after the other out of bytes, up to `end`. */
class Bytes {
  constructor(view, at, end) {
    this.view = view;
    this.at = at;
    this.end = end;
  }

  /** Where the next `count` bytes are; goes on behind them. `what` names who is too short for them. */
  skip(count, what) {
    const { at } = this;
    if (this.end - at < count) {
      throw new PacketError(what, at);
    }
    this.at += count;
    return at;
  }

  u8(what) {
    return this.view.getUint8(this.skip(1, what));
  }

  u16(what) {
    return this.view.getUint16(this.skip(2, what), true);
  }

  u32(what) {
    return this.view.getUint32(this.skip(4, what), true);
  }

  integer(isLong, what) {
    const at = this.skip(isLong ? 8 : 4, what);
    if (!isLong) {
      return this.view.getInt32(at, true);
    }
    const value = this.view.getBigInt64(at, true);
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  number(isDouble, what) {
    const at = this.skip(isDouble ? 8 : 4, what);
    return isDouble ? this.view.getFloat64(at, true) : this.view.getFloat32(at, true);
  }

  isAtEnd(what) {
    if (this.at < this.end) {
      throw new PacketError(what, this.at);
    }
  }

  part(count, what) {
    const at = this.skip(count, what);
    return new Bytes(this.view, at, at + count);
  }

  /** A copy of the next `count` bytes. */
  copy(count, what) {
    const at = this.skip(count, what) + this.view.byteOffset;
    return new Uint8Array(this.view.buffer.slice(at, at + count));
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // all characters are the text's own
const textOf = (bytes) => decoder.decode(bytes);

// ---- blocks ----------------------------------------------------------------------------------------------------

/**
 * The blocks of a packet, an ArrayBuffer or a view of one: a list of
 * {kind, flags, watcher, stream, number, body, whole}. `whole` is a Uint8Array in the packet, for a gate to pass on;
 * `body` is for the functions below. Linear in the packet's length.
 */
export function readBlocks(packet) {
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(packet)
    ? packet : { buffer: packet, byteOffset: 0, byteLength: packet.byteLength };
  const bytes = new Bytes(new DataView(buffer, byteOffset, byteLength), 0, byteLength);
  const blocks = [];
  const what = "the packet ends within the head of a block";
  while (bytes.at < bytes.end) {
    const start = bytes.at;
    const kind = bytes.u8(what);
    const flags = bytes.u8(what);
    const length = bytes.u16(what);
    const watcher = bytes.integer(flags & FLAG.LONG_IDS, what);
    const stream = bytes.u32(what);
    const number = bytes.u32(what);
    const body = bytes.part(length, "a block is longer than what is left of the packet");
    const whole = new Uint8Array(buffer, byteOffset + start, bytes.at - start);
    blocks.push({ kind, flags, watcher, stream, number, body, whole });
  }
  return blocks;
}

// ---- what is in them -------------------------------------------------------------------------------------------

/** Details of an entity: {data, properties}; a property that it has no longer is undefined. */
function readDetails(bytes, isBinary) {
  const what = "the details of an entity end within one of them";
  const long = "a string is longer than what is left of the details";
  const details = { data: undefined, properties: new Map() };
  while (bytes.at < bytes.end) {
    const tag = bytes.u8(what);
    if (tag === 0) {
      details.data = bytes.copy(bytes.u16(what), long);
      continue;
    } else if (tag > 5) {
      break; // of a later version: what follows can't be read
    }
    const key = bytes.u8(what);
    let value;
    if (tag <= 2) {
      value = bytes.integer(tag === 2, what);
    } else if (tag === 3) {
      value = bytes.number(true, what);
    } else if (tag === 4) {
      value = bytes.copy(bytes.u16(what), long);
      value = isBinary ? value : textOf(value);
    }
    details.properties.set(key, value);
  }
  return details;
}

/** The extras of a record, a list of numbers; `isLast`: of the last one of its section. */
function readExtras({ bytes, count }, isLast) {
  const what = "a section of extras has another number of records than the next one";
  const extras = [];
  for (let i = 0; i < count; i++) {
    extras.push(bytes.number(false, what));
  }
  if (isLast) {
    bytes.isAtEnd(what);
  }
  return extras;
}

function readRecord(bytes, kind, flags, extras, isBinary) {
  const what = "a section ends within a record";
  const record = { kind: RECORD[kind], id: bytes.integer(flags & FLAG.LONG_IDS, what) };
  if (HAS_PLACE[kind]) {
    record.x = bytes.number(flags & FLAG.DOUBLES, what);
    record.y = bytes.number(flags & FLAG.DOUBLES, what);
    if (flags & FLAG.THREE) {
      record.z = bytes.number(flags & FLAG.DOUBLES, what);
    }
  }
  const long = "the details of an entity are longer than what is left of their section";
  const details = HAS_DETAILS[kind] ? bytes.part(bytes.u16(what), long) : undefined;
  if (extras) {
    record.extras = readExtras(extras, bytes.at === bytes.end);
  }
  return details ? Object.assign(record, readDetails(details, isBinary)) : record;
}

/**
 * The records of a VIEW, in their order: a list of {kind, id, x, y, z, extras, data, properties}; kind is "left",
 * "entered", "moved" or "changed". Who entered has a place, moved too, with a list of extras where the scene has some;
 * changed has details; one that entered without any has none.
 * Strings of properties are text (UTF-8), or Uint8Arrays with `isBinary`.
 */
export function readView(block, isBinary = false) {
  const { view, at, end } = block.body;
  const bytes = new Bytes(view, at, end);
  const records = [];
  let extras; // of the next section with places
  const what = "a block ends within the head of a section";
  while (bytes.at < bytes.end) {
    const kind = bytes.u8(what);
    const section = bytes.part(bytes.u16(what), "a section is longer than what is left of its block");
    if (kind === EXTRAS && section.at < section.end) {
      const count = section.u8(what);
      extras = count > 0 && count <= MOST_EXTRAS ? { bytes: section, count } : undefined;
    }
    const own = HAS_PLACE[kind] && section.at < section.end ? extras : undefined;
    while (RECORD[kind] && section.at < section.end) {
      records.push(readRecord(section, kind, block.flags, own, isBinary));
    }
    extras = own ? undefined : extras;
  }
  return records;
}

/** The fields of an own section, by their tags; of a later version, too. */
function readFields(section, flags) {
  const what = "the own section is cut off";
  const fields = { pushes: section.u32(what), isWhole: (section.u8(what) & ME_WHOLE) !== 0 };
  while (section.at < section.end) {
    const tag = section.u8(what);
    fields[tag] = section.part(section.u16(what), what);
    if (tag === 1) {
      const { view, at, end } = fields[tag];
      new Bytes(view, at, end).skip(flags & FLAG.THREE ? 24 : 16, what);
    }
  }
  return fields;
}

const noBytes = (bytes) => new Bytes(bytes.view, bytes.at, bytes.at);

/**
 * What a VIEW tells the watcher of itself: {isWhole, pushes, x, y, z, extras, data, properties, traits}; undefined:
 * nothing. isWhole: it is all that there is, else what others have changed. Without a place x is undefined; `extras` is
 * undefined or a list of numbers, `traits` an object. Of several the last. Linear in the block's length.
 */
export function readMe(block, isBinary = false) {
  const { view, at, end } = block.body;
  const bytes = new Bytes(view, at, end);
  const what = "a block ends within the head of a section";
  let fields;
  while (bytes.at < bytes.end) {
    const kind = bytes.u8(what);
    const section = bytes.part(bytes.u16(what), "a section is longer than what is left of its block");
    if (kind === ME) {
      fields = readFields(section, block.flags);
    }
  }
  if (!fields) {
    return undefined;
  }
  const { pushes, isWhole, 1: place, 2: extras, 3: details = noBytes(bytes), 4: traits = noBytes(bytes) } = fields;
  const me = { pushes, isWhole, ...readDetails(details, isBinary), traits: {} };
  for (const [key, value] of readDetails(traits, false).properties) {
    me.traits[TRAITS[key] ?? key] = value;
  }
  if (place) {
    me.x = place.number(true, "");
    me.y = place.number(true, "");
    me.z = block.flags & FLAG.THREE ? place.number(true, "") : undefined;
  }
  if (extras) {
    me.extras = Array.from({ length: Math.floor((extras.end - extras.at) / 4) }, () => extras.number(false, ""));
  }
  return me;
}

/* The content of a SAID block: {speaker, bytes, text}; text is undefined when the bytes are packed by
 * skynet. */
export function readSaid(block) {
  const { view, at, end } = block.body;
  const body = new Bytes(view, at, end);
  const speaker = body.integer(block.flags & FLAG.LONG_IDS, "a block ends within the id of who speaks");
  const bytes = body.copy(end - body.at, "");
  return { speaker, bytes, text: block.flags & FLAG.TEXT ? textOf(bytes) : undefined };
}

/** The content of a NOTIFIED block, a message to its watcher: {bytes, text}; text as of `readSaid`. */
export function readNotified(block) {
  const { view, at, end } = block.body;
  const bytes = new Bytes(view, at, end).copy(end - at, "");
  return { bytes, text: block.flags & FLAG.TEXT ? textOf(bytes) : undefined };
}

// ---- a watcher's view ------------------------------------------------------------------------------------------

const RESYNC_PAUSE = 1000; // least milliseconds between two requests

const isLater = (b, a) => b !== a && ((b - a) >>> 0) < 0x80000000;

/**
 * One entity that is seen: its place, its extras (a list of numbers), its data (undefined: none), its properties (a Map
 * from key to value).
 */
class Entity {
  extras = [];
  data = undefined;
  properties = new Map();

  /** Takes in new details; `isWhole`: they are all that there are. */
  take({ data, properties = new Map() }, isWhole) {
    if (isWhole) {
      this.properties = new Map();
    }
    if (isWhole || data !== undefined) {
      this.data = data?.length > 0 ? data : undefined;
    }
    for (const [key, value] of properties) {
      if (value === undefined) {
        this.properties.delete(key);
      } else {
        this.properties.set(key, value);
      }
    }
  }

  /** True when that is another place, or the extras are others. */
  moveTo({ x, y, z, extras = [] }) {
    const isTurned = extras.length !== this.extras.length || extras.some((value, i) => value !== this.extras[i]);
    const isNew = isTurned || this.x !== x || this.y !== y || this.z !== z;
    this.extras = extras;
    this.x = x;
    this.y = y;
    this.z = z;
    return isNew;
  }
}

/*
 * The view of one watcher, kept up to date by the packets that it gets. `entities` is a Map from id to
 * Entity. The listeners, all optional, are called after the map has changed:
 *   entered(id, entity)            it came into view
 *   moved(id, entity)              it has moved, or its extras are others
 *   changed(id, entity, details)   data (undefined: the same; empty: it has none any more) or properties (a Map;
 *                                  undefined: removed) are new; after a resync all that it has now
 *   left(id, entity)               it is out of view, or gone
 *   said(id, bytes, text)          it says something
 *   meMoved(me)                    the own place is told for the first time, but for `begin`, or others have set it
 *   meChanged(me)                  others have changed data, properties or traits of ours, or they are told anew
 *   notified(bytes, text)          a message to this watcher itself
 *   refused(bytes)                 a command was refused; packed by skynet
 *   resync()                       something was missed: ask the scene for a resync; at most once a second
 *   over(reason)                   the stay has ended; all is out of view. In a world the reason may be "lost", with its
 *                                  region: it may enter again; or "expelled": the node that we asked has left the world
 */
export class View {
  entities = new Map();
  me = null; // ourselves: an Entity with stream, pushes, traits and, if there are any, extras; null: not told yet
  stream = 0;
  number = 0;
  isMissing = false; // a block was missed, and no list has replaced all since

  #listeners;
  #now;
  #isBegun = false;
  #isOvertaken = false; // a block with a later number came before this one
  #isOver = false;
  #isWaiting = false; // the list that a stay begins with has not come yet
  #named = null; // ids that the list names whose pieces are coming; null: none that replaces
  #askedAt = -Infinity;
  #isStep = false; // our place is one that we chose ourselves, after that

  /** `now` gives milliseconds; another one is for tests. */
  constructor(listeners = {}, { now = () => performance.now() } = {}) {
    this.#listeners = listeners;
    this.#now = now;
  }

  /** Takes in a packet, blocks of this watcher only. Raises PacketError, and changes nothing, when it is damaged. */
  take(packet) {
    const blocks = readBlocks(packet).map((block) => ({
      ...block,
      records: block.kind === KIND.VIEW ? readView(block) : [],
      me: block.kind === KIND.VIEW ? readMe(block) : undefined,
      said: block.kind === KIND.SAID ? readSaid(block) : null,
    }));
    blocks.forEach((block) => this.#takeBlock(block));
  }

  /**
   * We go to this place: what is told of it from now on counts only if others set it. `extras`: those that go with the
   * step; undefined: they stay. Returns the count of pushes that the step must carry, so that it does not undo one of
   * which we have not heard; undefined before we were told, and no stay has begun. It counts in the stream `me.stream`,
   * which the step must carry, too: in another map the count begins anew.
   */
  stepTo(x, y, z, extras = this.me?.extras) {
    this.me?.moveTo({ x, y, z, extras });
    this.#isStep = this.me !== null;
    return this.me?.pushes;
  }

  /**
   * Our agent says that a stay begins in this stream, at this place, or goes on at it: steps from now on are of that stay,
   * also before its list has come. Without this a step that we make until then is taken back by the list. Ignored when a
   * later stream was told by now.
   */
  begin(stream, x, y, z, extras) {
    if (this.me !== null && isLater(this.me.stream, stream)) {
      return;
    } else if (this.me === null || this.me.stream !== stream) {
      this.me ??= Object.assign(new Entity(), { traits: {} });
      Object.assign(this.me, { stream, pushes: 0 });
    }
    this.stepTo(x, y, z, extras);
  }

  /** The scene has refused our last step: our place is what it tells next, by the list after a resync. */
  stepBack() {
    this.#isStep = false;
  }

  #tell(name, ...args) {
    this.#listeners[name]?.(...args);
  }

  #takeBlock(block) {
    if (block.stream === 0 && block.number === 0) {
      if (block.kind === KIND.REFUSED) {
        const { view, at, end } = block.body;
        this.#tell("refused", new Bytes(view, at, end).copy(end - at, ""));
      }
      return;
    }
    const isCurrent = this.#follow(block);
    if (block.kind === KIND.NOTIFIED) { // late ones, too: nothing else says it
      const { bytes, text } = readNotified(block);
      this.#tell("notified", bytes, text);
    }
    if (!isCurrent) {
      return;
    }
    if (block.kind === KIND.VIEW) {
      this.#apply(block);
    } else if (block.kind === KIND.SAID) {
      this.#tell("said", block.said.speaker, block.said.bytes, block.said.text);
    } else if (block.kind === KIND.OVER) {
      this.#isOver = true;
      this.isMissing = this.#isWaiting = false;
      this.#named = null;
      this.#leave([...this.entities.keys()]);
      this.me = this.me !== null && isLater(this.me.stream, this.stream) ? this.me : null; // another stay has begun
      this.#tell("over", block.flags & FLAG.LOST ? "lost" : block.flags & FLAG.EXPELLED ? "expelled" : undefined);
    }
    if (this.isMissing && this.#now() - this.#askedAt >= RESYNC_PAUSE) {
      this.#askedAt = this.#now();
      this.#tell("resync");
    }
  }

  /** Takes note of stream and number; false: the block is of an older stay. */
  #follow({ kind, flags, stream, number }) {
    this.#isOvertaken = false;
    if (!this.#isBegun || isLater(stream, this.stream)) {
      this.#isBegun = true;
      this.#isOver = false;
      this.#named = null;
      this.stream = stream;
      this.isMissing = this.#isWaiting = true; // what is known stays until the list comes that replaces it
    } else if (stream !== this.stream || this.#isOver) {
      return false;
    } else if (number !== ((this.number + 1) >>> 0)) {
      this.isMissing = true;
      this.#named = null;
      this.#isOvertaken = !isLater(number, this.number);
    }
    if (!this.#isOvertaken || kind === KIND.VIEW && flags & FLAG.REPLACES) {
      this.number = number;
    }
    return true;
  }

  #applyMe(told) {
    if (this.me !== null && isLater(this.me.stream, this.stream)) {
      return; // our agent has begun another stay, of which nothing has come
    }
    const isFirst = this.me === null;
    const isSame = !isFirst && this.me.stream === this.stream && this.me.pushes === told.pushes;
    const me = this.me ?? new Entity();
    this.me = me;
    this.#isStep &&= isSame;
    Object.assign(me, { stream: this.stream, pushes: told.pushes });
    me.traits = told.isWhole ? told.traits : { ...me.traits, ...told.traits };
    me.take(told, told.isWhole);
    if (told.x !== undefined && !this.#isStep) {
      if (me.moveTo({ ...told, extras: told.extras ?? (told.isWhole ? [] : me.extras) }) || !isSame) {
        this.#tell("meMoved", me);
      }
    }
    if (told.isWhole || told.data !== undefined || told.properties.size > 0 || Object.keys(told.traits).length > 0) {
      this.#tell("meChanged", me);
    }
  }

  #apply({ flags, records, me }) {
    if (flags & FLAG.REPLACES) {
      this.#named = new Set();
      this.isMissing = this.#isOvertaken; // then it may be out of date
      this.#isWaiting = false;
    }
    if (this.#isWaiting) {
      return;
    }
    if (me) {
      this.#applyMe(me);
    }
    for (const record of records) {
      this.#applyRecord(record);
    }
    if (this.#named && !(flags & FLAG.MORE)) {
      const named = this.#named;
      this.#named = null;
      this.#leave([...this.entities.keys()].filter((id) => !named.has(id)));
    }
  }

  #applyRecord(record) {
    const { kind, id } = record;
    const known = this.entities.get(id);
    if (kind === "left") {
      this.#leave([id]);
    } else if (kind === "entered") {
      this.#named?.add(id);
      const entity = known ?? new Entity();
      const isMoved = entity.moveTo(record);
      entity.take(record, true);
      this.entities.set(id, entity);
      if (known) { // told anew: by a resync
        if (isMoved) {
          this.#tell("moved", id, entity);
        }
        this.#tell("changed", id, entity, { data: entity.data, properties: entity.properties });
      } else {
        this.#tell("entered", id, entity);
      }
    } else if (known && kind === "moved") {
      known.moveTo(record);
      this.#tell("moved", id, known);
    } else if (known && kind === "changed") {
      known.take(record, false);
      this.#tell("changed", id, known, { data: record.data, properties: record.properties });
    }
  }

  #leave(ids) {
    for (const id of ids) {
      const entity = this.entities.get(id);
      if (entity) {
        this.entities.delete(id);
        this.#tell("left", id, entity);
      }
    }
  }
}
