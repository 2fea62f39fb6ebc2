// Why one sees another, or not: the core's reason, with the numbers that it follows from, as a sentence.
import { number, words } from "./words.js";

/** The ring of `rates` for a squared distance: {bound, period}, or null where there are none. */
export function ringAt(rates, d2) {
  return rates?.find((ring) => d2 <= ring.bound * ring.bound) ?? null;
}

/** How far it is from one place to the other: { plain, distance (as views are judged), d2 }. */
function wayBetween(options, from, to) {
  const steps = [to.x - from.x, to.y - from.y, ...(options.dims === 3 ? [to.z - from.z] : [])].map(Math.abs);
  const d2 = steps.reduce((sum, step) => sum + step * step, 0);
  return { d2, plain: Math.sqrt(d2), distance: options.shape === "circle" ? Math.sqrt(d2) : Math.max(...steps) };
}

/**
 * The reasons beside its place why a marker in view is there, or told of: a list of "pinned", "notCounted" (the limit
 * does not count its layers), "bySight" and "byVisibleRadius".
 */
export function reasonsOf(space, watcher, marker) {
  const { options } = space;
  const [from, to] = [space.position(watcher), space.position(marker)];
  if (!from || !to) {
    return [];
  }
  const { bySight, isPinned } = space.wordsAbout(watcher, marker);
  const { layers, visibleRadius } = space.traits(marker);
  const { radius } = space.traits(watcher);
  return [
    isPinned && "pinned",
    options.crowd && !isPinned && (layers & options.limitLayers) === 0 && "notCounted",
    bySight && "bySight",
    !bySight && visibleRadius > radius && wayBetween(options, from, to).distance > radius && "byVisibleRadius",
  ].filter(Boolean);
}

/** How many of those markers the limit of the watcher counts: { counted, limit, free (the others) }. */
export function countTold(space, watcher, markers) {
  const { options } = space;
  const isFree = (id) => space.wordsAbout(watcher, id).isPinned ||
    ((space.traits(id)?.layers ?? 0) & options.limitLayers) === 0;
  const free = Array.from(markers).filter(isFree).length;
  return { counted: markers.length - free, limit: space.traits(watcher).limit, free };
}

/**
 * Asks the core about (watcher, marker). Returns {reason, kind: "yes"|"no"|"partly", text, note}: text is the sentence,
 * note what is to be said beside it or "".
 */
export function explain(space, watcher, marker) {
  const { reason, rank } = space.explain(watcher, marker);
  const { options } = space;
  const facts = { w: String(watcher), m: String(marker), rank, classic: options.classic, axis: "", apart: "" };
  const from = space.position(watcher);
  const to = space.position(marker);
  facts.names = [[from, facts.w], [to, facts.m]].filter(([place]) => !place).map(([, name]) => name);
  if (from && to) {
    const { plain, distance, d2 } = wayBetween(options, from, to);
    const traits = space.traits(watcher);
    const other = space.traits(marker);
    facts.plain = plain;
    facts.distance = distance;
    facts.axis = options.shape === "circle" ? "" : words.axis;
    facts.apart = words.apart(facts.plain);
    facts.radius = Math.max(traits.radius, other.visibleRadius);
    facts.isVisibleRadius = other.visibleRadius > traits.radius;
    facts.seesLayers = traits.seesLayers;
    facts.wMode = traits.mode;
    facts.mMode = other.mode;
    facts.layers = other.layers;
    facts.importance = other.importance;
    facts.limit = number(traits.limit >= 0xffffffff ? Infinity : traits.limit ?? options.limit);
    facts.period = ringAt(options.rates, d2)?.period;
  }
  const kind = { sees: "yes", told: "yes", limit: "partly", waits: "partly" }[reason] ?? "no";
  const judgesByAnchors = options.slack > 0 && ["range", "sees", "told", "limit", "waits"].includes(reason);
  const others = kind === "no" ? [] : reasonsOf(space, watcher, marker);
  const bySight = others.includes("bySight");
  const notes = others.map((name) => words.because[name](facts));
  const note = [...notes, judgesByAnchors && !bySight ? words.slackWhy(options.slack) : ""].filter(Boolean).join(" ");
  const text = reason === "sees" && bySight ? words.reason.always(facts) : words.reason[reason](facts);
  return { reason, kind, text, note };
}
