// Areas as the viewer's core gives them: their shapes, who is in them, and their events, as Lua says.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Scene, lookAtArea } from "../../viewer/scene.js";
import { newCore, runLua } from "./support.mjs";

const OPS = { 8: "area_enter", 16: "area_leave" };
const OWNED = 2n ** 63n - 1n;

describe("areas", () => {
  let space;
  let scene;
  let said;

  before(async () => {
    said = runLua("areas.lua").trimEnd().split("\n");
    space = (await newCore()).load(new Uint8Array(Buffer.from(said[0], "hex")));
    scene = new Scene();
    scene.take(space, { areas: true });
  });

  const described = (id) => scene.areas.describe(scene.areas.indexOf(id));
  const members = () => Array.from(space.areas().ids, (area) =>
    `${area}:${Array.from(space.membersOf(area)).sort((a, b) => (a < b ? -1 : 1))}`).sort().join(" ");

  it("have the shapes, places and owners that they were given", () => {
    assert.equal(scene.areas.count, 4);
    const all = { leaveRadius: 10, owner: null, corners: 0, seesLayers: 0xffffffff };
    const { width, height, ...circle } = described(1n);
    assert.deepEqual(circle, { ...all, shape: 1, x: 20, y: 20, radius: 10 });
    const owned = described(OWNED);
    assert.deepEqual([owned.shape, owned.x, owned.y, owned.radius, owned.leaveRadius, owned.owner, owned.seesLayers],
      [2, 50, 50, 10, 20, 5n, 3]);
    const rect = described(-3n);
    assert.deepEqual([rect.shape, rect.x, rect.y, rect.width, rect.height], [3, 65, 70, 30, 20]);
    assert.deepEqual([described(4n).shape, described(4n).corners], [4, 8]);
    assert.equal(scene.areas.indexOf(77n), -1);
  });

  it("lie around a place, the smallest first, and not in their holes", () => {
    for (const [x, y, id] of [[20, 28, 1n], [20, 31, null], [55, 55, OWNED], [76, 76, 4n], [60, 78, -3n],
      [90, 90, null], [94, 94, 4n], [28, 28, null]]) {
      assert.equal(scene.areas.at(x, y), id, `${x}, ${y}`);
    }
  });

  it("have members, and their members have areas", () => {
    assert.equal(members(), said[1]);
    assert.deepEqual(Array.from(space.areasOf(2n)), [1n]);
    assert.deepEqual(Array.from(space.areasOf(5n)), []);
    assert.equal(space.membersOf(77n), null);
    assert.equal(space.areasOf(77n), null);
    assert.deepEqual(Array.from(lookAtArea(space, scene, 4n).members), [8n]);
    assert.deepEqual(lookAtArea(space, scene, 77n), { id: 77n, index: -1, members: new BigInt64Array(0) });
  });

  it("tell who comes and goes", () => {
    space.listen(true);
    space.replay(new Uint8Array(Buffer.from(said[2], "hex")));
    const { count, watcher, marker, op } = space.takeEvents();
    const events = Array.from({ length: count }, (_, i) => i).filter((i) => op[i] >= 8)
      .map((i) => `${watcher[i]} ${OPS[op[i]]} ${marker[i]}`);
    assert.ok(events.length >= 8, `${events.length} events`);
    assert.equal(events.sort().join(";"), said[4].split(";").sort().join(";"));
    assert.equal(members(), said[3]);
    scene.take(space, { areas: true });
    assert.equal(described(OWNED).x, 52);
  });
});
