// The colours of the page's style: each mark on the map can be told from its ground, in light and in dark.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFileSync } from "node:fs";

const style = readFileSync(new URL("../../viewer/style.css", import.meta.url), "utf8");
const [light, dark] = style.match(/:root \{.*?\}/gs)
  .map((block) => Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) =>
    [name, colour])));

/** As the guidelines for accessible pages (WCAG 2) define it. */
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [low, high] = [one, other].map(luminance).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const MARKS = /^(kind-|heat-|first|second|found|watching|area|plain|faint|map-border)/;

for (const [mode, colours] of Object.entries({ light, dark })) {
  describe(`the colours in ${mode}`, () => {
    it("of marks have a contrast of 3 : 1 to the map and to what is outside of it", () => {
      const names = Object.keys(colours).filter((name) => MARKS.test(name));
      assert.equal(names.length, 19);
      for (const ground of ["map-ground", "map-outside"]) {
        const weak = names.filter((name) => contrast(colours[name], colours[ground]) < 3)
          .map((name) => `${name}: ${contrast(colours[name], colours[ground]).toFixed(2)}`);
        assert.deepEqual(weak, [], ground);
      }
    });

    it("of text have 4.5 : 1", () => {
      for (const [text, ground] of [["ink", "ground"], ["ink", "surface"], ["pale", "ground"], ["pale", "surface"],
        ["accent", "surface"], ["map-name", "map-ground"]]) {
        assert.ok(contrast(colours[text], colours[ground]) >= 4.5, `${text} on ${ground}`);
      }
    });
  });
}
