// Why one is told of others, as the page says it, in a recording that begins with nobody.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readFileSync, rmSync } from "node:fs";
import { countTold, explain, reasonsOf } from "../../viewer/reasons.js";
import { Player } from "../../viewer/player.js";
import { newCore, recordingOf, runLua } from "./support.mjs";

/** The bytes of a recording of watch.lua. */
function recordTheWatch(...options) {
  const file = `build/viewer/watch-${process.pid}.aoi`;
  rmSync(file, { force: true });
  runLua("watch.lua", file, ...options);
  const bytes = new Uint8Array(readFileSync(file));
  rmSync(file);
  return bytes;
}

describe("the reasons", () => {
  let space;
  let player;

  before(async () => {
    player = await Player.open(await newCore(), recordingOf(recordTheWatch()));
    await player.seekSomebody();
    space = player.space;
  });

  it("are asked for at the first moment at which somebody is there", () => {
    assert.equal(player.position, 4);
    assert.equal(player.events.op.length, 6);
  });

  it("are named beside those that are told of", () => {
    const named = Object.fromEntries(Array.from(space.toldMarkersOf(1n).sort(), (id) => [id, reasonsOf(space, 1n, id)]));
    assert.deepEqual(named, { 2: [], 3: [], 4: ["pinned"], 6: ["notCounted"], 7: ["notCounted", "byVisibleRadius"],
      8: ["notCounted", "bySight"] });
  });

  it("say how many of the told set count", () => {
    assert.deepEqual(countTold(space, 1n, space.toldMarkersOf(1n)), { counted: 2, limit: 2, free: 4 });
  });

  it("are in the sentences", () => {
    const said = (id) => {
      const { reason, text, note } = explain(space, 1n, id);
      return `${reason}: ${text} ${note}`;
    };
    assert.match(said(2n), /^told: .*away\. $/);
    assert.match(said(4n), /^told: .* It is pinned: always told while it is in view, and not counted\.$/);
    assert.match(said(5n), /^limit: .* ranks 3, and the limit of 1 is 2\. $/);
    assert.match(said(6n), /^told: .* It has no layer that the limit counts\.$/);
    assert.match(said(7n), /It is seen by its visible radius, 300\./);
    assert.match(said(8n), /a sight of true/);
    assert.match(said(9n), /^hidden: .* never sees 9 \(a sight of false\)/);
    assert.match(said(10n), /^range: .*450.* 10 is seen from up to 300 \(its visible radius\)/);
  });
});

describe("a player of a recording in which nobody ever is", () => {
  it("stands at the first moment", async () => {
    const player = await Player.open(await newCore(), recordingOf(recordTheWatch("empty")));
    await player.seekSomebody();
    assert.equal(player.position, player.from);
    assert.equal(player.to, player.from + 3);
  });
});
