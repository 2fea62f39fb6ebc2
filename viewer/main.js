// The viewer: opens recordings, keeps what is selected and shown, and tells its parts when something has changed.
import { classify } from "./colours.js";
import { byId, make, writeWords } from "./dom.js";
import { EventLog } from "./event_log.js";
import { listenToFiles } from "./files.js";
import { Filler } from "./filler.js";
import { listenToKeys } from "./keys.js";
import { showFoot, showLegend } from "./legend.js";
import { connect, streamAddress } from "./live.js";
import { WorldMap } from "./map.js";
import { Panels } from "./panels.js";
import { Playback, SPEEDS } from "./playback.js";
import { Player } from "./player.js";
import { DamageShown, problem } from "./problems.js";
import { Recording } from "./recording.js";
import { Regions } from "./regions.js";
import { Saves } from "./saves.js";
import { look, lookAtArea, Scene } from "./scene.js";
import { loadCore } from "./space.js";
import { TimeLine } from "./time_line.js";
import { COLOURS, language, number, speak, usualLanguage, words } from "./words.js";

const PANELS_EVERY = 120; // milliseconds, while it plays
const TRAIL = 80; // places
const LEGEND_GROWS = 44; // pixels, when somebody is selected
const SAVES = 256 * 2 ** 20; // bytes; on a telephone a quarter of them

const scene = new Scene();
const frames = { intervals: [], draws: [] };
const regions = new Regions();
const shows = { cells: false, areas: true, views: false, names: false, colour: "mode" };

let core = null;
let recording = null;
let playback = null;
let log = new EventLog();
let generation = 0; // which opening of a recording is the newest
let isLive = false;
let reading = null; // ends what comes in: a file, or the stream that is watched
let firstId = null;
let secondId = null;
let areaId = null;
let first = null;
let second = null;
let area = null;
let trail = [];
let latest = null; // the events of this moment
let painting = { classes: [], kinds: [], used: [] };
let damage = new DamageShown();
let mapIsOld = true;
let panelsAreOld = true;
let panelsShownAt = 0;

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

// ---- what is there at this moment

function refresh() {
  if (!playback) {
    return;
  }
  playback.whenIdle(takeMoment);
}

function takeMoment() {
  const { space } = playback;
  scene.take(space, {
    cells: shows.cells || space.options.classic,
    areas: shows.areas || areaId !== null,
    importance: shows.colour === "importance" && space.options.crowd,
  });
  if (shows.colour === "change" && latest) {
    scene.mark(latest);
  }
  first = firstId === null ? null : look(space, scene, firstId);
  second = secondId === null || secondId === firstId ? null : look(space, scene, secondId);
  area = areaId === null ? null : lookAtArea(space, scene, areaId);
  painting = classify(shows.colour, scene, first, playback.following ? regions.ghosts : null);
  if (first?.position && !(trail.at(-2) === first.position.x && trail.at(-1) === first.position.y)) {
    trail.push(first.position.x, first.position.y);
    trail.splice(0, trail.length - 2 * TRAIL);
  }
  mapIsOld = true;
  panelsAreOld = true;
  const isMoving = playback.playing || playback.following;
  if (!isMoving || performance.now() - panelsShownAt > PANELS_EVERY) {
    showPanels();
  }
}

/** The space is asked here: only while the player is at rest. */
function showPanels() {
  panelsAreOld = false;
  panelsShownAt = performance.now();
  const events = eventsOfFirst();
  panels.show({ scene, space: playback?.space, unit: recording?.unit, position: playback?.position, first, second,
    secondId, area, events, span: log.span(), regions });
  showTime(events);
  showLegend({ scene, painting, first }, (name) => map.colour(name));
}

/** Does not ask the space: at any time. */
function showTime(events = eventsOfFirst()) {
  timeLine.show({ playback, recording, isLive, events }, (name) => map.colour(name));
}

function eventsOfFirst() {
  return firstId === null ? [] : log.of(firstId);
}

// ---- what a person asks for

function select(id) {
  if (id !== firstId) {
    trail = [];
  }
  firstId = id;
  if (id === null || id === secondId) {
    secondId = null;
  }
  refresh();
}

/** null: none any more. */
function selectArea(id) {
  areaId = id;
  refresh();
}

function ask(id) {
  if (firstId === null) {
    select(id);
    return;
  }
  secondId = id === firstId ? null : id;
  refresh();
}

function swap() {
  if (firstId !== null && secondId !== null) {
    [firstId, secondId] = [secondId, firstId];
    trail = [];
    refresh();
  }
}

function find(id) {
  if (scene.indexOf(id) < 0) {
    const isArea = scene.areas.indexOf(id) >= 0;
    if (isArea) {
      selectArea(id);
    }
    return isArea;
  }
  select(id);
  centre();
  return true;
}

