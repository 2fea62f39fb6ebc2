// What the specs of the viewer share: the core as it was compiled, and recordings that Lua writes.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadCore } from "../../viewer/space.js";
import { Player } from "../../viewer/player.js";
import { KEYFRAME, Recording } from "../../viewer/recording.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const build = path.join(root, "build/viewer");

export const wasmBytes = new Uint8Array(readFileSync(path.join(build, "core.wasm")));

export const newCore = () => loadCore(wasmBytes);

/** Runs a script of this folder under Lua; what it prints. */
export function runLua(script, ...args) {
  return execFileSync(process.env.LUA ?? "lua5.4", [`spec/viewer/${script}`, ...args],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}

const made = new Map();

/** A scene of scenes.lua: the bytes of its recording, and what is to be seen at its moments. */
export function makeScene(name, ...options) {
  const key = [name, ...options].join("-");
  if (!made.has(key)) {
    const folder = path.join(build, "scenes");
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${key}-${process.pid}.aoi`);
    rmSync(file, { force: true });
    const lines = runLua("scenes.lua", name, file, ...options).trimEnd().split("\n");
    made.set(key, { bytes: new Uint8Array(readFileSync(file)), moments: lines.map((line) => JSON.parse(line)) });
    rmSync(file);
  }
  return made.get(key);
}

export function recordingOf(bytes) {
  const recording = new Recording();
  recording.add(bytes);
  return recording;
}

/** A random number generator that gives the same numbers each time: from 0 to below n. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return (n) => { // mulberry32, by Tommy Ettinger, public domain
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * n);
  };
}

/** The bytes of a piece with its head. */
export function bytesOf(bytes, piece) {
  return bytes.subarray(piece.offset, piece.offset + 48 + piece.size);
}

/** A recording made of these pieces. */
export function joined(bytes, pieces) {
  return new Uint8Array(Buffer.concat([bytes.subarray(0, 8), ...pieces.map((piece) => bytesOf(bytes, piece))]));
}

/** Everything that a space shows, as a text. */
export function pictureOf(space) {
  const { count, ids, ...fields } = space.entities();
  const rows = Array.from({ length: count }, (_, i) =>
    [ids[i], ...Object.values(fields).map((field) => field[i])].join());
  const sights = Array.from(ids.slice(), (id) => `${id}: ${space.markersOf(id).sort()}, ${space.toldMarkersOf(id).sort()}`);
  return [...rows.sort(), ...sights.sort()].join("\n");
}

/** What is to be seen at each moment of a recording that is whole, and at `keyframe ${calls}`. */
export async function picturesOf(core, bytes) {
  const player = await Player.open(core, recordingOf(bytes));
  const pictures = new Map();
  for (let n = player.from; n <= player.to; n++) {
    await player.seek(n);
    pictures.set(n, pictureOf(player.space));
  }
  await player.close();
  for (const piece of recordingOf(bytes).pieces.filter(({ kind }) => kind === KEYFRAME)) {
    const space = core.load(piece.bytes);
    pictures.set(`keyframe ${piece.from.calls}`, pictureOf(space));
    space.free();
  }
  return pictures;
}
