// The same recording in Lua and in the viewer's core: what is to be seen at 20 moments, found by looking at each
// pair of entities, is what the player shows, whichever way it comes there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Player } from "../../viewer/player.js";
import { makeScene, newCore, randomNumbers, recordingOf } from "./support.mjs";

const OPS = { 1: "enter", 2: "leave", 4: "move" };
const IN_SIGHT = new Set(["sees", "told", "limit", "waits"]);

function sorted(list) {
  return list === null ? null : Array.from(list, String).sort();
}

function entitiesOf(space) {
  const all = space.entities();
  return Array.from({ length: all.count }, (_, i) =>
    [String(all.ids[i]), all.x[i], all.y[i], all.z[i], all.radius[i], all.mode[i], all.layers[i], all.seesLayers[i]]);
}

const byId = (a, b) => (a[0] < b[0] ? -1 : 1);

function textsOf({ count, watcher, marker, op }) {
  return Array.from({ length: count }, (_, i) => `${watcher[i]} ${OPS[op[i]]} ${marker[i]}`).sort();
}

function checkSights(space, expected) {
  const watchersOf = new Map(Object.keys(expected.sees).map((id) => [id, []]));
  for (const [id, markers] of Object.entries(expected.sees)) {
    assert.deepEqual(sorted(space.markersOf(BigInt(id))), markers, `whom ${id} sees`);
    assert.deepEqual(sorted(space.toldMarkersOf(BigInt(id))), expected.told[id], `of whom ${id} was told`);
    markers.forEach((marker) => watchersOf.get(marker).push(id));
  }
  for (const [id, watchers] of watchersOf) {
    assert.deepEqual(sorted(space.watchersOf(BigInt(id))), watchers.sort(), `who sees ${id}`);
  }
}

function checkReasons(space, expected, random) {
  const ids = Object.keys(expected.sees);
  for (let i = 0; i < 100; i++) {
    const watcher = ids[random(ids.length)];
    const marker = ids[random(ids.length)];
    const { reason } = space.explain(BigInt(watcher), BigInt(marker));
    assert.equal(IN_SIGHT.has(reason), expected.sees[watcher].includes(marker), `${watcher} ${reason} ${marker}`);
    assert.equal(reason === "told", space.options.crowd && expected.told[watcher].includes(marker)
      && expected.sees[watcher].includes(marker));
  }
}

function checkOne(space, expected) {
  const [id, x, y, z, radius, mode, layers, seesLayers] = expected.entities[0];
  const { classic, crowd } = space.options;
  assert.deepEqual(space.position(BigInt(id)), { x, y, z });
  const { limit, importance, visibleRadius, ...traits } = space.traits(BigInt(id));
  assert.deepEqual(traits, { radius: classic ? undefined : radius, mode, layers, seesLayers });
  assert.equal(typeof visibleRadius, classic ? "undefined" : "number");
  assert.deepEqual([typeof limit, typeof importance], Array(2).fill(crowd ? "number" : "undefined"));
}

function checkMoment(player, expected, random) {
  const { space } = player;
  assert.equal(player.position, expected.position);
  assert.equal(space.entities().count, expected.entities.length);
  assert.deepEqual(entitiesOf(space).sort(byId), expected.entities.sort(byId));
  checkSights(space, expected);
  checkReasons(space, expected, random);
  checkOne(space, expected);
  assert.deepEqual(textsOf(player.events), expected.events.sort(), "events");
}

const SCENES = {
  grid: { engine: "grid", dims: 2, deferred: true, crowd: false, classic: false, radius: 40 },
  folded: { engine: "grid", classic: false, radius: 35, map: null },
  crosslist: { engine: "crosslist", dims: 3, slack: 6, shape: "circle", map: null },
  quadtree: { engine: "quadtree", deferred: false, map: { x: 0, y: 0, width: 400, height: 400 } },
  classic: { engine: "grid", classic: true, radius: undefined, limit: Infinity, rates: [] },
  crowd: {
    crowd: true, limit: 8, enterBudget: 4, moveBudget: 6,
    rates: [{ bound: 30, period: 1 }, { bound: 60, period: 2 }, { bound: Infinity, period: 5 }],
  },
};

for (const [name, options] of Object.entries(SCENES)) {
  describe(`the scene ${name}`, () => {
    it("has 20 moments that look the same, one after the other and in any order", async () => {
      const { bytes, moments } = makeScene(name);
      const random = randomNumbers(name.length);
      const player = await Player.open(await newCore(), recordingOf(bytes));
      const made = player.space.options;
      assert.deepEqual(Object.fromEntries(Object.keys(options).map((key) => [key, made[key]])), options);
      assert.equal(player.unit, made.deferred ? "ticks" : "calls");
      assert.equal(moments.length, 20);
      const shuffled = moments.map((moment) => [random(1e9), moment]).sort(byId).map(([, moment]) => moment);
      for (const moment of [...moments, ...moments.toReversed(), ...shuffled]) {
        await player.seek(moment.position);
        checkMoment(player, moment, random);
      }
    });

    it("is the same step by step, forward and back", async () => {
      const { bytes, moments } = makeScene(name);
      const random = randomNumbers(name.length);
      const expected = new Map(moments.map((moment) => [moment.position, moment]));
      const player = await Player.open(await newCore(), recordingOf(bytes));
      const { from, to } = player;
      for (const way of [1, -1]) {
        while (player.position !== (way > 0 ? to : from)) {
          const before = player.position;
          await player.step(way);
          assert.equal(player.position, before + way);
          if (expected.has(player.position)) {
            checkMoment(player, expected.get(player.position), random);
          }
        }
        await player.step(way);
        assert.equal(player.position, way > 0 ? to : from);
      }
    });
  });
}

describe("a packed recording", () => {
  it("looks the same", async () => {
    const plain = makeScene("grid");
    const packed = makeScene("grid", "zlib");
    assert.ok(packed.bytes.length < plain.bytes.length);
    const player = await Player.open(await newCore(), recordingOf(packed.bytes));
    for (const moment of plain.moments) {
      await player.seek(moment.position);
      checkMoment(player, moment, randomNumbers(1));
    }
  });
});
