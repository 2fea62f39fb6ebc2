// The words of the page: both languages have the same ones.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bits, COLOURS, languages, number } from "../../viewer/words.js";

/** The paths to all words, with what kind they are: ["live.open string", ...]. */
function shapeOf(value, path = "") {
  if (Array.isArray(value)) {
    return [`${path} list of ${value.length}`];
  }
  return typeof value === "object" ? Object.entries(value).flatMap(([name, inner]) => shapeOf(inner, `${path}.${name}`))
    : [`${path} ${typeof value}${typeof value === "function" ? ` of ${value.length}` : ""}`];
}

describe("the words", () => {
  it("are the same ones in English and Chinese", () => {
    const english = shapeOf(languages.en);
    assert.ok(english.length > 100);
    assert.deepEqual(shapeOf(languages.zh), english);
  });

  it("have a name for every way to colour", () => {
    assert.deepEqual(Object.keys(languages.en.colours), COLOURS);
  });

  it("write numbers short, and masks as in code", () => {
    assert.deepEqual([1234.5678, 12.3456, 0.12345, -2, Infinity, undefined].map(number),
      ["1234.6", "12.35", "0.123", "−2", "∞", "–"]);
    assert.deepEqual([0, 1, 0x80000000, 0xffffffff, -1].map(bits), ["0x0", "0x1", "0x80000000", "all", "all"]);
  });
});