function centre() {
  const index = firstId === null ? -1 : scene.indexOf(firstId);
  if (index < 0) {
    return;
  }
  map.camera.x = scene.x[index];
  map.camera.y = scene.y[index];
  const radius = scene.radius[index];
  if (Number.isFinite(radius) && radius > 0 && map.reach > 12 * radius) {
    map.camera.scale *= map.reach / (4 * radius);
  }
  mapIsOld = true;
}

function fit(box = scene.bounds()) {
  map.fit(box, byId("tools").offsetHeight, byId("legend").offsetHeight + (first?.position ? 0 : LEGEND_GROWS));
}

function nearestTo(x, y, reach, then) {
  const index = scene.nearest(x, y, reach);
  then(index < 0 ? null : scene.ids[index]);
}

function speedBy(step) {
  if (playback) {
    const at = SPEEDS.findIndex((speed) => speed >= playback.speed);
    playback.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + step))];
    refresh();
  }
}

function showColour(name) {
  shows.colour = name;
  byId("colour").value = name;
  refresh();
}

function toggle(name) {
  shows[name] = !shows[name];
  byId(`show-${name}`).checked = shows[name];
  refresh();
  mapIsOld = true;
}

const wishes = {
  play: () => playback?.play(!(playback.playing || playback.following)),
  step: (n) => playback?.step(n),
  seek: (position) => playback?.seek(Math.max(playback.from, Math.min(playback.to, position))),
  speed: (n) => {
    playback.speed = n;
    refresh();
  },
  follow: () => playback?.follow(!playback.following),
  find, select, selectArea, ask, swap, centre, refresh,
  showArea: (id) => {
    fit(scene.areas.boxOf(scene.areas.indexOf(id)));
    selectArea(id);
  },
  clear: () => select(null),
};

const map = new WorldMap(byId("map"), {
  moved: () => {
    mapIsOld = true;
  },
  clicked: (x, y, reach, isSecond) => nearestTo(x, y, reach, (id) => {
    if (!isSecond) {
      areaId = id === null ? scene.areas.at(x, y) : areaId;
      select(id);
    } else if (id !== null) {
      ask(id);
    }
  }),
  pointed: (x, y) => {
    byId("cursor").textContent = x === undefined || !playback ? "" : `${number(x)}, ${number(y)}`;
  },
});
const timeLine = new TimeLine(byId("time"), wishes);
const panels = new Panels(byId("panels"), wishes);

// ---- opening

/** Without a recording there is only the invitation to open one. */
function showWhetherOpen() {
  byId("welcome").hidden = playback !== null;
  document.body.classList.toggle("empty", playback === null);
  map.resize();
}

/** Begins to show a recording, as soon as it has something to show. */
async function start(mine) {
  const saves = new Saves(matchMedia("(pointer: coarse)").matches ? SAVES / 4 : SAVES);
  const player = await Player.open(core, recording, { saves });
  if (!isLive) {
    await player.seekSomebody();
  }
  if (mine !== generation) {
    player.close();
    return;
  }
  playback = new Playback(player, {
    stepped: (position, events) => {
      latest = events;
      log.add(position, events, firstId);
    },
    turned: () => showTime(),
    changed: () => {
      damage.showNew(playback, recording.unit);
      takeMoment();
    },
    failed: (error) => problem(words.brokenMoment(recording.unit, player.position), "", error.message),
  }, new Filler(core, recording, saves));
  showWhetherOpen();
  takeMoment();
  fit();
  showPanels();
  if (isLive) {
    playback.follow(true);
  }
}

function begin(name, live) {
  generation++;
  playback?.close();
  playback = null;
  recording = new Recording();
  log = new EventLog();
  isLive = live;
  firstId = secondId = areaId = first = second = area = latest = null;
  trail = [];
  byId("file").textContent = name;
  problem(null);
  regions.clear();
  damage = new DamageShown();
  showReading(null);
  return generation;
}

function showReading(share) {
  byId("reading").hidden = share === null;
  byId("reading").value = share ?? 0;
}

/** Opens a file, or a blob: part after part. */
async function open(file, name) {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  const mine = begin(name, false);
  byId("live").hidden = true;
  byId("again").hidden = streamAddress(location) === null;
  try {
    await recording.read(file, (bytes) => signal.aborted || showReading(bytes / file.size), signal);
    if (mine === generation && recording.pieces.length > 0) {
      await start(mine);
    }
    if (mine === generation) {
      damage.show(playback, recording);
    }
  } catch (error) {
    if (mine === generation) {
      problem(words.damagedAll, "", error.message);
    }
  }
  if (mine === generation) {
    showReading(null);
    showWhetherOpen();
    showTime();
  }
}

function watch(address) {
  let mine = 0;
  let starting = null;
  reading?.abort();
  reading = new AbortController();
  byId("live").hidden = false;
  byId("again").hidden = true;
  connect(address, {
    began: () => {
      mine = begin("", true);
      starting = null;
    },
    bytes: (bytes) => {
      recording.add(bytes);
      if (playback) {
        playback.grown();
        panelsAreOld = true;
      } else if (recording.pieces.length > 0) {
        starting ??= start(mine).catch((error) => problem(words.damagedAll, "", error.message));
      }
    },
    text: (text) => {
      regions.take(JSON.parse(text));
      panelsAreOld = true;
    },
    state: (state) => {
      byId("live").dataset.state = state;
      byId("live").textContent = words.live[state];
      byId("again").hidden = state === "connecting" || state === "open";
    },
  }, reading.signal);
}

