// What View of the reader in JavaScript calls, and when.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FLAG, KIND, PacketError, View } from "../../clients/javascript/aoi_packet.js";

const LEFT = 1;
const ENTERED = 2;
const ENTERED_WITH = 3;
const MOVED = 4;
const CHANGED = 5;
const ME = 6;

const bytesOf = (size, write) => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
};
const u16 = (value) => bytesOf(2, (bytes) => bytes.writeUInt16LE(value));
const u32 = (value) => bytesOf(4, (bytes) => bytes.writeUInt32LE(value));
const i32 = (value) => bytesOf(4, (bytes) => bytes.writeInt32LE(value));
const i64 = (value) => bytesOf(8, (bytes) => bytes.writeBigInt64LE(value));
const double = (value) => bytesOf(8, (bytes) => bytes.writeDoubleLE(value));
const float = (value) => bytesOf(4, (bytes) => bytes.writeFloatLE(value));
const join = (...parts) => Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : part)));

const section = (kind, ...records) => join(kind, u16(join(...records).length), ...records);
const place = (id, x, y) => join(i32(id), float(x), float(y));
const details = (...entries) => join(u16(join(...entries).length), ...entries);
const data = (text) => join(0, u16(text.length), Buffer.from(text));
const integer = (key, value) => join(1, key, i32(value));
const text = (key, value) => join(4, key, u16(value.length), Buffer.from(value));
const removed = (key) => join(5, key);

/** A watcher that is sent blocks one by one; what its listeners are called with. */
class Stay {
  number = 0;
  time = 0;
  calls = [];

  constructor(stream = 1) {
    this.stream = stream;
    const note = (name) => (...args) => this.calls.push([name, ...args]);
    const textOf = (bytes) => bytes && Buffer.from(bytes).toString();
    this.view = new View({
      entered: (id, { x, y, data: its, properties }) => note("entered")(id, x, y, textOf(its), [...properties]),
      moved: (id, { x, y }) => note("moved")(id, x, y),
      changed: (id, entity, { data: its, properties }) => note("changed")(id, textOf(its), [...properties]),
      left: (id) => note("left")(id),
      said: (id, bytes, words) => note("said")(id, textOf(bytes), words),
      meMoved: ({ pushes, x, y }) => note("meMoved")(pushes, x, y),
      meChanged: ({ properties, traits }) => note("meChanged")([...properties], traits),
      notified: (bytes, words) => note("notified")(textOf(bytes), words),
      refused: (bytes) => note("refused")(textOf(bytes)),
      resync: note("resync"),
      over: note("over"),
    }, { now: () => this.time });
  }

  block(kind, flags, body = Buffer.alloc(0), number = ++this.number) {
    return join(kind, flags, u16(body.length), flags & FLAG.LONG_IDS ? i64(7n) : i32(7), u32(this.stream), u32(number),
      body);
  }

  /** What is called while a packet of these blocks is read. */
  take(...blocks) {
    this.calls = [];
    this.view.take(join(...blocks));
    return this.calls;
  }
}

function begun() {
  const stay = new Stay();
  const calls = stay.take(stay.block(KIND.VIEW, FLAG.REPLACES, join(section(ENTERED, place(1, 10, 20)),
    section(ENTERED_WITH, place(2, 30, 5.5), details(data("orc"), integer(1, 100), text(2, "angry"))))));
  assert.deepEqual(calls, [["entered", 1, 10, 20, undefined, []],
    ["entered", 2, 30, 5.5, "orc", [[1, 100], [2, "angry"]]]]);
  return stay;
}

