// A recording as it comes: cut anywhere, in parts of any size, with heads that are damaged or can't be.
import assert from "node:assert/strict";
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { KEYFRAME, RECORD, Recording } from "../../viewer/recording.js";
import { bytesOf, joined, makeScene, randomNumbers, recordingOf } from "./support.mjs";

const { bytes } = makeScene("quadtree");
const whole = recordingOf(bytes);

// Makes a head's checksum right again.
function seal(head) {
  let low = 1;
  let high = 0;
  for (let at = 8; at < 48; at++) {
    low = (low + head.getUint8(at)) % 65521;
    high = (high + low) % 65521;
  }
  head.setUint32(4, high * 65536 + low, true);
}

// The recording with one piece changed.
function changed(index, change) {
  const copy = bytes.slice();
  const { offset } = whole.pieces[index];
  const head = new DataView(copy.buffer, offset, 48);
  change(head);
  seal(head);
  return recordingOf(copy);
}

describe("a whole recording", () => {
  it("has all its pieces, with their moments, and no problem", async () => {
    assert.equal(whole.problem, null);
    assert.equal(whole.whole, bytes.length - 16); // behind the index is only where it is
    assert.equal(whole.pieces[0].kind, KEYFRAME);
    assert.equal(whole.pieces.filter(({ kind }) => kind === RECORD).length, 15);
    assert.deepEqual(whole.from, whole.pieces[0].from);
    assert.deepEqual(whole.to, { calls: whole.from.calls + 100, ticks: 0 });
    for (const piece of whole.pieces) {
      assert.deepEqual(await whole.payload(piece), bytesOf(bytes, piece).subarray(48));
    }
  });

  it("may come in parts of any size", () => {
    const random = randomNumbers(5);
    for (let most = 1; most < 5000; most *= 3) {
      const recording = new Recording();
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(most);
        recording.add(bytes.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(recording, whole);
    }
  });

  it("passes over what somebody else noted in it", () => {
    const { offset, size } = whole.pieces[2];
    const notes = bytes.slice(offset, offset + 48 + size);
    const head = new DataView(notes.buffer);
    head.setUint8(0, 4);
    head.setBigUint64(32, head.getBigUint64(16, true), true); // one moment
    head.setBigUint64(40, head.getBigUint64(24, true), true);
    seal(head);
    const recording = recordingOf(new Uint8Array([...bytes.subarray(0, offset), ...notes, ...bytes.subarray(offset)]));
    assert.equal(recording.problem, null);
    assert.equal(recording.pieces.length, whole.pieces.length);
    assert.deepEqual(recording.to, whole.to);
  });

  it("takes nothing in behind its index", () => {
    const recording = recordingOf(bytes);
    recording.add(new Uint8Array(100));
    assert.equal(recording.problem, null);
    assert.equal(recording.pieces.length, whole.pieces.length);
  });
});

describe("a recording in a file", () => {
  const read = async (source, options) => {
    const recording = new Recording(options);
    const told = [];
    await recording.read(new Blob([source]), (size) => told.push(size));
    return { recording, told };
  };
  const withoutBytes = (pieces) => pieces.map(({ bytes: _, ...piece }) => piece);

  it("is the same in parts of any size, whether its payloads are kept or stay in the file", async () => {
    for (const part of [48, 49, 1000, 30000, 2 ** 22]) {
      for (const mostKept of [0, bytes.length]) {
        const { recording, told } = await read(bytes, { part, mostKept });
        assert.equal(recording.problem, null);
        assert.equal(recording.whole, whole.whole);
        assert.deepEqual(withoutBytes(recording.pieces), withoutBytes(whole.pieces));
        assert.equal(recording.pieces.every((piece) => "bytes" in piece), mostKept > 0);
        for (const piece of [...recording.pieces, ...recording.pieces.slice().reverse()]) {
          assert.deepEqual(await recording.payload(piece), bytesOf(bytes, piece).subarray(48));
        }
        assert.ok(told.every((size, i) => size > (told[i - 1] ?? 0)), `${told}`);
        assert.ok(part >= 30000 || told.length > 10);
      }
    }
  });

  it("is said to be cut off, or damaged, as one that came at once", async () => {
    for (const size of [3, 8, 30, 5000, whole.pieces.at(-1).offset + 20, whole.pieces.at(-1).offset + 60]) {
      const { recording } = await read(bytes.subarray(0, size), { part: 1000, mostKept: 0 });
      const expected = recordingOf(bytes.subarray(0, size));
      assert.deepEqual(recording.problem, expected.problem);
      assert.deepEqual(withoutBytes(recording.pieces), withoutBytes(expected.pieces));
    }
    const copy = bytes.slice();
    copy[whole.pieces[3].offset + 20] ^= 1;
    const { recording } = await read(copy, { part: 1000, mostKept: 0 });
    assert.deepEqual(recording.problem, recordingOf(copy).problem);
  });

  it("is read no further when it is no longer wanted", async () => {
    const recording = new Recording({ part: 1000 });
    const wanted = new AbortController();
    await recording.read(new Blob([bytes]), (size) => size > 3000 && wanted.abort(), wanted.signal);
    assert.ok(recording.whole < 5000 && recording.pieces.length < whole.pieces.length);
  });

  it("that has changed in the meantime has damage", async () => {
    const recording = new Recording({ part: 1000, mostKept: 0 });
    const source = new Blob([bytes]);
    let hasChanged = false;
    await recording.read({
      size: source.size,
      slice: (...range) => (hasChanged ? new Blob([bytes.subarray(0, 99)]) : source).slice(...range),
    });
    hasChanged = true;
    await assert.rejects(recording.payload(recording.pieces.at(-1)), /shorter than when it was opened/);
  });

  it("may be larger than what is read in one piece: what is passed over is not read", async () => {
    const HOLE = 3 * 2 ** 30;
    const { offset } = whole.pieces[2];
    const notes = bytes.slice(offset, offset + 48);
    const head = new DataView(notes.buffer);
    head.setUint8(0, 4);
    head.setBigUint64(8, BigInt(HOLE), true);
    head.setBigUint64(32, head.getBigUint64(16, true), true); // one moment
    head.setBigUint64(40, head.getBigUint64(24, true), true);
    seal(head);
    const file = path.join(tmpdir(), `lua-aoi-hole-${process.pid}.aoi`);
    const handle = openSync(file, "w+");
    writeSync(handle, bytes, 0, offset, 0);
    writeSync(handle, notes, 0, 48, offset);
    writeSync(handle, bytes, offset, bytes.length - offset, offset + 48 + HOLE); // before it nothing is on the disk
    const source = { // as a File of a browser
      size: bytes.length + 48 + HOLE,
      slice: (begin, end) => ({
        async arrayBuffer() {
          const part = new Uint8Array(end - begin);
          return part.buffer.slice(0, readSync(handle, part, 0, part.length, begin));
        },
      }),
    };
    try {
      const recording = new Recording();
      let told = 0;
      await recording.read(source, () => told++);
      assert.equal(recording.problem, null);
      assert.ok(told < 5, `${told} parts`);
      assert.equal(recording.pieces.length, whole.pieces.length);
      const last = recording.pieces.at(-1);
      assert.ok(last.offset > HOLE);
      assert.deepEqual(await recording.payload(last), bytesOf(bytes, whole.pieces.at(-1)).subarray(48));
    } finally {
      closeSync(handle);
      rmSync(file);
    }
  });
});

describe("a recording that is cut off", () => {
  it("has the pieces before the cut, wherever it is", () => {
    const last = whole.pieces.at(-1);
    const ends = whole.pieces.map((piece) => piece.offset + 48 + piece.size);
    for (let size = 0; size < bytes.length; size += size < last.offset - 100 ? 37 : 1) {
      const recording = recordingOf(bytes.subarray(0, size));
      const pieces = ends.filter((end) => end <= size);
      assert.equal(recording.pieces.length, pieces.length);
      const boundary = pieces.at(-1) ?? (size < 8 ? 0 : 8);
      if (size >= whole.whole || size === boundary) {
        assert.equal(recording.problem, null);
      } else {
        assert.deepEqual(recording.problem, {
          message: `the last piece is cut off; ${boundary} of ${size} bytes are whole`, whole: boundary,
        });
      }
    }
  });
});

describe("a recording that is damaged", () => {
  it("ends before a damaged head", () => {
    for (const [index, piece] of whole.pieces.entries()) {
      for (let at = 2; at < 48; at++) {
        const copy = bytes.slice();
        copy[piece.offset + at] ^= 1 << (at % 8);
        const recording = recordingOf(copy);
        assert.equal(recording.pieces.length, index);
        assert.equal(recording.problem.message, `the piece at byte ${piece.offset} has a damaged head; `
          + `${piece.offset} of ${bytes.length} bytes are whole`);
        const { problem } = recording;
        recording.add(bytes);
        assert.deepEqual(recording.problem, problem);
        assert.equal(recording.pieces.length, index);
      }
    }
  });

  it("says what its heads say that can't be", () => {
    const big = (at, value) => (head) => head.setBigUint64(at, BigInt(value), true);
    const index = whole.pieces.findIndex((piece, i) => piece.kind === RECORD && whole.pieces[i - 1].kind === RECORD);
    const { from } = whole.pieces[index];
    const cases = [
      [(head) => head.setUint8(0, 0), /kind 0, packing 0, which this version does not know/],
      [(head) => head.setUint8(0, 5), /kind 5, packing 0/],
      [(head) => head.setUint8(1, 2), /kind 2, packing 2/],
      [big(8, 2n ** 60n), /too large/],
      [big(40, 2n ** 63n), /too large/],
      [big(16, 2n ** 50n), /moments that can't be/],
      [big(24, 1), /moments that can't be/],
      [big(32, from.calls), /moments that can't be/],
      [big(16, from.calls - 1), /goes back in time/],
      [big(16, from.calls + 1), /a record behind a gap/],
      [(head) => head.setUint8(0, KEYFRAME), /moments that can't be/],
    ];
    for (const [change, message] of cases) {
      const recording = changed(index, change);
      assert.match(recording.problem?.message ?? "none", message);
      assert.equal(recording.pieces.length, index);
    }
  });

  it("must begin as a recording does, with a keyframe", () => {
    const problemOf = (text) => recordingOf(new TextEncoder().encode(text)).problem?.message ?? null;
    assert.equal(problemOf(""), null);
    assert.match(problemOf("A"), /cut off; 0 of 1 bytes/);
    assert.match(problemOf("AOR"), /no recording/);
    assert.match(problemOf("AOIFILE\u0002 and more"), /version 2, expected version 1/);
    assert.equal(problemOf("AOIFILE\u0001"), null);
    assert.match(recordingOf(joined(bytes, whole.pieces.slice(1))).problem.message, /the first, and no keyframe/);
  });

  it("says which payload can't be unpacked", async () => {
    const packed = makeScene("quadtree", "zlib").bytes;
    const { pieces } = recordingOf(packed);
    for (const { offset, size } of pieces) {
      const copy = packed.slice();
      copy[offset + 48 + (size >> 1)] ^= 4;
      const recording = recordingOf(copy);
      const piece = recording.pieces.find((other) => other.offset === offset);
      // What is wrong may also be seen only when it is unpacked: then the payload checks itself.
      const payload = await recording.payload(piece).catch((error) => error);
      assert.match(payload.message ?? "", /packed by zlib, and damaged/);
    }
  });
});
