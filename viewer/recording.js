/*
 * recording.js - a recording, as a file or as it comes over a connection: cut into its pieces, unpacked.
 * The format is described in lua/aoi/recording.lua.
 */

const BEGINNING = [...new TextEncoder().encode("AOIFILE"), 1];
const HEAD_SIZE = 48;
const CHECKED_FROM = 8; // the head's checksum is of all from here on

export const KEYFRAME = 1;
export const RECORD = 2;
const INDEX = 3;
const NOTES = 4; // somebody else's, passed over

// A file is read in parts. The payloads of one that is larger than this stay in the file until they are asked for.
const PART = 4 * 2 ** 20;
const MOST_KEPT = 256 * 2 ** 20;

const CUT_OFF = "the last piece is cut off";

const AS_IT_IS = 0;
const ZLIB = 1;

// Of a head's 40 bytes, whose sums stay small.
function adler32(bytes) {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low += byte;
    high += low;
  }
  return (high % 65521) * 65536 + low;
}

/** Bytes that came in parts, of which the front is taken. */
class Queue {
  #parts = [];
  size = 0;

  push(bytes) {
    if (bytes.length > 0) {
      this.#parts.push(bytes);
      this.size += bytes.length;
    }
  }

  /** The first `size` bytes, which stay. Parts are joined only when what is asked for spans several. */
  peek(size) {
    if (this.#parts.length > 1 && this.#parts[0].length < size) {
      const joined = new Uint8Array(this.size);
      let at = 0;
      for (const part of this.#parts) {
        joined.set(part, at);
        at += part.length;
      }
      this.#parts = [joined];
    }
    return this.#parts[0]?.subarray(0, size) ?? new Uint8Array();
  }

  take(size) {
    const bytes = this.peek(size);
    this.drop(size);
    return bytes;
  }

  /** Drops the first `size` bytes, or all when there are fewer. */
  drop(size) {
    for (let left = size; left > 0 && this.#parts.length > 0;) {
      const part = this.#parts[0];
      const dropped = Math.min(left, part.length);
      this.#parts[0] = part.subarray(dropped);
      this.size -= dropped;
      left -= dropped;
      if (dropped === part.length) {
        this.#parts.shift();
      }
    }
  }
}

/* A fault that keeps a piece from being used, as a sentence about it. */
export class Damage extends Error {}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The part of a file that was read last, as payloads are mostly asked for one after the other. */
class Window {
  #file;
  #part;
  #at = 0;
  #bytes = new Uint8Array();

  constructor(file, part) {
    this.#file = file;
    this.#part = part;
  }

