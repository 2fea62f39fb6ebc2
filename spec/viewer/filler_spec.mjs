// Saves that are filled in while nobody waits: where, in which order, how many, and that they show what was.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Filler } from "../../viewer/filler.js";
import { Player } from "../../viewer/player.js";
import { KEYFRAME, RECORD, Recording } from "../../viewer/recording.js";
import { Saves } from "../../viewer/saves.js";
import { bytesOf, makeScene, newCore, pictureOf, picturesOf, recordingOf } from "./support.mjs";

const MOST_SLICES = 2000;

/** Fills until there is nothing left to do; how many slices that took. */
async function fill(filler) {
  let slices = 0;
  while (await filler.slice()) {
    slices++;
    assert.ok(slices < MOST_SLICES, "it does not end");
  }
  return slices;
}

for (const [name, field] of [["grid", "ticks"], ["quadtree", "calls"]]) {
  describe(`a filler of the scene ${name}`, () => {
    const { bytes } = makeScene(name);
    const { pieces } = recordingOf(bytes);
    const starts = pieces.filter(({ kind }) => kind === KEYFRAME).map(({ from }) => from[field]);
    let core;

    /** A player that shows a recording, and the filler of its saves: a save at each position that it comes to. */
    const open = async (recording, most) => {
      const saves = new Saves(most);
      const player = await Player.open(core, recording, { saves, saveAfter: Infinity });
      return { player, saves, filler: new Filler(core, recording, saves, { saveAfter: 0 }) };
    };
    const between = (positions, low, high) => positions.filter((n) => n >= low && n <= high);

    before(async () => {
      core = await newCore();
    });

    it("leaves saves in all stretches, from which each moment looks as it did", async () => {
      const pictures = await picturesOf(core, bytes);
      const { player, saves, filler } = await open(recordingOf(bytes));
      await fill(filler);
      starts.forEach((start, i) => {
        const end = starts[i + 1] === undefined ? player.to : starts[i + 1] - 1;
        assert.ok(end <= start || between(saves.positions, start + 1, end).length > 0, `${start} to ${end}`);
        assert.ok(end <= start || saves.has(end), `the last moment, ${end}`);
      });
      for (const n of saves.positions) {
        await player.seek(Math.min(player.to, n + 1));
        assert.ok(pictureOf(player.space) === pictures.get(player.position), `${field} ${player.position}`);
      }
      assert.equal(await filler.slice(), false);
      await player.close();
    });

    it("begins with the stretch that is shown, then takes its neighbours", async () => {
      const { player, saves, filler } = await open(recordingOf(bytes));
      const middle = starts.length >> 1;
      await player.seek(starts[middle] + 1);
      const order = [];
      while (await filler.slice()) {
        for (const n of saves.positions) {
          const stretch = starts.findLastIndex((start) => start <= n);
          if (!order.includes(stretch)) {
            order.push(stretch);
          }
        }
      }
      assert.ok(order.length > 2, `${order}`);
      const distances = order.map((stretch) => Math.abs(stretch - middle));
      assert.deepEqual(distances, distances.slice().sort((a, b) => a - b), `${order} around ${middle}`);
      await player.close();
    });

    it("ends when the memory for saves is full, and fills elsewhere when another moment is shown", async () => {
      const { player, saves, filler } = await open(recordingOf(bytes), 150000);
      const held = () => saves.positions.reduce((sum, n) => sum + saves.upTo(n).bytes.length, 0);
      for (const n of [player.from, player.to, (player.from + player.to) >> 1]) {
        await player.seek(n);
        await fill(filler);
        assert.ok(held() <= 150000 && held() > 100000, `${held()} bytes`);
        const reach = Math.max(...saves.positions.map((position) => Math.abs(position - n)));
        assert.ok(reach < (player.to - player.from) * 0.9, `up to ${reach} away from ${n}`);
      }
      await player.close();
    });

    it("passes over damage, which the player that is looked at tells of", async () => {
      const bad = pieces.filter(({ kind }) => kind === RECORD)[4];
      const copy = bytes.slice();
      copy[bad.offset + 48 + (bad.size >> 1)] ^= 1;
      const { player, saves, filler } = await open(recordingOf(copy));
      await fill(filler);
      assert.deepEqual(player.problems, []);
      const next = starts.find((n) => n >= bad.to[field]);
      assert.deepEqual(between(saves.positions, bad.to[field], next), []);
      assert.ok(between(saves.positions, next + 1, player.to).length > 0);
      await player.close();
    });

    it("goes on when the recording grows", async () => {
      const half = pieces.length >> 1;
      const recording = new Recording();
      recording.add(bytes.subarray(0, 8));
      pieces.slice(0, half).forEach((piece) => recording.add(bytesOf(bytes, piece)));
      const { player, saves, filler } = await open(recording);
      await fill(filler);
      const last = saves.positions.at(-1);
      pieces.slice(half).forEach((piece) => recording.add(bytesOf(bytes, piece)));
      await fill(filler);
      assert.ok(last <= pieces[half].from[field] && saves.positions.at(-1) >= player.to - 1,
        `${last}, ${saves.positions.at(-1)} of ${player.to}`);
      await player.close();
    });
  });
}

describe("saves", () => {
  const save = new Uint8Array(10);
  const positionsOf = (near, positions) => {
    const saves = new Saves(30);
    const gone = [];
    saves.dropped = (position) => gone.push(position);
    saves.near = near;
    positions.forEach((position) => saves.keep(position, position, save));
    return { saves, gone };
  };

  it("give up what is farthest from the moment that is shown", () => {
    const { saves, gone } = positionsOf(50, [10, 40, 80, 60]);
    assert.deepEqual(saves.positions, [40, 60, 80]);
    assert.deepEqual(gone, [10]);
    assert.equal(saves.isFull, false);
  });

  it("are full when that is the newest, until another moment is shown", () => {
    const { saves, gone } = positionsOf(50, [40, 60, 90, 99]);
    assert.deepEqual(saves.positions, [40, 60, 90]);
    assert.deepEqual(gone, [99]);
    assert.equal(saves.isFull, true);
    saves.near = 50;
    assert.equal(saves.isFull, true);
    saves.near = 51;
    assert.equal(saves.isFull, false);
  });
});