describe("a View", () => {
  it("tells what moves, changes and leaves", () => {
    const stay = begun();
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, 0, join(section(LEFT, i32(1)), section(MOVED, place(2, 31, 5.5)),
      section(CHANGED, i32(2), details(data(""), removed(1), text(2, "calm")))))),
    [["left", 1], ["moved", 2, 31, 5.5], ["changed", 2, "", [[1, undefined], [2, "calm"]]]]);
    const entity = stay.view.entities.get(2);
    assert.equal(entity.data, undefined);
    assert.deepEqual([...entity.properties], [[2, "calm"]]);
  });

  it("passes over what it does not know", () => {
    const stay = begun();
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, 0, join(section(LEFT, i32(9)), section(MOVED, place(9, 1, 1)),
      section(CHANGED, i32(9), details(integer(1, 1)))))), []);
  });

  it("tells a list that replaces as what has changed", () => {
    const stay = begun();
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, FLAG.REPLACES, join(section(ENTERED, place(3, 1, 2)),
      section(ENTERED_WITH, place(2, 30, 5.5), details(integer(1, 99)))))),
    [["entered", 3, 1, 2, undefined, []], ["changed", 2, undefined, [[1, 99]]], ["left", 1]]);
  });

  it("asks for a resync at most once a second, until a list comes", () => {
    const stay = begun();
    stay.number += 3;
    const empty = () => stay.block(KIND.VIEW, 0);
    assert.deepEqual(stay.take(empty(), empty()), [["resync"]]);
    stay.time = 999;
    assert.deepEqual(stay.take(empty()), []);
    stay.time = 1000;
    assert.deepEqual(stay.take(empty()), [["resync"]]);
    assert.equal(stay.view.isMissing, true);
    stay.time = 5000;
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, FLAG.REPLACES)), [["left", 1], ["left", 2]]);
    assert.deepEqual(stay.take(empty()), []);
  });

  it("tells what is said and refused, and the end", () => {
    const stay = begun();
    assert.deepEqual(stay.take(stay.block(KIND.SAID, FLAG.TEXT, join(i32(2), Buffer.from("hi"))),
      stay.block(KIND.SAID, 0, join(i32(2), Buffer.from("packed")))),
    [["said", 2, "hi", "hi"], ["said", 2, "packed", undefined]]);
    assert.deepEqual(stay.take(stay.block(KIND.NOTIFIED, FLAG.TEXT, Buffer.from("you")),
      stay.block(KIND.NOTIFIED, 0, Buffer.from("packed"))), [["notified", "you", "you"], ["notified", "packed", undefined]]);
    const refusal = join(KIND.REFUSED, 0, u16(3), i32(0), u32(0), u32(0), Buffer.from("why"));
    assert.deepEqual(stay.take(refusal), [["refused", "why"]]);
    assert.deepEqual(stay.take(stay.block(KIND.OVER, 0)), [["left", 1], ["left", 2], ["over", undefined]]);
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, FLAG.REPLACES, section(ENTERED, place(1, 1, 1)))), []);
  });

  it("keeps all characters of a text, also a byte order mark in front", () => {
    const stay = begun();
    const marked = "\uFEFFhi";
    assert.deepEqual(stay.take(stay.block(KIND.SAID, FLAG.TEXT, join(i32(2), Buffer.from(marked))))[0][2], marked);
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, 0, section(CHANGED, i32(2),
      details(join(4, 2, u16(Buffer.byteLength(marked)), Buffer.from(marked)))))), [["changed", 2, undefined, [[2, marked]]]]);
  });

  it("tells why a stay in a world has ended", () => {
    for (const [flag, reason] of [[FLAG.LOST, "lost"], [FLAG.EXPELLED, "expelled"]]) {
      const stay = begun();
      assert.deepEqual(stay.take(stay.block(KIND.OVER, flag)), [["left", 1], ["left", 2], ["over", reason]]);
    }
  });

  it("tells what others have done to the watcher itself, and keeps its own steps that are later", () => {
    const stay = new Stay();
    const where = (...numbers) => join(1, u16(16), ...numbers.map(double));
    const own = (pushes, flags, ...fields) => section(ME, u32(pushes), flags, ...fields);
    const traits = (radius) => join(4, u16(6), integer(1, radius));
    assert.equal(stay.view.stepTo(0, 0), undefined);
    const whole = (pushes, x) => stay.block(KIND.VIEW, FLAG.REPLACES, own(pushes, 1, where(x, 0),
      join(3, u16(6), integer(1, 100)), traits(50), join(99, u16(2), u16(7))));
    assert.deepEqual(stay.take(whole(0, 5)), [["meMoved", 0, 5, 0], ["meChanged", [[1, 100]], { radius: 50 }]]);
    assert.equal(stay.view.stepTo(6, 0), 0);
    // What was on its way when we stepped is older, but for a push.
    assert.deepEqual(stay.take(whole(0, 5)), [["meChanged", [[1, 100]], { radius: 50 }]]);
    assert.equal(stay.view.me.x, 6);
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, 0, own(1, 0, where(90, 1)))), [["meMoved", 1, 90, 1]]);
    assert.equal(stay.view.stepTo(91, 1), 1);
    assert.deepEqual(stay.take(stay.block(KIND.VIEW, 0, own(1, 0, join(3, u16(2), removed(1)), traits(20)))),
      [["meChanged", [], { radius: 20 }]]);
    assert.deepEqual([stay.view.me.x, stay.view.me.y], [91, 1]);
    stay.take(stay.block(KIND.OVER, 0));
    assert.equal(stay.view.me, null);
    // Another stay counts anew.
    stay.stream = 2;
    stay.number = 0;
    assert.deepEqual(stay.take(whole(1, 7)).at(0), ["meMoved", 1, 7, 0]);
  });

  it("keeps the extras of the watcher itself when it steps, unless the step has others", () => {
    const stay = new Stay();
    const where = (x, y) => join(1, u16(16), double(x), double(y));
    const extras = (value) => join(2, u16(4), float(value));
    const told = (pushes, isWhole, ...fields) =>
      stay.block(KIND.VIEW, isWhole ? FLAG.REPLACES : 0, section(ME, u32(pushes), isWhole ? 1 : 0, ...fields));
    const me = () => [stay.view.me.x, stay.view.me.y, stay.view.me.extras];
    stay.take(told(0, true, where(0, 0), extras(0.5)));
    stay.view.stepTo(3, 4);
    assert.deepEqual(me(), [3, 4, [0.5]]);
    stay.view.stepTo(5, 4, undefined, [0.25]);
    stay.take(told(0, true, where(0, 0), extras(0.5)));
    assert.deepEqual(me(), [5, 4, [0.25]]);
    stay.take(told(1, false, where(9, 9)));
    assert.deepEqual(me(), [9, 9, [0.25]]);
    // A scene without extras.
    stay.stream = 2;
    stay.number = 0;
    stay.take(told(0, true, where(1, 1)));
    assert.deepEqual(me(), [1, 1, []]);
  });

  it("keeps steps of a stay that its agent has begun, before the list of it comes", () => {
    const stay = new Stay();
    const list = (x, pushes = 0) => stay.block(KIND.VIEW, FLAG.REPLACES, section(ME, u32(pushes), 1,
      join(1, u16(16), double(x), double(0))));
    const { view } = stay;
    view.begin(1, 5, 0);
    assert.equal(view.stepTo(6, 0), 0);
    assert.deepEqual(stay.take(list(5)), [["meChanged", [], {}]]);
    assert.deepEqual([view.me.x, view.me.stream], [6, 1]);
    stay.take(list(9, 2));
    assert.deepEqual([view.me.x, view.stepTo(10, 0)], [9, 2]);
    // Through a door: pushes count anew, and the end of the former stay is none of the next.
    view.begin(2, 50, 0);
    assert.deepEqual([view.stepTo(51, 0), view.me.stream], [0, 2]);
    stay.take(stay.block(KIND.OVER, 0));
    Object.assign(stay, { stream: 2, number: 0 });
    stay.take(list(50));
    assert.equal(view.me.x, 51);
    // A push in the former stay comes behind the begin of the next.
    view.begin(3, 70, 0);
    view.stepTo(71, 0);
    stay.take(stay.block(KIND.VIEW, 0, section(ME, u32(1), 0, join(1, u16(16), double(7), double(0)))));
    assert.deepEqual([view.me.x, view.stepTo(72, 0)], [71, 0]);
    Object.assign(stay, { stream: 3, number: 0 });
    stay.take(list(70));
    assert.equal(view.me.x, 72);
    Object.assign(stay, { stream: 4, number: 0 });
    view.begin(4, 50, 0);
    view.stepTo(51, 0);
    stay.take(list(50));
    // Words that are late, and a correction.
    view.begin(1, 70, 0);
    assert.equal(view.me.x, 51);
    view.begin(4, 52, 0);
    stay.take(list(51));
    assert.equal(view.me.x, 52);
    // A push that came with the list before we knew of the stay.
    Object.assign(stay, { stream: 5, number: 0 });
    view.begin(5, 60, 0);
    view.stepTo(61, 0);
    assert.deepEqual(stay.take(list(80, 1)).at(0), ["meMoved", 1, 80, 0]);
    assert.equal(view.me.x, 80);
  });

  it("takes its place from the list that comes after a refused step, unless it has stepped again", () => {
    const stay = new Stay();
    const list = (x) => stay.block(KIND.VIEW, FLAG.REPLACES, section(ME, u32(0), 1,
      join(1, u16(16), double(x), double(0)), join(2, u16(4), float(x))));
    const me = () => [stay.view.me.x, stay.view.me.extras];
    stay.view.stepBack();
    stay.take(list(1));
    stay.view.stepTo(-50, 0, undefined, [2]);
    stay.view.stepBack();
    assert.deepEqual(stay.take(list(1)), [["meMoved", 0, 1, 0], ["meChanged", [], {}]]);
    assert.deepEqual(me(), [1, [1]]);
    stay.view.stepTo(-50, 0);
    stay.view.stepBack();
    stay.view.stepTo(2, 0);
    stay.take(list(1));
    assert.deepEqual(me(), [2, [1]]);
  });

  it("has ids beyond 2^53 as BigInt", () => {
    const stay = new Stay();
    const id = (value) => join(i64(value), float(0), float(0));
    stay.take(stay.block(KIND.VIEW, FLAG.REPLACES | FLAG.LONG_IDS,
      section(ENTERED, id(5n), id(2n ** 53n), id(-(2n ** 62n)))));
    assert.deepEqual([...stay.view.entities.keys()], [5, 2n ** 53n, -(2n ** 62n)]);
  });

  it("applies nothing of a damaged packet", () => {
    const stay = begun();
    const good = stay.block(KIND.VIEW, 0, section(LEFT, i32(1)));
    const bad = stay.block(KIND.VIEW, 0, join(LEFT, u16(3), u16(0), 0));
    assert.throws(() => stay.take(good, bad), (error) => error instanceof PacketError && error.at === 42);
    assert.deepEqual([...stay.view.entities.keys()], [1, 2]);
    assert.deepEqual(stay.calls, []);
  });
});
