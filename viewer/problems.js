// The bar that says what is wrong with a recording, and up to where it can be shown.
import { byId } from "./dom.js";
import { words } from "./words.js";

/** null: nothing is wrong. */
export function problem(title, note = "", detail = "") {
  byId("problem").hidden = title === null;
  byId("problem-title").textContent = title ?? "";
  byId("problem-note").textContent = note;
  byId("problem-detail").textContent = detail;
}

/** Says the damage of one recording, each once. */
export class DamageShown {
  #count = 0; // of the playback's problems

  /** After the file was read; playback: null when none of it can be shown. */
  show(playback, { problem: damage, unit }) {
    if (!playback) {
      problem(words.damagedAll, "", damage?.message);
    } else if (damage) {
      problem(words.damaged, words.damagedNote(unit, playback.to), damage.message);
    }
  }

  /** Pieces may turn out to be damaged only when they are played. */
  showNew({ problems, from, stretches }, unit) {
    if (problems.length <= this.#count) {
      return;
    }
    this.#count = problems.length;
    const fault = problems.at(-1);
    // Nothing can be played from the damage to the next keyframe.
    const end = Math.max(from, ...stretches.map(({ to }) => to).filter((to) => to <= fault.from));
    const next = stretches.find((stretch) => stretch.from > fault.from);
    problem(words.damagedPart(unit, end, next?.from), "", fault.message);
  }
}
