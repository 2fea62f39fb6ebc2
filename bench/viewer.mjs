/*
 * viewer.mjs - how long the viewer takes to come to another tick, as its page goes there: the playback, the log of
 * the events and the copy of the scene, but not the drawing.
 *
 *     node bench/viewer.mjs RECORDING...      (JUMPS=40 before it: so many of each)
 *
 * Prints milliseconds, the median and the most, and behind them those of the processor, which a busy machine changes
 * less: of jumps between random ticks, the first ones and the others (saves in memory then shorten the way), of jumps
 * of 30 ticks forward, and of one step back, each from somewhere else.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { EventLog } from "../viewer/event_log.js";
import { Playback } from "../viewer/playback.js";
import { Player } from "../viewer/player.js";
import { Recording } from "../viewer/recording.js";
import { Scene } from "../viewer/scene.js";
import { loadCore } from "../viewer/space.js";
import { randomNumbers } from "../spec/viewer/support.mjs";

const SHOWN = { cells: false, areas: true, importance: false };
const JUMP = 30; // ticks
const jumps = Number(process.env.JUMPS || 40);

/** A playback as the page has it. */
async function open(core, file) {
  const recording = new Recording();
  recording.add(new Uint8Array(readFileSync(file)));
  const scene = new Scene();
  const log = new EventLog();
  const playback = new Playback(await Player.open(core, recording), {
    stepped: (position, events) => log.add(position, events, 1n),
    turned() {},
    changed: () => scene.take(playback.space, SHOWN),
    failed(error) {
      throw error;
    },
  });
  return playback;
}

/** Milliseconds until the playback is at rest: { passed, used (of the processor) }. */
async function time(playback, act) {
  const begin = performance.now();
  const before = process.cpuUsage();
  act();
  await new Promise((done) => playback.whenIdle(done));
  const { user, system } = process.cpuUsage(before);
  return { passed: performance.now() - begin, used: (user + system) / 1000 };
}

function write(name, times) {
  const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  const [passed, used] = ["passed", "used"].map((field) => {
    const numbers = times.map((one) => one[field]);
    return [median(numbers), Math.max(...numbers)].map((n) => n.toFixed(0).padStart(5)).join(" ");
  });
  console.log(`  ${name.padEnd(26)}${passed}   ${used}`);
}

async function measure(playback) {
  const random = randomNumbers(7);
  const { from, to } = playback;
  const [first, others, near, back] = [[], [], [], []];
  for (let i = 0; i < jumps; i++) {
    const jump = await time(playback, () => playback.seek(from + random(to - from + 1)));
    (i < jumps / 4 ? first : others).push(jump);
    if (playback.position > from) {
      back.push(await time(playback, () => playback.step(-1)));
    }
    if (playback.position + JUMP <= to) {
      near.push(await time(playback, () => playback.seek(playback.position + JUMP)));
    }
  }
  write("random jumps, the first", first);
  write("random jumps, the others", others);
  write(`jumps of ${JUMP} ticks`, near);
  write("one step back", back);
}

const core = await loadCore(new Uint8Array(readFileSync("build/viewer/core.wasm")));
for (const file of process.argv.slice(2)) {
  const playback = await open(core, file);
  const { count } = playback.space.entities();
  console.log(`${path.basename(file)}: ${count} entities, ${playback.to - playback.from} ticks
  ms: median, most            passed   of the processor`);
  await measure(playback);
  console.log(`  memory of the core        ${(core.memory / 2 ** 20).toFixed(0).padStart(6)} MiB`);
  playback.close();
}
