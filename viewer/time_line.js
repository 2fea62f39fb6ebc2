// The time line: buttons to play and step, a slider to scrub, and what is where in the recording.
import { make } from "./dom.js";
import { SPEEDS } from "./playback.js";
import { number, words } from "./words.js";

const KEYFRAME = 1;

const shapes = {
  start: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M11 2v12L3 8zM12 2h2v12h-2z",
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  forward: "M5 2l8 6-8 6zM2 2h2v12H2z",
  end: "M12 2h2v12h-2zM2 2l9 6-9 6z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", shapes[name]);
  svg.append(path);
  return svg;
}

export class TimeLine {
  #root;
  #wishes;
  #parts = {};
  #held = false; // the slider is being dragged

  /** wishes: {play(), step(n), seek(position), speed(n), follow()}: what a person asks for. */
  constructor(root, wishes) {
    this.#root = root;
    this.#wishes = wishes;
    this.build();
  }

  /** Makes the elements, anew when the language has changed. */
  build() {
    const wishes = this.#wishes;
    const button = (id, name, title, onclick) =>
      make("button", { id, type: "button", title, "aria-label": title, onclick }, icon(name));
    const parts = this.#parts = {
      start: button("to-start", "start", words.toStart, () => wishes.seek(-Infinity)),
      back: button("step-back", "back", words.stepBack, () => wishes.step(-1)),
      play: button("play", "play", words.play, () => wishes.play()),
      forward: button("step-forward", "forward", words.stepForward, () => wishes.step(1)),
      end: button("to-end", "end", words.toEnd, () => wishes.seek(Infinity)),
      follow: make("button", { id: "follow", type: "button", title: words.followTitle, onclick: () => wishes.follow(),
        hidden: true }, words.follow),
      slider: make("input", { id: "slider", type: "range", step: 1, "aria-label": words.timeLine }),
      marks: make("canvas", { "aria-hidden": "true" }),
      unit: make("span", { class: "quiet" }),
      where: make("input", { id: "position", inputmode: "numeric", title: words.goTo, "aria-label": words.goTo }),
      span: make("span", { class: "quiet", id: "span" }),
      speed: make("select", { id: "speed", title: words.speedTitle, "aria-label": words.speedTitle,
        onchange: () => wishes.speed(Number(parts.speed.value)) }),
    };
    this.#root.replaceChildren(
      make("div", { class: "buttons" }, parts.start, parts.back, parts.play, parts.forward, parts.end, parts.follow),
      make("div", { class: "track" }, parts.marks, parts.slider),
      make("div", { class: "where" }, parts.unit, parts.where, parts.span, parts.speed));
    parts.slider.addEventListener("input", () => {
      this.#held = true;
      wishes.seek(Number(parts.slider.value));
    });
    parts.slider.addEventListener("change", () => {
      this.#held = false;
    });
    const go = () => {
      const wanted = Number(parts.where.value.trim());
      if (parts.where.value.trim() !== "" && Number.isFinite(wanted)) {
        wishes.seek(wanted);
      }
    };
    parts.where.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        go();
        parts.where.select();
      }
    });
    parts.where.addEventListener("change", go);
  }

  /**
   * Shows where the recording is. state: {playback or null, recording, isLive, events: positions of events of the
   * selected entity}.
   */
  show({ playback, recording, isLive, events }, colour) {
    const parts = this.#parts;
    const isThere = playback !== null;
    for (const element of [parts.start, parts.back, parts.play, parts.forward, parts.end, parts.slider, parts.where,
      parts.speed]) {
      element.disabled = !isThere;
    }
    parts.follow.hidden = !isLive;
    if (!isThere) {
      return;
    }
    const { position, from, to, playing, following, speed } = playback;
    const title = playing || following ? words.pause : words.play;
    if (parts.play.title !== title) {
      parts.play.title = title;
      parts.play.setAttribute("aria-label", title);
      parts.play.replaceChildren(icon(playing || following ? "pause" : "play"));
    }
    parts.follow.setAttribute("aria-pressed", String(following));
    parts.back.disabled = parts.start.disabled = position <= from;
    parts.forward.disabled = parts.end.disabled = position >= to;
    parts.slider.min = from;
    parts.slider.max = to;
    if (!this.#held) {
      parts.slider.value = position;
    }
    parts.slider.setAttribute("aria-valuetext", `${words.units[recording.unit]} ${position}`);
    parts.unit.textContent = words.units[recording.unit];
    if (document.activeElement !== parts.where || playing || following) {
      parts.where.value = position;
    }
    // Ticks of a world have ten digits and more.
    parts.where.style.setProperty("--digits", String(to).length);
    parts.span.textContent = isLive && following ? words.atNewest
      : isLive && position < to ? words.behind(number(to - position), recording.unit) : words.of(from, to);
    if (parts.speed.dataset.unit !== recording.unit) {
      parts.speed.dataset.unit = recording.unit;
      parts.speed.replaceChildren(...SPEEDS.map((n) => make("option", { value: n },
        `${n} ${words.perSecond[recording.unit]}`)));
    }
    parts.speed.value = String(speed);
    this.#drawMarks(playback, recording, events, colour);
  }

  /** Above: the stretches that are recorded, with their keyframes. Below: events of the selected entity. */
  #drawMarks({ from, to, position, stretches }, recording, events, colour) {
    const canvas = this.#parts.marks;
    const { width, height } = canvas.getBoundingClientRect();
    const density = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    const thumb = 14;
    const at = (n) => thumb / 2 + (width - thumb) * (to > from ? (n - from) / (to - from) : 0);
    const { unit } = recording;
    const line = 18;
    pen.fillStyle = colour("faint");
    for (const stretch of stretches) {
      pen.fillRect(at(stretch.from), line, Math.max(2, at(stretch.to) - at(stretch.from)), 4);
    }
    pen.fillStyle = colour("first");
    pen.fillRect(at(from), line, at(position) - at(from), 4);
    pen.fillStyle = colour("plain");
    let last = -Infinity;
    for (const piece of recording.pieces) {
      const x = Math.round(at(piece.from[unit]));
      if (piece.kind === KEYFRAME && x > last + 2) {
        pen.fillRect(x, line - 5, 1, 4);
        last = x;
      }
    }
    for (const [op, name] of [[1, "watching"], [2, "heat-3"]]) {
      pen.fillStyle = colour(name);
      for (const event of events) {
        if (event.op === op) {
          pen.fillRect(at(event.position) - 1, op === 1 ? line + 8 : line + 14, 2, 5);
        }
      }
    }
  }
}
