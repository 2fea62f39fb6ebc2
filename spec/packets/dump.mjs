// Prints what packets say, as the reader in JavaScript sees them: the same lines as dump.c.
//
//   node dump.mjs packets|views < file
import { readFileSync } from "node:fs";
import {
  KIND, PacketError, readBlocks, readMe, readNotified, readSaid, readView, View,
} from "../../clients/javascript/aoi_packet.js";

const bits = new DataView(new ArrayBuffer(8));

/** The bits; all that are no number look alike. */
function place(value) {
  bits.setFloat64(0, value);
  return ` ${Number.isNaN(value) ? "nan" : bits.getBigUint64(0).toString(16).padStart(16, "0")}`;
}

function number(value) {
  return typeof value === "bigint" || Math.abs(value) < 2 ** 53 && Number.isInteger(value)
    ? String(value === 0 ? 0 : value) : place(value);
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");

function details({ data, properties }) {
  let text = data === undefined ? "" : ` data=bytes:${hex(data)}`;
  for (const [key, value] of properties ?? []) {
    text += ` ${key}=`;
    text += value === undefined ? "removed" : value instanceof Uint8Array ? `bytes:${hex(value)}` : number(value);
  }
  return text;
}

const TRAITS = ["", "radius", "visibleRadius", "mode", "layers", "seesLayers", "limit", "importance"];

function showMe(me) {
  const { pushes, isWhole, x, y, z = 0, extras, traits } = me;
  const bytes = Buffer.from(new Float32Array(extras ?? []).buffer);
  const named = Object.entries(traits).map(([key, value]) => [TRAITS.includes(key) ? TRAITS.indexOf(key) : Number(key),
    typeof value === "string" ? Buffer.from(value) : value]).sort(([a], [b]) => a - b);
  return `me ${pushes} ${isWhole ? "whole" : "part"}${x === undefined ? "" : place(x) + place(y) + place(z)}${
    bytes.length > 0 ? ` extras=${hex(bytes)}` : ""}${details(me)} traits${details({ properties: named })}`;
}

function* linesOf(packet) {
  for (const block of readBlocks(packet)) {
    const { kind, flags, watcher, stream, number: count } = block;
    yield `block ${kind} ${flags} ${watcher} ${stream} ${count}`;
    for (const record of kind === KIND.VIEW ? readView(block, true) : []) {
      const { x, y, z = 0, extras = [] } = record;
      const where = x === undefined ? "" : [x, y, z, ...extras].map(place).join("");
      yield `${record.kind} ${record.id}${where}${details(record)}`;
    }
    const me = kind === KIND.VIEW ? readMe(block, true) : undefined;
    if (me) {
      yield showMe(me);
    }
    if (kind === KIND.SAID) {
      const { speaker, bytes } = readSaid(block);
      yield `said ${speaker} ${hex(bytes)}`;
    } else if (kind === KIND.NOTIFIED) {
      yield `notified ${hex(readNotified(block).bytes)}`;
    }
  }
}

function showPacket(packet) {
  let lines;
  try {
    lines = [...linesOf(packet)];
  } catch (error) {
    if (!(error instanceof PacketError)) {
      throw error;
    }
    lines = [`error ${error.message.replace(/, at byte \d+$/, "")}`];
  }
  return [`packet ${packet.length}`, ...lines];
}

let asks = "";
let time = 0;
const view = new View({
  resync() { asks += "asks "; },
  notified(bytes) { asks += `notified:${hex(bytes)} `; },
}, { now: () => (time += 1000) });

function showView(packet) {
  asks = "";
  view.take(packet);
  const seen = [...view.entities].sort(([a], [b]) => (a < b ? -1 : 1));
  return [asks + seen.map(([id, { x }]) => `${id}:${number(x)} `).join("")];
}

const show = process.argv[2] === "views" ? showView : showPacket;
const file = readFileSync(0);
const lines = [];
for (let at = 0; at < file.length;) {
  const size = file.readUInt32LE(at);
  lines.push(...show(file.subarray(at + 4, at + 4 + size)));
  at += 4 + size;
}
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
