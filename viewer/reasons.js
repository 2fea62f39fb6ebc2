// Why one sees another, or not: the core's reason, with the numbers that it follows from, as a sentence.
import { number, words } from "./words.js";

/** The ring of `rates` for a squared distance: {bound, period}, or null where there are none. */
export function ringAt(rates, d2) {
  return rates?.find((ring) => d2 <= ring.bound * ring.bound) ?? null;
}

/**
 * Asks the core about (watcher, marker). Returns {reason, kind: "yes"|"no"|"partly", text, note}: text is the sentence,
 * note what is to be said beside it or "".
 */
export function explain(space, watcher, marker) {
  const { reason, rank, bySight } = space.explain(watcher, marker);
  const { options } = space;
  const facts = { w: String(watcher), m: String(marker), rank, classic: options.classic, axis: "", apart: "" };
  const from = space.position(watcher);
  const to = space.position(marker);
  facts.names = [[from, facts.w], [to, facts.m]].filter(([place]) => !place).map(([, name]) => name);
  if (from && to) {
    const steps = [to.x - from.x, to.y - from.y, ...(options.dims === 3 ? [to.z - from.z] : [])].map(Math.abs);
    const d2 = steps.reduce((sum, step) => sum + step * step, 0);
    const traits = space.traits(watcher);
    const other = space.traits(marker);
    facts.plain = Math.sqrt(d2);
    facts.distance = options.shape === "circle" ? facts.plain : Math.max(...steps);
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
  const note = bySight && kind !== "no" ? words.bySight : judgesByAnchors ? words.slackWhy(options.slack) : "";
  const text = reason === "sees" && bySight ? words.reason.always(facts) : words.reason[reason](facts);
  return { reason, kind, text, note };
}
