// The regions of a world, as texts tell them one after the other.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "../../viewer/colours.js";
import { Regions } from "../../viewer/regions.js";

/** What is told of two regions; the second as `other` says. */
function told(ticks, other) {
  return { ghosts: ["9007199254740993"], regions: [
    { node: "a", owned: 3, ghosts: 1, ticks, tick_time: 2 * ticks, hand_overs: 0 },
    { node: "b", owned: 2, ghosts: 0, ticks, tick_time: 100 + 5 * ticks, hand_overs: ticks / 2, ...other },
  ] };
}

describe("the regions of a world", () => {
  const perTick = (regions) => regions.list.map(({ load, handOvers }) => [load, handOvers]);

  it("have a load when they were told twice: that of the ticks between", () => {
    const regions = new Regions();
    regions.take(told(10));
    assert.deepEqual(perTick(regions), [[null, null], [null, null]]);
    regions.take(told(14));
    assert.deepEqual(perTick(regions), [[2, 0], [5, 0.5]]);
    regions.take(told(14));
    assert.deepEqual(perTick(regions), [[null, null], [null, null]]);
  });

  it("begin anew on another node, and after their node was silent", () => {
    const regions = new Regions();
    regions.take(told(10));
    regions.take(told(12, { node: "c" }));
    assert.deepEqual(perTick(regions), [[2, 0], [null, null]]);
    regions.take({ ghosts: [], regions: [told(14).regions[0], { node: "c" }] });
    assert.deepEqual(regions.list.map(({ isSilent }) => isSilent), [false, true]);
    regions.take(told(16, { node: "c" }));
    assert.deepEqual(perTick(regions), [[2, 0], [null, null]]);
  });

  it("know ghosts by whole ids, until another scene is shown", () => {
    const regions = new Regions();
    const scene = { count: 2, ids: [9007199254740992n, 9007199254740993n], mode: [3, 2] };
    regions.take(told(10));
    const { isGhost, ghostCount } = classify("mode", scene, null, regions.ghosts);
    assert.deepEqual([...isGhost, ghostCount], [0, 1, 1]);
    assert.equal(classify("mode", scene, null, null).ghostCount, 0);
    regions.clear();
    assert.deepEqual([regions.list.length, regions.ghosts.size, regions.panel().length], [0, 0, 0]);
  });

  it("are on one map where each has a border", () => {
    const regions = new Regions();
    const areOnOneMap = (ids) => regions.areOnOneMap({ indexOf: (id) => ids.indexOf(id) });
    regions.take(told(10));
    assert.deepEqual([[-1n, -2n], [-2n, 7n], [1n, 2n], [-2n, -3n, -1n]].map(areOnOneMap), [true, false, false, true]);
  });
});
