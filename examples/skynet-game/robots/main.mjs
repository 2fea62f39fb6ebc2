// Many robots in the game over loopback: how much they are sent, what that costs, and whether what each is told is
// what it has to be told.
//
//   node main.mjs [http://127.0.0.1:8002/]     without an address it starts a game of its own, see game.mjs
//
// From the environment: ROBOTS (1000), DURATION, seconds of measuring (10); FIGURES=1 writes what was measured into the
// pages.
import { execFileSync } from "node:child_process";

import { startGame } from "./game.mjs";
import { Robot, randomOf } from "./robot.mjs";

const game = process.argv[2] ? { address: process.argv[2], stop() {} } : await startGame();
const { address } = game;
const count = Number(process.env.ROBOTS || 1000);
const seconds = Number(process.env.DURATION || 10);

const PACE = 100;    // milliseconds from one step to the next
const STEP = 6;      // units
const LIMIT = 30;    // of the square, as in maps.lua
const CONNECTING = 50; // at once
const QUIET = 2000;  // milliseconds until all is told
const LATEST = 30000; // on a machine that has much else to do

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// ---- joining and walking ---------------------------------------------------------------------------------------

/** Four of five begin all over the meadow, the others in the middle of the square. */
function beginning(number, random) {
  const [map, from, side] = number % 5 === 0 ? ["square", 150, 200] : ["meadow", 0, 2000];
  return [map, Math.floor(from + random() * side), Math.floor(from + random() * side)].join();
}

async function joinAll() {
  const random = randomOf(1);
  const robots = [];
  const options = Array.from({ length: count }, (_, i) =>
    ({ name: `robot ${i + 1}`, at: beginning(i, random), seed: i + 1 }));
  while (options.length > 0) {
    const some = options.splice(0, CONNECTING);
    robots.push(...await Promise.all(some.map((option) => Robot.join(address, option))));
  }
  return robots;
}

/** Each robot has its own moment in each pace. Returns a function that stops them. */
function walk(robots) {
  const timers = robots.map((robot, i) => setTimeout(() => {
    timers[i] = setInterval(() => robot.step(STEP), PACE);
  }, PACE * i / robots.length));
  return () => timers.forEach((timer) => clearTimeout(timer));
}

// ---- what they should see --------------------------------------------------------------------------------------

const isNear = (a, b, radius) =>
  a.x - radius <= b.x && b.x <= a.x + radius && a.y - radius <= b.y && b.y <= a.y + radius;

/** Nothing, or what is wrong with what a robot was told of the others. Other players and monsters do not count. */
function problemOf(robot, byId) {
  const { radius, name } = robot.map;
  const near = [...byId.values()].filter((other) =>
    other !== robot && other.map.name === name && isNear(robot, other, radius));
  const seen = [...robot.view.entities].filter(([id]) => byId.has(id));
  const most = name === "square" ? LIMIT : Infinity;
  for (const [id, { x, y }] of seen) {
    const other = byId.get(id);
    if (!near.includes(other)) {
      return `sees ${id}, who is not in view`;
    } else if (x !== Math.fround(other.x) || y !== Math.fround(other.y)) {
      return `sees ${id} at ${x}, ${y}, who is at ${other.x}, ${other.y}`;
    }
  }
  return seen.length === Math.min(near.length, most) ? null
    : `sees ${seen.length} of ${near.length} in view, at most ${most}`;
}

/** [robot, what is wrong], of those with whom something is. */
function problemsOf(robots) {
  const byId = new Map(robots.map((robot) => [robot.id, robot]));
  return robots.map((robot) => [robot, robot.isClosed ? "was thrown out" : problemOf(robot, byId)])
    .filter(([, problem]) => problem);
}

// ---- what it costs ---------------------------------------------------------------------------------------------

async function sample(robots) {
  const text = await (await fetch(`${address}stats`)).text();
  const stats = Object.fromEntries(text.trim().split("\n").map((line) => {
    const [name, value] = line.split(" ");
    return [name, Number(value)];
  }));
  const own = process.cpuUsage();
  stats.messages = robots.reduce((sum, robot) => sum + robot.messages, 0);
  stats.bytes = robots.reduce((sum, robot) => sum + robot.bytes, 0);
  stats.robots_cpu = (own.user + own.system) / 1e3;
  stats.at = performance.now();
  return stats;
}

function report(before, after, robots, problems) {
  const grown = (name) => after[name] - before[name];
  const ticks = grown("meadow_ticks");
  const lines = [];
  const line = (name, text) => lines.push(`${name.padEnd(12)}${text}\n`);
  const cpu = (name) => `${(grown(name) / ticks).toFixed(1)} ms`;
  const crowd = robots.filter((robot) => robot.map.name === "square").length;
  line("robots", `${robots.length} over loopback, ${crowd} of them in the square`);
  line("ticks", `${ticks} in ${(grown("at") / 1e3).toFixed(1)} seconds; ${
    grown("meadow_ticks_skipped") + grown("square_ticks_skipped")} left out`);
  line("messages", `${(grown("messages") / ticks).toFixed(0)} per tick to robots, ${
    (grown("bytes") / grown("messages")).toFixed(0)} bytes in a message`);
  line("CPU", `${cpu("meadow_cpu")} per tick in the meadow, ${cpu("square_cpu")} in the square, ${
    cpu("process_cpu")} in the whole game; ${cpu("robots_cpu")} in the robots`);
  line("exact", `${robots.length - problems.length} of ${robots.length} robots were told what they have to be told; ${
    robots.reduce((sum, robot) => sum + robot.resyncs, 0)} resyncs`);
  const text = lines.join("");
  process.stdout.write(text);
  if (process.env.FIGURES === "1") {
    execFileSync(process.env.LUA || "lua5.4",
      ["tools/figures.lua", "skynet-game-robots", "console", "make skynet-game-robots"], { input: text });
  }
}

// ---- a run -----------------------------------------------------------------------------------------------------

const robots = await joinAll();
const stop = walk(robots);
await pause(2000); // the first seconds are about getting to know each other
const before = await sample(robots);
await pause(seconds * 1000);
const after = await sample(robots);
stop();
await pause(QUIET);
let problems = problemsOf(robots);
for (const end = performance.now() + LATEST; problems.length > 0 && performance.now() < end;) {
  await pause(PACE);
  problems = problemsOf(robots);
}
report(before, after, robots, problems);
for (const [robot, problem] of problems.slice(0, 10)) {
  console.log(`robot ${robot.id} in the ${robot.map.name} ${problem}`);
}
robots.forEach((robot) => robot.leave());
game.stop();
process.exitCode = problems.length > 0 ? 1 : 0;
