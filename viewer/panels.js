// The column beside the map: find, the entity and the area that are selected, why two see each other or not, events.
import { CIRCLE, POLYGON, RECT, SQUARE } from "./areas.js";
import { make } from "./dom.js";
import { countTold, explain, reasonsOf } from "./reasons.js";
import { bits, number, words } from "./words.js";

const MOST_CHIPS = 60;
const MOST_EVENTS = 300;
const MOVE = 4;
const AREA_ENTER = 8; // and 16, leave: the watcher is an area

/** The id that a person typed: a BigInt, or null. */
export function readId(text) {
  return /^\s*[-−]?\d{1,20}\s*$/.test(text) ? BigInt(text.trim().replace("−", "-")) : null;
}

export class Panels {
  #root;
  #wishes;
  #finder;
  #message;
  #body;
  #showsMoves = false;
  #position = null; // that is shown

  /** wishes: {find(id), select(id), ask(id), swap(), clear(), selectArea(id or null), showArea(id),
   * centre(), seek(position)}. */
  constructor(root, wishes) {
    this.#root = root;
    this.#wishes = wishes;
    this.build();
  }

  /** Makes the elements that stay, anew when the language has changed. */
  build() {
    this.#finder = make("input", { id: "find", type: "search", placeholder: words.findHint, title: words.findTitle,
      "aria-label": words.find, autocomplete: "off", spellcheck: "false" });
    this.#message = make("p", { id: "find-message", class: "message", role: "status" });
    this.#body = make("div");
    const form = make("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      const id = readId(this.#finder.value);
      this.say(id === null ? words.notAnId : this.#wishes.find(id) ? "" : words.notFound(id));
    } }, this.#finder, make("button", { id: "find-go", type: "submit" }, words.find));
    this.#root.replaceChildren(make("section", {}, form, this.#message), this.#body);
    this.say("");
  }

  focusFinder() {
    this.#finder.focus();
    this.#finder.select();
  }

  say(message) {
    this.#message.textContent = message;
    this.#message.hidden = message === "";
  }

  /**
   * Shows a moment. state: {scene, space, unit, position, first, second (looks or null), secondId, area (a look or
   * null), events of the first, span of the log, regions (of regions.js)}. The space is asked now, and not later.
   */
  show(state) {
    const kept = this.#keepPlace(state.position);
    const { scene, first } = state;
    const regions = state.regions.panel(scene.areas, this.#wishes.showArea);
    if (!scene.options) {
      this.#body.replaceChildren();
    } else if (!first) {
      this.#body.replaceChildren(...this.#area(state), this.#world(scene), make("section", {},
        make("p", { class: "quiet" }, words.noSelection)), ...regions);
    } else {
      this.#body.replaceChildren(this.#entity(state), this.#why(state), ...this.#relations(state), ...this.#area(state),
        this.#events(state), ...regions);
    }
    kept();
  }

  /** Focus, typed text and, at the same moment, the list's place survive that the panels are made anew. */
  #keepPlace(position) {
    const focused = this.#body.contains(document.activeElement) ? document.activeElement : null;
    const { id, value, selectionStart } = focused ?? {};
    const chip = focused?.dataset.chip;
    const scrolled = this.#body.querySelector(".events")?.scrollTop ?? 0;
    return () => {
      const list = this.#body.querySelector(".events");
      const now = list?.querySelector("li:not(.later)");
      if (list) {
        list.scrollTop = position === this.#position || !now ? scrolled : now.offsetTop - list.offsetTop;
      }
      this.#position = position;
      const again = chip ? this.#body.querySelector(`[data-chip="${chip}"]`) : id && document.getElementById(id);
      if (again) {
        again.focus({ preventScroll: true });
        if (again.type === "text") {
          again.value = value;
          again.setSelectionRange(selectionStart, selectionStart);
        }
      }
    };
  }

  #facts(pairs) {
    return make("dl", {}, ...pairs.filter(Boolean).flatMap(([name, value, isWide]) =>
      [make("dt", { class: isWide ? "wide" : null }, name), make("dd", { class: isWide ? "wide" : null }, value)]));
  }

  #world({ options, count, moment, areas }) {
    const { engine, map } = options;
    return make("section", { id: "world" }, make("h2", {}, words.world), this.#facts([
      [words.entities, number(count)],
      areas.count > 0 && [words.areaCount, number(areas.count)],
      [words.engine, engine],
      [words.mapSize, map ? `(${number(map.x)}, ${number(map.y)}) – (${number(map.x + map.width)}, ` +
        `${number(map.y + map.height)})` : words.noMap, true],
      [words.shape, words.shapes[options.classic ? "classic" : options.shape]],
      options.radius !== undefined && [words.radius, number(options.radius)],
      options.slack > 0 && [words.slack, number(options.slack)],
      options.crowd && [words.limit, number(options.limit)],
      [words.calls, number(moment.calls), true],
    ]));
  }

  #heading(text, place, buttons) {
    return make("h2", {}, make("span", { class: `dot ${place}` }), text, make("span", { class: "space" }), ...buttons);
  }

  #icon(id, text, title, onclick) {
    return make("button", { id, type: "button", class: "icon", title, "aria-label": title, onclick }, text);
  }

  /** The area that is selected: what it is, and who is in it. */
  #area({ scene, area }) {
    if (!area) {
      return [];
    }
    const heading = this.#heading(`${words.area} ${area.id}`, "area", [
      this.#icon("clear-area", "✕", words.areaClear, () => this.#wishes.selectArea(null)),
    ]);
    if (area.index < 0) {
      return [make("section", { id: "area" }, heading, make("p", { class: "message" }, words.areaGone))];
    }
    const { shape, x, y, radius, leaveRadius, width, height, seesLayers, owner, corners } =
      scene.areas.describe(area.index);
    const name = words.areaShapes[shape];
    const isRound = shape === CIRCLE || shape === SQUARE;
    return [make("section", { id: "area" }, heading, this.#facts([
      [words.areaShape, name],
      isRound && [words.radius, number(radius)],
      isRound && leaveRadius > radius && [words.leaveRadius, number(leaveRadius)],
      shape === RECT && [words.size, `${number(width)} × ${number(height)}`],
      shape === POLYGON ? [words.corners, String(corners)]
        : [words.place, [x, y].map(number).join(", "), true],
      owner !== null && [words.owner, String(owner)],
      [words.seesLayers, bits(seesLayers)],
    ])), make("section", { id: "members", class: "areas" },
      make("h2", {}, words.areaMembers, make("span", { class: "count" }, String(area.members.length))),
      area.members.length === 0 ? make("p", { class: "message" }, words.nobody)
        : this.#plainChips(area.members, words.memberChip, (id) => this.#wishes.select(id)))];
  }

  #plainChips(ids, title, act) {
    const sorted = Array.from(ids).sort((a, b) => (a < b ? -1 : 1));
    return make("div", { class: "chips" }, ...sorted.slice(0, MOST_CHIPS).map((id) => make("button", { type: "button",
      title, class: "chip filled", onclick: () => act(id) }, String(id))),
    ids.length > MOST_CHIPS ? make("span", { class: "count" }, words.more(ids.length - MOST_CHIPS)) : null);
  }

  #entity({ scene, first }) {
    const { options } = scene;
    const heading = this.#heading(`${words.entity} ${first.id}`, "first", [
      this.#icon("centre", "◎", words.centre, () => this.#wishes.centre()),
      this.#icon("clear", "✕", words.clear, () => this.#wishes.clear()),
    ]);
    if (!first.position) {
      return make("section", { id: "first" }, heading, make("p", { class: "message" }, words.gone));
    }
    const { x, y, z } = first.position;
    const { traits } = first;
    const looks = traits.mode & 1;
    const isSeen = traits.mode & 2;
    return make("section", { id: "first" }, heading, this.#facts([
      [words.place, [x, y, ...(options.dims === 3 ? [z] : [])].map(number).join(", "), true],
      [words.mode, `${words.modesShort[traits.mode]}: ${words.modes[traits.mode]}`, true],
      isSeen && [words.layers, bits(traits.layers)],
      looks && [words.seesLayers, bits(traits.seesLayers)],
      looks && traits.radius !== undefined && [words.radius, number(traits.radius)],
      isSeen && traits.visibleRadius > 0 && [words.visibleRadius, number(traits.visibleRadius)],
      looks && options.crowd && [words.limit, number(traits.limit)],
      isSeen && options.crowd && [words.importance, String(traits.importance)],
    ]), looks && options.classic ? make("p", { class: "note" }, words.classicNote) : null,
    looks && options.slack > 0 ? make("p", { class: "note" }, words.slackNote(number(options.slack))) : null);
  }

  #why({ space, first, second, secondId }) {
    const input = make("input", { id: "second", type: "text", inputmode: "numeric", placeholder: words.whySecond,
      "aria-label": words.whySecond, autocomplete: "off", spellcheck: "false" });
    const form = make("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      const id = readId(input.value);
      if (id !== null) {
        this.#wishes.ask(id);
      }
    } }, make("span", { class: "dot second" }), input, make("button", { id: "ask", type: "submit" }, words.why));
    if (secondId === null) {
      return make("section", { id: "why" }, make("h2", {}, words.whyHint), make("p", { class: "message" }), form);
    }
    input.value = String(secondId);
    const swap = make("button", { id: "swap", type: "button", class: "icon", title: words.swap,
      "aria-label": words.swap, disabled: !second?.position, onclick: () => this.#wishes.swap() }, "⇄");
    const answer = (watcher, marker, name) => {
      const { reason, kind, text, note } = explain(space, watcher, marker);
      return make("div", { class: `answer ${kind}`, id: name },
        make("b", {}, words.answer[kind](watcher, marker)),
        make("p", {}, text), note ? make("p", { class: "quiet" }, note) : null,
        make("code", {}, `explain(${watcher}, ${marker}) = ${reason}`));
    };
    form.append(swap);
    return make("section", { id: "why" }, make("h2", {}, words.why), make("p", { class: "message" }), form,
      answer(first.id, secondId, "answer"), answer(secondId, first.id, "answer-back"));
  }

  /** tagsOf(id): what is to be said beside one. */
  #chips(scene, first, list, style, secondId, tagsOf) {
    const { x, y } = first.position;
    const distance = (id) => {
      const index = scene.indexOf(id);
      return index < 0 ? Infinity : (scene.x[index] - x) ** 2 + (scene.y[index] - y) ** 2;
    };
    const nearest = Array.from(list, (id) => [distance(id), id]).sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
    const chips = nearest.slice(0, MOST_CHIPS).map(([, id]) => make("button", { type: "button", title: words.chipTitle,
      "data-chip": `${style} ${id}`, "data-tags": tagsOf(id) || null,
      class: `chip ${style}${id === secondId ? " chosen" : ""}`,
      onclick: () => this.#wishes.ask(id), ondblclick: () => this.#wishes.select(id) }, String(id)));
    return make("div", { class: "chips" }, ...chips,
      list.length > MOST_CHIPS ? make("span", { class: "count" }, words.more(list.length - MOST_CHIPS)) : null);
  }

  #relations({ scene, space, first, secondId }) {
    if (!first.position) {
      return [];
    }
    const { traits } = first;
    const namesTags = (id) => reasonsOf(space, first.id, id).map((name) => words.tags[name]).join(", ");
    const hasLimit = scene.options.crowd && Number.isFinite(traits.limit);
    const countOf = (name, style, list) => (name === "markers" && style === "filled" && hasLimit
      ? `${list.length}: ${words.counted(countTold(space, first.id, list))}` : String(list.length));
    const part = (name, now, told) => {
      const tagsOf = name === "markers" ? namesTags : () => "";
      const isNow = new Set(now);
      const isTold = new Set(told);
      const groups = scene.options.deferred ? [
        ["filled", words.groups[name][1], [...now].filter((id) => isTold.has(id))],
        ["hollow", words.groups[name][2], [...now].filter((id) => !isTold.has(id))],
        ["stale", words.groups[name][3], [...told].filter((id) => !isNow.has(id))],
      ] : [["filled", "", [...now]]];
      return make("section", { id: name, class: name },
        make("h2", {}, words[name], make("span", { class: "count" }, String(now.length))),
        now.length + told.length === 0 ? make("p", { class: "message" }, words.nobody) : null,
        ...groups.filter(([, , list]) => list.length > 0).flatMap(([style, title, list]) => [
          title ? make("h3", {}, `${title} · ${countOf(name, style, list)}`) : null,
          this.#chips(scene, first, list, style, secondId, tagsOf)]));
    };
    const areas = scene.areas.count > 0 ? make("section", { id: "in-areas", class: "areas" },
      make("h2", {}, words.inAreas, make("span", { class: "count" }, String(first.areas.length))),
      first.areas.length === 0 ? null
        : this.#plainChips(first.areas, words.areaChip, (id) => this.#wishes.selectArea(id))) : null;
    return [traits.mode & 1 ? part("markers", first.markers, first.toldMarkers) : null,
      traits.mode & 2 ? part("watchers", first.watchers, first.toldWatchers) : null,
      traits.mode & 2 ? areas : null].filter(Boolean);
  }

  #events({ first, events, span, position, unit }) {
    const all = events.filter(({ op }) => this.#showsMoves || op !== MOVE);
    // The events around this moment, newest first.
    const now = all.findIndex((event) => event.position <= position);
    const begin = Math.max(0, (now < 0 ? all.length : now) - MOST_EVENTS / 2);
    const shown = all.slice(begin, begin + MOST_EVENTS);
    const moves = make("label", { class: "count" }, make("input", { id: "show-moves", type: "checkbox",
      checked: this.#showsMoves, onchange: (event) => {
        this.#showsMoves = event.target.checked;
        this.#wishes.refresh();
      } }), ` ${words.moves}`);
    return make("section", { id: "events" }, make("h2", {}, words.events, make("span", { class: "space" }), moves),
      make("p", { class: "message" }, shown.length === 0 ? words.eventsNone
        : words.eventsNote(span[0], span[1], unit)),
      make("ul", { class: "events", tabindex: shown.length > 0 ? 0 : null }, ...shown.map((event) =>
        make("li", { class: event.position === position ? "now" : event.position > position ? "later" : null },
          make("time", {}, String(event.position)),
          make("span", { class: `op-${event.op}` }, words.ops[event.op]),
          make("span", {}, event.op >= AREA_ENTER ? `${words.area} ${event.watcher}`
            : `${event.watcher} → ${event.marker}`)))));
  }
}
