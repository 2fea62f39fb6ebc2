// The core in WebAssembly: it needs nothing from the host, says what is wrong with what it gets, and its memory may
// grow under the views that JavaScript has of it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newCore, runLua, wasmBytes } from "./support.mjs";

// A space of n entities on a line, 1 apart, and what was recorded while each then went 0.25 along it.
function makeLine(n, radius = 2) {
  const [save, records] = runLua("line.lua", String(n), String(radius)).trim().split(" ");
  return { save: new Uint8Array(Buffer.from(save, "hex")), records: new Uint8Array(Buffer.from(records, "hex")) };
}

describe("the compiled core", () => {
  it("imports nothing", () => {
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasmBytes)), []);
  });
});

describe("a core", () => {
  it("refuses bytes that are no save, and says why", async () => {
    const core = await newCore();
    assert.throws(() => core.load(new Uint8Array()), /string/);
    assert.throws(() => core.load(new TextEncoder().encode("nothing of the kind")), /string/);
    const { save } = makeLine(3);
    save[save.length >> 1] ^= 1;
    assert.throws(() => core.load(save), /damaged/);
  });

  it("has several spaces at once", async () => {
    const core = await newCore();
    const few = core.load(makeLine(3).save);
    const many = core.load(makeLine(9).save);
    assert.equal(few.entities().count, 3);
    assert.equal(many.entities().count, 9);
    few.free();
    assert.equal(many.entities().count, 9);
  });

  it("takes the memory of freed spaces again", async () => {
    const core = await newCore();
    const { save, records } = makeLine(2000);
    let most = 0;
    for (let i = 0; i < 40; i++) {
      const space = core.load(save);
      space.listen(true);
      space.replay(records);
      space.takeEvents();
      space.free();
      most = i === 4 ? core.memory : most;
    }
    assert.equal(core.memory, most);
  });
});

describe("a space", () => {
  it("gives right answers while the memory grows", async () => {
    const core = await newCore();
    const small = core.memory;
    const { save, records } = makeLine(30000);
    const space = core.load(save);
    assert.ok(core.memory > small);
    const loaded = core.memory;
    const first = space.entities();
    assert.equal(first.count, 30000);
    space.listen(true);
    space.replay(records);
    const events = space.takeEvents();
    assert.ok(core.memory > loaded); // the events did not fit
    assert.equal(first.ids.length, 0); // these views have ended, as is said of them
    const { count, ids, x } = space.entities();
    assert.equal(count, 30000);
    for (let i = 0; i < count; i++) {
      assert.equal(x[i], Number(ids[i]) + 0.25);
    }
    const moves = Array.from({ length: events.count }, (_, i) => events.op[i]).filter((op) => op === 4).length;
    assert.equal(moves, 4 * 30000 - 6); // each is seen by two on either side, fewer at the ends
    assert.deepEqual(Array.from(space.markersOf(5n)).sort(), [3n, 4n, 6n, 7n]);
  });

  it("stops at a moment, and goes on from there", async () => {
    const core = await newCore();
    const { save, records } = makeLine(10);
    const space = core.load(save);
    const { calls } = space.moment;
    space.replay(records, { calls: calls + 4 });
    assert.equal(space.moment.calls, calls + 4);
    assert.equal(space.position(4n).x, 4.25);
    assert.equal(space.position(5n).x, 5);
    space.replay(records);
    assert.equal(space.moment.calls, calls + 10);
    assert.equal(space.position(5n).x, 5.25);
  });

  it("keeps no events that nobody listens for, and none for longer than that", async () => {
    const core = await newCore();
    const { save, records } = makeLine(10);
    const space = core.load(save);
    space.replay(records, { calls: space.moment.calls + 2 });
    assert.equal(space.takeEvents().count, 0);
    space.listen(true);
    space.replay(records, { calls: space.moment.calls + 1 });
    const { count, watcher, marker, op } = space.takeEvents();
    const texts = Array.from({ length: count }, (_, i) => `${watcher[i]} ${op[i]} ${marker[i]}`).sort();
    assert.deepEqual(texts, ["1 4 3", "2 4 3", "4 4 3", "5 4 3"]);
    assert.equal(space.takeEvents().count, 0);
    space.replay(records, { calls: space.moment.calls + 1 });
    space.listen(true);
    assert.equal(space.takeEvents().count, 0);
  });

  it("changes nothing for damaged records, and says where", async () => {
    const core = await newCore();
    const { save, records } = makeLine(10);
    const space = core.load(save);
    const { moment } = space;
    records[records.length - 3] ^= 16;
    assert.throws(() => space.replay(records), /damaged.*0 bytes/);
    assert.deepEqual(space.moment, moment);
    assert.equal(space.position(1n).x, 1);
  });

  it("knows nothing of ids that are none of its own", async () => {
    const core = await newCore();
    const space = core.load(makeLine(3).save);
    for (const id of [4n, -1n, 2n ** 64n + 1n, 1, "1", undefined]) {
      for (const question of ["position", "traits", "markersOf", "watchersOf", "toldMarkersOf", "toldWatchersOf"]) {
        assert.equal(space[question](id), null, `${question} ${id}`);
      }
      assert.deepEqual(space.explain(1n, id), { reason: "unknown", rank: 0 });
    }
    assert.deepEqual(space.explain(1n, 1n), { reason: "self", rank: 0 });
    assert.deepEqual(space.explain(1n, 2n), { reason: "sees", rank: 0 });
  });

  it("gives lists that stay as they are", async () => {
    const core = await newCore();
    const space = core.load(makeLine(9).save);
    const list = space.markersOf(5n);
    const before = [...list];
    assert.deepEqual([...space.markersOf(1n)].sort(), [2n, 3n]);
    assert.deepEqual([...list], before);
  });

  it("counts all entities in its cells", async () => {
    const core = await newCore();
    const space = core.load(makeLine(1000).save);
    const cells = space.cells();
    let count = 0;
    for (let i = 0; i < cells.length; i += 5) {
      count += cells[i + 4];
    }
    assert.ok(cells.length > 5);
    assert.equal(count, 1000);
    assert.ok(space.memory > 1000 * 8);
  });

  it("is of no use when it is freed", async () => {
    const core = await newCore();
    const space = core.load(makeLine(3).save);
    space.free();
    space.free();
    assert.throws(() => space.entities(), /freed/);
    assert.throws(() => space.markersOf(1n), /freed/);
    assert.throws(() => space.replay(new Uint8Array()), /freed/);
  });
});