  async read(from, size) {
    if (from < this.#at || from + size > this.#at + this.#bytes.length) {
      const bytes = new Uint8Array(await this.#file.slice(from, from + Math.max(size, this.#part)).arrayBuffer());
      [this.#at, this.#bytes] = [from, bytes];
      return bytes.subarray(0, size);
    }
    return this.#bytes.subarray(from - this.#at, from - this.#at + size);
  }
}

/** The pieces of a recording, as far as they have come. */
export class Recording {
  #rest = new Queue();
  #part;
  #mostKept;
  #fileSize = null; // of a file whose payloads stay in it
  #window = null; // onto that file
  #fault = null; // why nothing more is read
  #ended = false; // there was an index
  #began = false;

  /*
   * The pieces that have come whole, in order: { kind (KEYFRAME or RECORD), from, to (moments: { calls, ticks
   * }), offset (bytes before its head), size (of the payload as it is stored) ... }.
   */
  pieces = [];
  /** Bytes from the start that are whole pieces. */
  whole = 0;
  /** "ticks" for deferred spaces, else "calls"; known when a Player has been opened. */
  unit = undefined;

  /** part, mostKept: bytes that are read of a file at once; up to what size its payloads are kept in memory. */
  constructor({ part = PART, mostKept = MOST_KEPT } = {}) {
    this.#part = part;
    this.#mostKept = mostKept;
  }

  /** Takes in what comes next, cut anywhere. The bytes are kept, not copied. */
  add(bytes) {
    if (this.#isOver) {
      return;
    }
    this.#rest.push(bytes);
    while (this.#takePiece());
  }

  /**
   * Takes in a file of any size, part after part; behind each it calls told(bytes read). An AbortSignal ends it.
   * @param {Blob} file stays in use when it is large: payloads are then read when they are asked for
   */
  async read(file, told = () => {}, signal = undefined) {
    if (file.size > this.#mostKept) {
      this.#fileSize = file.size;
      this.#window = new Window(file, this.#part);
    }
    // Behind the rest there is the next part, or the next head where a payload was passed over.
    const next = () => this.whole + this.#rest.size;
    for (let at = 0; at < file.size && !this.#isOver && !signal?.aborted; at = next()) {
      this.add(new Uint8Array(await file.slice(at, at + this.#part).arrayBuffer()));
      told(next());
    }
  }

  get #isOver() {
    return this.#fault !== null || this.#ended;
  }

  /** The first and the last moment; undefined while nothing has come. */
  get from() {
    return this.pieces[0]?.from;
  }

  get to() {
    return this.pieces.at(-1)?.to;
  }

  /**
   * null, or { message, whole }: why what comes behind the first `whole` bytes can't be read. While a recording is
   * coming, the last piece may only be on its way.
   */
  get problem() {
    const fault = this.#fault ?? (this.#rest.size > 0 ? CUT_OFF : null);
    const size = this.#fileSize ?? this.whole + this.#rest.size;
    return fault === null ? null : {
      message: `${fault}; ${this.whole} of ${size} bytes are whole`,
      whole: this.whole,
    };
  }

  /**
   * The payload of a piece, unpacked.
   * @returns {Promise<Uint8Array>} rejected with Damage when it can't be unpacked
   */
  async payload(piece) {
    const bytes = piece.bytes ?? await this.#payloadInFile(piece);
    if (piece.packing === AS_IT_IS) {
      return bytes;
    }
    try {
      return await inflate(bytes);
    } catch (error) {
      throw new Damage(`is packed by zlib, and damaged`, { cause: error });
    }
  }

  async #payloadInFile({ offset, size }) {
    let bytes;
    try {
      bytes = await this.#window.read(offset + HEAD_SIZE, size);
    } catch (error) {
      throw new Damage("the file has changed since it was opened, or is gone", { cause: error });
    }
    if (bytes.length < size) {
      throw new Damage("the file is shorter than when it was opened");
    }
    return bytes;
  }

  // Takes one more piece out of the rest; false when none is whole.
  #takePiece() {
    if (!this.#began) {
      return this.#takeBeginning();
    }
    if (this.#rest.size < HEAD_SIZE) {
      return false;
    }
    const head = this.#rest.peek(HEAD_SIZE);
    const piece = this.#readHead(head);
    if (piece === null || !this.#isWhole(piece)) {
      return false;
    }
    this.#rest.drop(HEAD_SIZE);
    if (this.#window === null) {
      piece.bytes = this.#rest.take(piece.size);
    } else {
      this.#rest.drop(piece.size);
    }
    this.whole += HEAD_SIZE + piece.size;
    if (piece.kind === INDEX) { // says nothing that the pieces before it did not
      this.#rest = new Queue();
      this.#ended = true;
    } else if (piece.kind !== NOTES) {
      this.pieces.push(piece);
    }
    return true;
  }

  // Of a large file a piece need not have been read to its end, only to be there.
  #isWhole({ size }) {
    if (this.#fileSize === null) {
      return this.#rest.size >= HEAD_SIZE + size;
    }
    if (this.whole + HEAD_SIZE + size > this.#fileSize) {
      this.#fault = CUT_OFF;
    }
    return this.#fault === null;
  }

  #takeBeginning() {
    const beginning = this.#rest.peek(Math.min(BEGINNING.length, this.#rest.size));
    const differs = beginning.findIndex((byte, i) => byte !== BEGINNING[i]);
    if (differs === BEGINNING.length - 1) {
      this.#fault = `this is a recording of version ${beginning[differs]}, expected version ${BEGINNING.at(-1)}`;
    } else if (differs >= 0) {
      this.#fault = "this is no recording";
    }
    this.#began = differs < 0 && beginning.length === BEGINNING.length;
    if (this.#began) {
      this.whole = this.#rest.take(BEGINNING.length).length;
    }
    return this.#began;
  }

  // The head of the next piece; null, with a fault, when there can't be such a one.
  #readHead(head) {
    const view = new DataView(head.buffer, head.byteOffset, HEAD_SIZE);
    const number = (at) => Number(view.getBigUint64(at, true));
    const piece = {
      kind: view.getUint8(0),
      packing: view.getUint8(1),
      size: number(8),
      from: { calls: number(16), ticks: number(24) },
      to: { calls: number(32), ticks: number(40) },
      offset: this.whole,
    };
    const fault = this.#faultOf(piece, view, head);
    if (fault !== null) {
      this.#fault = `the piece at byte ${piece.offset} ${fault}`;
      return null;
    }
    return piece;
  }

  #faultOf(piece, view, head) {
    const { kind, packing, from, to } = piece;
    const last = this.pieces.at(-1);
    if (adler32(head.subarray(CHECKED_FROM)) !== view.getUint32(4, true) || view.getUint16(2, true) !== 0) {
      return "has a damaged head";
    } else if (![piece.size, from.calls, from.ticks, to.calls, to.ticks].every(Number.isSafeInteger)) {
      return "has a number that is too large";
    } else if (kind < KEYFRAME || kind > NOTES || packing > ZLIB) {
      return `is of kind ${kind}, packing ${packing}, which this version does not know`;
    } else if (to.calls < from.calls || to.ticks < from.ticks || kind === RECORD && to.calls === from.calls
      || (kind === KEYFRAME || kind === NOTES) && to.calls > from.calls) {
      return "has moments that can't be";
    } else if (kind === INDEX) {
      return null;
    } else if (last === undefined) {
      return kind === KEYFRAME ? null : "is the first, and no keyframe";
    } else if (from.calls < last.to.calls || from.ticks < last.to.ticks) {
      return "goes back in time";
    } else if (kind === RECORD && from.calls > last.to.calls) {
      return "is a record behind a gap";
    }
    return null;
  }
}
