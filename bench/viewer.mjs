/*
 * viewer.mjs - how long the viewer takes to come to another tick, as its page goes there: the playback, the log of
 * the events and the copy of the scene, but not the drawing.
 *
 *     node bench/viewer.mjs ROWS RECORDING...      (JUMPS=40 before it: so many of each)
 *
 * ROWS: a file for tools/figures.lua, a line for each kind of jump, with the median and the most of each recording.
 * Prints milliseconds, the median and the most, and behind them those of the processor, which a busy machine changes
 * less: of jumps right after the recording was opened, of jumps while the page fills saves in (a person looks a third
 * of a second before the next one), and, when it has filled them all, of jumps between random ticks, of jumps of 30
 * ticks forward, and of one step back, each from somewhere else.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { EventLog } from "../viewer/event_log.js";
import { Filler } from "../viewer/filler.js";
import { Playback } from "../viewer/playback.js";
import { Player } from "../viewer/player.js";
import { Recording } from "../viewer/recording.js";
import { Saves } from "../viewer/saves.js";
import { Scene } from "../viewer/scene.js";
import { loadCore } from "../viewer/space.js";
import { randomNumbers } from "../spec/viewer/support.mjs";

const SHOWN = { cells: false, areas: true, importance: false };
const JUMP = 30; // ticks
const LOOK = 333; // milliseconds
const jumps = Number(process.env.JUMPS || 40);

/** A playback as the page has it. */
async function open(core, file) {
  const recording = new Recording();
  recording.add(new Uint8Array(readFileSync(file)));
  const scene = new Scene();
  const log = new EventLog();
  const saves = new Saves();
  const playback = new Playback(await Player.open(core, recording, { saves }), {
    stepped: (position, events) => log.add(position, events, 1n),
    turned() {},
    changed: () => scene.take(playback.space, SHOWN),
    failed(error) {
      throw error;
    },
  }, new Filler(core, recording, saves));
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

const rows = new Map(); // names -> medians and mosts of the recordings

function write(name, times) {
  const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  const [passed, used] = ["passed", "used"].map((field) => {
    const numbers = times.map((one) => one[field]);
    return [median(numbers), Math.max(...numbers)].map((n) => n.toFixed(0));
  });
  const columns = [passed, used].map((numbers) => numbers.map((n) => n.padStart(5)).join(" "));
  console.log(`  ${name.padEnd(26)}${columns.join("   ")}`);
  rows.set(name, [...rows.get(name) ?? [], ...passed]);
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function filled(playback) {
  const begin = performance.now();
  do {
    await pause(20);
  } while (playback.isFilling);
  return performance.now() - begin;
}

async function measure(playback) {
  const random = randomNumbers(7);
  const { from, to } = playback;
  const jump = () => time(playback, () => playback.seek(from + random(to - from + 1)));
  const [first, soon, others, near, back] = [[], [], [], [], []];
  for (let i = 0; i < jumps / 4; i++) {
    first.push(await jump());
  }
  for (let i = 0; i < jumps / 4; i++) {
    await pause(LOOK);
    soon.push(await jump());
  }
  const milliseconds = await filled(playback);
  for (let i = 0; i < jumps; i++) {
    others.push(await jump());
    if (playback.position > from) {
      back.push(await time(playback, () => playback.step(-1)));
    }
    if (playback.position + JUMP <= to) {
      near.push(await time(playback, () => playback.seek(playback.position + JUMP)));
    }
  }
  write("jumps at once", first);
  write("jumps after a look", soon);
  console.log(`  saves are filled in       ${milliseconds.toFixed(0).padStart(6)} later`);
  write("random jumps", others);
  write(`jumps of ${JUMP} ticks`, near);
  write("one step back", back);
}

const core = await loadCore(new Uint8Array(readFileSync("build/viewer/core.wasm")));
const [rowsFile, ...files] = process.argv.slice(2);
for (const file of files) {
  const playback = await open(core, file);
  const { count } = playback.space.entities();
  console.log(`${path.basename(file)}: ${count} entities, ${playback.to - playback.from} ticks
  ms: median, most            passed   of the processor`);
  await measure(playback);
  console.log(`  memory of the core        ${(core.memory / 2 ** 20).toFixed(0).padStart(6)} MiB`);
  playback.close();
}
writeFileSync(rowsFile, [...rows.values()].map((cells) => `${cells.join("\t")}\n`).join(""));