// ---- keys and controls

const keys = {
  " ": wishes.play,
  ArrowLeft: (event) => wishes.step(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => wishes.step(event.shiftKey ? 10 : 1),
  Home: () => wishes.seek(-Infinity),
  End: () => wishes.seek(Infinity),
  "[": () => speedBy(-1),
  "]": () => speedBy(1),
  l: () => isLive && wishes.follow(),
  f: () => panels.focusFinder(),
  "/": () => panels.focusFinder(),
  x: swap,
  m: centre,
  Escape: () => (secondId !== null ? ask(firstId) : firstId !== null ? select(null) : selectArea(null)),
  "+": () => map.zoom(1.3),
  "=": () => map.zoom(1.3),
  "-": () => map.zoom(1 / 1.3),
  z: () => fit(),
  w: () => map.pan(0, 60),
  s: () => map.pan(0, -60),
  a: () => map.pan(60, 0),
  d: () => map.pan(-60, 0),
  c: () => toggle("cells"),
  r: () => toggle("areas"),
  v: () => toggle("views"),
  n: () => toggle("names"),
  k: () => showColour(COLOURS[(COLOURS.indexOf(shows.colour) + 1) % COLOURS.length]),
  o: () => byId("chooser").click(),
  "?": () => byId("keys").showModal(),
  mapEnter: () => nearestTo(map.camera.x, map.camera.y, map.reach, select),
};

function writePage() {
  document.documentElement.lang = language;
  document.title = words.title;
  writeWords();
  byId("colour").replaceChildren(...COLOURS.map((name) => make("option", { value: name }, words.colours[name])));
  byId("colour").value = shows.colour;
  byId("keys-table").replaceChildren(...words.keys.map(([names, text]) => make("tr", {},
    make("td", {}, ...names.split(" ").map((name) => make("kbd", {}, name))), make("td", {}, text))));
  mapIsOld = true;
  timeLine.build();
  panels.build();
  if (byId("live").dataset.state) {
    byId("live").textContent = words.live[byId("live").dataset.state];
  }
  showTime();
  refresh();
}

function listen() {
  listenToKeys(keys, () => {
    mapIsOld = true;
  });
  listenToFiles((file) => open(file, file.name));
  byId("language").addEventListener("click", () => {
    speak(language === "en" ? "zh" : "en");
    writePage();
  });
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("problem-close").addEventListener("click", () => problem(null));
  byId("again").addEventListener("click", () => watch(streamAddress(location)));
  byId("colour").addEventListener("change", () => showColour(byId("colour").value));
  for (const name of ["cells", "areas", "views", "names"]) {
    byId(`show-${name}`).addEventListener("change", () => toggle(name));
  }
  for (const [id, act] of [["zoom-in", () => map.zoom(1.3)], ["zoom-out", () => map.zoom(1 / 1.3)], ["fit", () => fit()]]) {
    byId(id).addEventListener("click", () => {
      act();
      mapIsOld = true;
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    map.readColours();
    mapIsOld = true;
    refresh();
  });
}

// ---- the loop

let frameAt = 0;

function frame(now) {
  const elapsed = now - frameAt;
  frameAt = now;
  playback?.frame(Math.min(elapsed / 1000, 0.5));
  if (panelsAreOld && now - panelsShownAt > PANELS_EVERY) {
    playback?.whenIdle(showPanels);
  }
  if (mapIsOld) {
    mapIsOld = false;
    const began = performance.now();
    map.draw(scene, { ...painting, first, second, area, trail, shows, colourByRing: shows.colour === "ring" });
    note(frames.draws, performance.now() - began);
    note(frames.intervals, elapsed);
    showFoot(map, playback !== null, scene.options?.engine);
  }
  requestAnimationFrame(frame);
}

/** Keeps the last few hundred. */
function note(list, value) {
  list.push(value);
  if (list.length > 600) {
    list.shift();
  }
}

async function run() {
  speak(usualLanguage());
  map.readColours();
  listen();
  writePage();
  requestAnimationFrame(frame);
  core = await loadCore(bytesOf(window.AOI_CORE));
  const address = streamAddress(location);
  if (window.AOI_RECORDING) {
    await open(new Blob([bytesOf(window.AOI_RECORDING)]), window.AOI_RECORDING_NAME ?? "");
  } else if (address) {
    watch(address);
  }
}

// For the specs and for the console of a browser; the page itself does not use it.
window.aoiViewer = {
  frames,
  scene,
  map,
  get player() {
    return playback;
  },
};

run().catch((error) => problem(words.damagedAll, "", error.message));
