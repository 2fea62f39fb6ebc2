// Plays: a websocket to the agent, the keys, and what the player is told. agent.lua has the words of both sides.
import { View } from "./aoi_packet.js";
import { draw, KEY } from "./drawing.js";

const STEP = 10;   // units that a step is long
const PACE = 100;  // milliseconds from one to the next
const LINES = 200; // most in the log

const DIRECTIONS = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

const game = { view: null, socket: null, map: null, me: null, name: "", facing: 0 };
window.game = game; // to look at in the browser's console

const element = (id) => document.getElementById(id);
const decoder = new TextDecoder();
const nameOf = (entity) => decoder.decode(entity.data ?? new Uint8Array());

// ---- what is told ----------------------------------------------------------------------------------------------

function log(text) {
  const line = document.createElement("li");
  line.textContent = text;
  element("log").append(line);
  while (element("log").childElementCount > LINES) {
    element("log").firstChild.remove();
  }
  line.scrollIntoView();
}

function newView() {
  return new View({
    entered: (id, entity) => log(`${nameOf(entity)} comes into view`),
    left: (id, entity) => log(`${nameOf(entity)} is out of view`),
    notified: (bytes, text) => log(text),
    meMoved: ({ x, y }) => { // by others: what was on its way when they did so counts no more
      if (game.me) {
        Object.assign(game.me, { x, y });
      }
    },
    said: (id, bytes, text) => log(`${nameOf(game.view.entities.get(id) ?? {}) || id}: ${text}`),
    resync: () => game.socket.send("resync"),
  });
}

const hear = {
  map(name, width, height, radius, x, y, ...fire) {
    const [fireX, fireY, fireRadius] = fire.map(Number);
    game.map = { name, width: Number(width), height: Number(height), radius: Number(radius),
      door: { x: Number(x), y: Number(y) },
      fire: fire.length > 0 ? { x: fireX, y: fireY, radius: fireRadius } : null };
    game.me = null; // until it is told where in it
    element("where").textContent = `You are in the ${name}. Arrow keys walk, Enter speaks. The ring is a door, the bright square ` +
      "is as far as you see.";
  },
  you(id, x, y, stream) {
    game.me = { id: Number(id), x: Number(x), y: Number(y) };
    game.view.begin(Number(stream), game.me.x, game.me.y);
  },
  echo(number) { // so the agent knows what has been read
    game.socket.send(`echo ${number}`);
  },
};

function take(data) {
  if (typeof data !== "string") {
    game.view.take(data);
    return;
  }
  const [word, ...rest] = data.split(" ");
  hear[word]?.(...rest);
}

// ---- what the player does --------------------------------------------------------------------------------------

function join(name) {
  game.socket?.close();
  game.view = newView();
  game.name = name;
  game.socket = new WebSocket(`ws://${location.host}/play?name=${encodeURIComponent(name)}`);
  game.socket.binaryType = "arraybuffer";
  game.socket.onmessage = ({ data }) => take(data);
  game.socket.onclose = () => log("the connection is closed");
  element("map").focus();
}

const pressed = new Set();

function walk() {
  const { me, map, socket } = game;
  if (!me || socket.readyState !== WebSocket.OPEN || pressed.size === 0) {
    return;
  }
  let [dx, dy] = [0, 0];
  for (const key of pressed) {
    dx += DIRECTIONS[key][0];
    dy += DIRECTIONS[key][1];
  }
  if (dx !== 0 || dy !== 0) {
    game.facing = (Math.round(Math.atan2(dy, dx) * 180 / Math.PI) + 360) % 360;
  }
  me.x = Math.min(map.width, Math.max(0, me.x + dx * STEP));
  me.y = Math.min(map.height, Math.max(0, me.y + dy * STEP));
  const pushes = game.view.stepTo(me.x, me.y, undefined, [game.facing]) ?? 0;
  socket.send(`walk ${me.x} ${me.y} ${game.facing} ${pushes} ${game.view.me?.stream ?? 0}`);
}

function show() {
  requestAnimationFrame(show);
  if (!game.me) {
    return;
  }
  const entities = [...game.view.entities.values()];
  const life = game.view.me?.properties.get(KEY.LIFE);
  draw(element("map"), game, entities.map((entity) => ({ ...entity, name: nameOf(entity) })),
    { name: game.name, facing: game.facing, life });
  const names = entities.map(nameOf).sort().join("\n");
  if (element("seen").dataset.names !== names) {
    element("seen").dataset.names = names;
    element("seen").replaceChildren(...names.split("\n").filter(Boolean).map((name) => {
      const line = document.createElement("li");
      line.textContent = name;
      return line;
    }));
  }
}

element("join").addEventListener("submit", (event) => {
  event.preventDefault();
  join(element("name").value || "somebody");
});
element("chat").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = element("words").value;
  if (words && game.socket) {
    game.socket.send(`say ${words}`);
    log(`you: ${words}`);
  }
  element("words").value = "";
  element("map").focus();
});
element("map").addEventListener("keydown", (event) => {
  if (DIRECTIONS[event.key]) {
    event.preventDefault();
    pressed.add(event.key);
  } else if (event.key === "Enter") {
    event.preventDefault(); // else the same key submits the line that it has opened
    element("words").focus();
  }
});
// A key that is held opens a line or says it, once.
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.repeat) {
    event.preventDefault();
    event.stopPropagation();
  }
}, true);
addEventListener("keyup", (event) => pressed.delete(event.key));
addEventListener("blur", () => pressed.clear());
setInterval(walk, PACE);
show();
