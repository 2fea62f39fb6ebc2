// A player where it is not easy: gaps, damage, pieces that are still coming, calls that come before the last ended.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Player } from "../../viewer/player.js";
import { KEYFRAME, RECORD, Recording } from "../../viewer/recording.js";
import { Saves } from "../../viewer/saves.js";
import {
  bytesOf, joined, makeScene, newCore, pictureOf, picturesOf, randomNumbers, recordingOf,
} from "./support.mjs";

for (const [name, field] of [["grid", "ticks"], ["quadtree", "calls"]]) {
  describe(`a player of the scene ${name}`, () => {
    const { bytes } = makeScene(name);
    const { pieces } = recordingOf(bytes);
    let core;
    let pictures;

    before(async () => {
      core = await newCore();
      pictures = await picturesOf(core, bytes);
    });

    const check = ({ position, space }) =>
      assert.ok(pictureOf(space) === pictures.get(position), `${field} ${position} looks as it did`);
    // The first moment behind a gap is that of a keyframe, which may have been made between two ticks.
    const checkBehindGap = ({ position, space }) => {
      const expected = pictures.get(`keyframe ${space.moment.calls}`) ?? pictures.get(position);
      assert.ok(pictureOf(space) === expected, `${field} ${position} looks as it did, or as its keyframe`);
    };
    // A copy with these bytes of the payload of a piece changed.
    const damaged = (...places) => {
      const copy = bytes.slice();
      for (const piece of places) {
        copy[piece.offset + 48 + (piece.size >> 1)] ^= 1;
      }
      return copy;
    };
    const records = pieces.filter(({ kind }) => kind === RECORD);
    const keyframes = pieces.filter(({ kind }) => kind === KEYFRAME);

    it("stands at the first moment, and stays between the ends", async () => {
      const player = await Player.open(core, recordingOf(bytes));
      assert.deepEqual([player.from, player.position], [keyframes[0].from[field], keyframes[0].from[field]]);
      assert.equal(player.to, player.from + 100);
      assert.deepEqual(player.stretches, [{ from: player.from, to: player.to }]);
      assert.deepEqual(player.problems, []);
      await player.seek(1e9);
      assert.equal(player.position, player.to);
      await player.seek(-5);
      assert.equal(player.position, player.from);
      assert.equal(player.events.count, 0);
      await player.step(7);
      assert.equal(player.position, player.from + 7);
      check(player);
      await player.step(-100);
      assert.equal(player.position, player.from);
      await player.close();
    });

    it("shows the same with the same events, whichever way it comes there", async () => {
      const random = randomNumbers(3);
      const player = await Player.open(core, recordingOf(bytes));
      const textOf = ({ watcher, marker, op }) =>
        Array.from(op, (what, i) => `${watcher[i]} ${what} ${marker[i]}`).sort();
      const events = new Map([[player.from, []]]);
      while (player.position < player.to) {
        await player.step();
        events.set(player.position, textOf(player.events));
      }
      assert.ok([...events.values()].flat().length > 1000);
      // To the keyframes from before, from behind and from far away, too.
      const near = keyframes.map(({ from }) => from[field]).flatMap((n) => [n - 3, n, n + 1, n, n + 9, n]);
      for (const n of [...near, ...Array.from({ length: 100 }, () => player.from + random(101))]) {
        await player.seek(n);
        assert.deepEqual(textOf(player.events), events.get(player.position), `${player.position}`);
        check(player);
      }
      await player.close();
    });

    it("shows the same when it comes from saves in memory", async () => {
      const random = randomNumbers(5);
      const saves = new Saves(300000);
      const player = await Player.open(core, recordingOf(bytes), { saveAfter: 0, saves });
      let used = 0;
      for (let i = 0; i < 150; i++) {
        const n = player.from + random(101);
        used += saves.upTo(n - 1) === null ? 0 : 1;
        await player.seek(n);
        assert.equal(player.position, n);
        check(player);
        if (i % 3 === 0) {
          await player.step(-1);
          check(player);
        }
      }
      assert.ok(used > 50, `${used} saves`);
      await player.close();
    });

    it("makes calls one after the other", async () => {
      const player = new Player(core, recordingOf(bytes));
      await Promise.all([player.seek(5), player.seek(1e9), player.step(-40), player.step(), player.step()]);
      assert.equal(player.position, player.to - 38);
      check(player);
      await player.close();
    });

    it("plays what has come so far", async () => {
      const recording = new Recording();
      recording.add(bytes.subarray(0, 8));
      await assert.rejects(Player.open(core, recording), /empty/);
      recording.add(bytesOf(bytes, pieces[0]));
      const player = await Player.open(core, recording);
      for (const piece of pieces.slice(1)) {
        recording.add(bytesOf(bytes, piece));
        await player.seek(player.to);
        assert.equal(player.position, piece.to[field]);
        assert.deepEqual(player.stretches, [{ from: player.from, to: player.to }]);
        check(player);
      }
      await player.close();
    });

    it("stops before a gap, and steps over it", async () => {
      const lost = records[6]; // and all behind it until the next keyframe
      const next = pieces.findIndex((piece) => piece.kind === KEYFRAME && piece.from.calls >= lost.to.calls);
      const rest = pieces.filter((piece, i) => piece.to.calls <= lost.from.calls || i >= next);
      const player = await Player.open(core, recordingOf(joined(bytes, rest)));
      const [end, start] = [lost.from[field], pieces[next].from[field]];
      assert.deepEqual(player.stretches, [{ from: player.from, to: end }, { from: start, to: player.to }]);
      await player.seek(start - 1);
      assert.equal(player.position, end);
      check(player);
      await player.step();
      assert.equal(player.position, start);
      assert.equal(player.events.count, 0);
      checkBehindGap(player);
      await player.step();
      assert.equal(player.position, start + 1);
      check(player);
      await player.step(-2);
      assert.equal(player.position, end);
      check(player);
      assert.deepEqual(player.problems, []);
      await player.close();
    });

    it("shows all before a damaged record, and all behind the next keyframe", async () => {
      const bad = records[6];
      const next = keyframes.find(({ from }) => from.calls >= bad.to.calls).from[field];
      const player = await Player.open(core, recordingOf(damaged(bad)));
      const end = bad.from[field];
      const message = new RegExp(`^the record at byte ${bad.offset} can't be read: .*damaged`);
      await assert.rejects(player.seek(end + 1), { message });
      assert.equal(player.position, end);
      check(player);
      assert.deepEqual(player.problems.map(({ from, to }) => [from, to]), [[end, bad.to[field]]]);
      assert.match(player.problems[0].message, message);
      await player.seek(end + 1); // from now on it is a gap
      assert.equal(player.position, end);
      await player.step();
      assert.equal(player.position, next);
      for (let n = player.from; n <= player.to; n++) {
        await player.seek(n);
        assert.equal(player.position, n > end && n < next ? end : n);
        (n === next ? checkBehindGap : check)(player);
      }
      await player.close();
    });

    it("goes on at the next keyframe when records between the damage and it are whole", async () => {
      const number = pieces.findIndex((piece, i) => piece.kind === RECORD && pieces[i + 1]?.kind === RECORD
        && pieces[i - 1].kind === RECORD);
      const bad = pieces[number];
      const next = pieces.slice(number).find(({ kind }) => kind === KEYFRAME);
      const player = await Player.open(core, recordingOf(damaged(bad)));
      await assert.rejects(player.seek(bad.to[field]), /can't be read/);
      assert.equal(player.position, bad.from[field]);
      check(player);
      await player.step();
      assert.equal(player.position, next.from[field]);
      assert.equal(player.events.count, 0);
      await player.step();
      assert.equal(player.position, next.from[field] + 1);
      check(player);
      await player.seek(next.from[field]);
      assert.deepEqual(player.space.moment, next.from);
      assert.deepEqual(player.stretches.map(({ to }) => to), [bad.from[field], player.to]);
      await player.close();
    });

    it("takes a lack of memory for no damage", async () => {
      const refusing = { load: () => { throw new RangeError("not enough memory"); } };
      const recording = recordingOf(bytes);
      const player = new Player(refusing, recording);
      await assert.rejects(player.seek(1), RangeError);
      refusing.load = (payload) => core.load(payload);
      await player.seek(player.to);
      assert.deepEqual(player.problems, []);
      check(player);
      await player.close();
    });

    it("is exact after a seek that memory did not suffice for", async () => {
      const player = await Player.open(core, recordingOf(bytes));
      const { space } = player;
      const { replay } = space;
      space.replay = (payload) => {
        replay.call(space, payload, { calls: space.moment.calls + 2 }); // between two ticks
        throw new RangeError("not enough memory");
      };
      await assert.rejects(player.seek(player.from + 2), RangeError);
      space.replay = replay;
      await player.seek(player.position);
      check(player);
      await player.close();
    });

    it("comes to a keyframe behind damage at once", async () => {
      const bad = records[6];
      const next = keyframes.find(({ from }) => from.calls >= bad.to.calls).from[field];
      const player = await Player.open(core, recordingOf(damaged(bad)));
      await player.seek(next + 3);
      assert.equal(player.position, next + 3);
      check(player);
      await player.close();
    });

    it("does without a damaged keyframe", async () => {
      const player = await Player.open(core, recordingOf(damaged(keyframes[1])));
      for (const n of [player.to, keyframes[1].from[field] + 2, player.from, keyframes[1].from[field]]) {
        await player.seek(n);
        assert.equal(player.position, n);
        check(player);
      }
      assert.equal(player.problems.length, 1);
      assert.match(player.problems[0].message, /^the keyframe at byte/);
      await player.close();
    });

    it("begins behind a damaged first keyframe", async () => {
      const player = await Player.open(core, recordingOf(damaged(keyframes[0])));
      assert.equal(player.from, keyframes[1].from[field]);
      assert.deepEqual(player.stretches, [{ from: player.from, to: player.to }]);
      for (const n of [player.to, player.from + 1]) {
        await player.seek(n);
        assert.equal(player.position, n);
        check(player);
      }
      await player.seek(0); // the keyframe itself: it may have been made between two ticks
      assert.equal(player.position, player.from);
      assert.deepEqual(player.space.moment, keyframes[1].from);
      await player.close();
    });

    it("says so when there is nothing to show", async () => {
      await assert.rejects(Player.open(core, recordingOf(damaged(...keyframes))), /keyframe at byte \d+ can't be read/);
      await assert.rejects(Player.open(core, recordingOf(new TextEncoder().encode("something"))), /no recording/);
      await assert.rejects(Player.open(core, new Recording()), /empty/);
    });

    it("sees that a keyframe is of another moment than its head says", async () => {
      const from = (piece) => bytesOf(bytes, piece).slice(0, 48);
      const copy = bytes.slice();
      copy.set(from(keyframes[0]).subarray(16, 48), keyframes[1].offset + 16); // the checksum is no longer right
      assert.match(recordingOf(copy).problem.message, /damaged head/);
      const foreign = new Uint8Array(Buffer.concat([bytes.subarray(0, 8), from(keyframes[1]),
        bytesOf(bytes, keyframes[1]).subarray(48)]));
      const good = await Player.open(core, recordingOf(foreign));
      await good.close();
      const head = from(keyframes[1]);
      const other = bytesOf(bytes, keyframes[0]).subarray(48);
      const view = new DataView(head.buffer);
      view.setBigUint64(8, BigInt(other.length), true);
      let [low, high] = [1, 0];
      for (const byte of head.subarray(8)) {
        low = (low + byte) % 65521;
        high = (high + low) % 65521;
      }
      view.setUint32(4, high * 65536 + low, true);
      const wrong = new Uint8Array(Buffer.concat([bytes.subarray(0, 8), head, other]));
      await assert.rejects(Player.open(core, recordingOf(wrong)), /another moment/);
    });

    it("survives damage and cuts anywhere, and shows what is before them", async () => {
      const random = randomNumbers(99);
      const reached = { all: 0, less: 0 };
      for (let round = 0; round < 120; round++) {
        const copy = bytes.slice(0, round % 4 === 0 ? random(bytes.length) : bytes.length);
        const at = random(copy.length);
        for (let i = at; i < Math.min(copy.length, at + 1 + random(9)) && round % 4 !== 0; i++) {
          copy[i] = random(2) === 0 ? copy[i] ^ (1 << random(8)) : random(256);
        }
        const first = copy.findIndex((byte, i) => byte !== bytes[i]);
        const intact = first < 0 ? copy.length : first;
        const before = pieces.filter(({ offset, size }) => offset + 48 + size <= intact);
        let player;
        try {
          player = await Player.open(core, recordingOf(copy));
        } catch (error) {
          assert.ok(before.length === 0 && ["Error", "Damage"].includes(error.constructor.name), error.stack);
          continue;
        }
        const sure = before.length > 0 ? before.at(-1).to[field] : -1;
        for (const n of [player.from + random(101), player.to, player.from + random(101), sure]) {
          const problems = player.problems.length;
          await player.seek(n).catch((error) => {
            assert.equal(error.constructor.name, "Damage", error.stack);
            assert.ok(player.problems.length > problems);
          });
          if (n <= sure) {
            assert.equal(player.position, Math.max(n, player.from));
          }
          reached[player.position === n ? "all" : "less"]++;
          checkBehindGap(player);
        }
        await player.close();
      }
      assert.ok(reached.all > 100 && reached.less > 10, JSON.stringify(reached));
    });
  });
}
