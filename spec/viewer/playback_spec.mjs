// What a playback tells and when, with a player whose steps end when the spec says so.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Playback } from "../../viewer/playback.js";

/** Stands at moment 1 of 1 to 10. */
class SlowPlayer {
  from = 1;
  to = 10;
  position = 1;
  stretches = [{ from: 1, to: 10 }];
  calls = [];
  #end = null;

  #begin(call, position) {
    this.calls.push(call);
    return new Promise((end) => {
      this.#end = () => {
        this.position = position;
        end();
      };
    });
  }
  seek(n) {
    return this.#begin(`seek ${n}`, n);
  }
  step(n) {
    return this.#begin(`step ${n}`, this.position + n);
  }
  close() {
    this.calls.push("close");
  }

  /** Ends what is under way, and waits until the playback is at rest or has begun the next thing. */
  async end(playback) {
    const { length } = this.calls;
    this.#end();
    while (!playback.idle && this.calls.length === length) {
      await new Promise((done) => setTimeout(done, 0));
    }
  }
}

describe("a playback", () => {
  const begin = (filler) => {
    const player = new SlowPlayer();
    const said = [];
    const playback = new Playback(player, {
      stepped: (position) => said.push(`stepped ${position}`),
      turned: () => said.push(playback.playing ? "plays" : playback.following ? "follows" : "stands"),
      changed: () => said.push(`changed ${playback.position}`),
      failed: (error) => said.push(error.message),
    }, filler);
    return { player, said, playback };
  };

  it("says at once that it follows, plays or stands, also while the player is busy", async () => {
    const { player, said, playback } = begin();
    playback.follow(true);
    assert.deepEqual(said.splice(0), ["follows"]);
    playback.play(true);
    assert.deepEqual(said.splice(0), ["plays"]);
    playback.seek(3);
    assert.deepEqual(said.splice(0), ["stands"]);
    await player.end(playback);
    playback.seek(3);
    await player.end(playback);
    assert.ok(!said.includes("stands"), "it stood already");
  });

  it("calls back once when nothing is under way, however often it was asked to", async () => {
    const { player, said, playback } = begin();
    const callback = () => said.push("idle");
    playback.seek(1);
    playback.whenIdle(callback);
    playback.whenIdle(callback);
    playback.whenIdle(() => said.push("idle, too"));
    await player.end(playback);
    assert.deepEqual(said, ["stepped 1", "changed 1", "idle", "idle, too"]);
    playback.whenIdle(callback);
    assert.equal(said.at(-1), "idle");
  });

  it("that is closed tells nothing any more, makes no step more, and gives its player back", async () => {
    const { player, said, playback } = begin();
    playback.seek(9);
    playback.seek(1);
    playback.whenIdle(() => said.push("idle"));
    playback.close();
    assert.deepEqual(player.calls, ["seek 9"]);
    await player.end(playback);
    assert.deepEqual(player.calls, ["seek 9", "close"]);
    assert.deepEqual(said, []);
  });

  describe("with a filler", () => {
    const beginFilling = (slices) => {
      const filler = {
        calls: [],
        async slice() {
          this.calls.push("slice");
          await new Promise((done) => setTimeout(done, 1));
          return --slices > 0;
        },
        close() {
          this.calls.push("close");
        },
      };
      return { filler, ...begin(filler) };
    };
    const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const filled = async (playback) => {
      while (playback.isFilling) {
        await wait(1);
      }
    };

    it("has it work until it has nothing to do, and again after each call", async () => {
      const { filler, player, playback } = beginFilling(3);
      await filled(playback);
      assert.equal(filler.calls.length, 3);
      playback.seek(4);
      await player.end(playback);
      await filled(playback);
      assert.equal(filler.calls.length, 4);
    });

    it("has it rest while the player is busy, plays or follows", async () => {
      const { filler, player, playback } = beginFilling(Infinity);
      await wait(50);
      assert.ok(filler.calls.length > 1);
      const rests = async () => {
        await filled(playback);
        const { length } = filler.calls;
        await wait(40);
        assert.equal(filler.calls.length, length);
      };
      playback.seek(4);
      await rests();
      await player.end(playback);
      playback.play(true);
      await rests();
      playback.play(false);
      const { length } = filler.calls;
      await wait(50);
      assert.ok(filler.calls.length > length);
      playback.follow(true);
      await rests();
      playback.close();
      await player.end(playback);
      assert.equal(filler.calls.at(-1), "close");
    });
  });
});
