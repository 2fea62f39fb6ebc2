// Meanings of the colours of entities: a class for each entity, and each class's colour and words.
import { SEEN, TOLD, TOLD_OF_IT, WATCHES } from "./scene.js";
import { ringAt } from "./reasons.js";
import { words } from "./words.js";

const RINGS = ["kind-6", "kind-2", "kind-5", "kind-7", "kind-4", "kind-3"];

function byMode(scene) {
  return {
    classes: ["plain", "kind-2", "kind-1", "kind-0"].map((colour, mode) => ({ colour, text: words.modes[mode] })),
    classOf: (i) => scene.mode[i] & 3,
  };
}

function byLayer(scene) {
  const bitsUsed = scene.layers.subarray(0, scene.count).reduce((all, layers) => all | layers, 0) >>> 0;
  const classes = [{ colour: "faint", text: words.noLayer }];
  const classOfLayer = new Map([[0, 0]]);
  for (let bit = 0; bit < 32; bit++) {
    const layer = 2 ** bit;
    if ((bitsUsed & layer) !== 0) {
      classOfLayer.set(layer, classes.length);
      classes.push({ colour: `kind-${(classes.length - 1) % 8}`, text: words.layerOf(`0x${layer.toString(16)}`) });
    }
  }
  const several = classes.push({ colour: "plain", text: words.severalLayers }) - 1;
  return { classes, classOf: (i) => classOfLayer.get(scene.layers[i]) ?? several };
}

function byRing(scene, first) {
  const { rates, crowd } = scene.options;
  if (!crowd || !first?.position || !(first.traits.mode & 1)) {
    return { classes: [{ colour: "plain", text: words.ringNobody }], classOf: () => 0 };
  }
  const rings = rates?.length ? rates : [{ bound: Infinity, period: 1 }];
  const { x, y, z } = first.position;
  return {
    classes: [{ colour: "faint", text: words.ringNone }, ...rings.map((ring, i) =>
      ({ colour: RINGS[Math.min(i, RINGS.length - 1)], text: words.ringTo(ring.bound, ring.period) }))],
    classOf: (i) => !(first.flags[i] & TOLD) ? 0 : 1 + rings.indexOf(ringAt(rings, (scene.x[i] - x) ** 2 +
      (scene.y[i] - y) ** 2 + (scene.options.dims === 3 ? (scene.z[i] - z) ** 2 : 0))),
    rings,
  };
}

function byImportance(scene) {
  const steps = [[0, 0, "plain"], [1, 63, "heat-1"], [64, 127, "heat-2"], [128, 255, "heat-3"]];
  return {
    classes: steps.map(([from, to, colour]) => ({ colour, text: words.importanceOf(from, to) })),
    classOf: (i) => steps.findIndex(([, to]) => scene.importance[i] <= to),
  };
}

function byChange(scene) {
  // Bits of an op: 1 enter, 2 leave, 4 move.
  return {
    classes: ["faint", "kind-0", "kind-1", "heat-3", "heat-1"].map((colour, i) => ({ colour, text: words.changes[i] })),
    classOf: (i) => (scene.change[i] & 3) === 3 ? 4 : scene.change[i] & 2 ? 3 : scene.change[i] & 1 ? 2 :
      scene.change[i] ? 1 : 0,
  };
}

const ways = { mode: byMode, layer: byLayer, ring: byRing, importance: byImportance, change: byChange };

/**
 * Colours by "mode", "layer", "ring", "importance" or "change": {classes: [{colour, text}], kinds: class by entity,
 * used: how many in each class, rings, isGhost: 1 by entity, ghostCount}. ghosts: a set of ids, or null.
 */
export function classify(name, scene, first, ghosts) {
  const { classes, classOf, rings } = ways[name](scene, first);
  const kinds = new Uint8Array(scene.count);
  const isGhost = new Uint8Array(scene.count);
  const used = new Array(classes.length).fill(0);
  let ghostCount = 0;
  for (let i = 0; i < scene.count; i++) {
    kinds[i] = classOf(i);
    used[kinds[i]]++;
    isGhost[i] = ghosts?.has(scene.ids[i]) ? 1 : 0;
    ghostCount += isGhost[i];
  }
  return { classes, kinds, used, rings, isGhost, ghostCount };
}

/** How an entity is marked that stands to the selected one so: {fill, ring, dashed} in names of colours, or null. */
export function markOf(flags, hasTold) {
  const seen = flags & SEEN;
  const told = flags & TOLD;
  const watches = flags & (WATCHES | TOLD_OF_IT) ? "watching" : null;
  if (!flags) {
    return null;
  }
  if (!hasTold) {
    return { fill: seen ? "found" : null, watches };
  }
  return { fill: seen && told ? "found" : null, ring: seen && !told ? "found" : null,
    dashed: told && !seen ? "found" : null, watches };
}
