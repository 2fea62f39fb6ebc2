// A robot: joins the game over a websocket as a browser does, walks, and keeps what it is told.
import { View } from "../../../clients/javascript/aoi_packet.js";
import { Socket } from "./websocket.mjs";

const TURN = Math.PI / 8;

/** Numbers from 0 up to 1, the same ones for the same seed (the generator is mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Robot {
  messages = 0;
  bytes = 0;
  resyncs = 0;
  isClosed = false;

  /** address: http://host:port/ of the game; at: "meadow,10,20", where it begins; said(text): what it hears; notified(text). */
  static async join(address, { name, at, seed = 1, said, notified }) {
    const robot = new Robot();
    robot.random = randomOf(seed);
    robot.direction = robot.random() * 2 * Math.PI;
    robot.view = new View({
      said: (id, bytes, text) => said?.(text),
      notified: (bytes, text) => notified?.(text),
      meMoved: ({ x, y }) => Object.assign(robot, { x, y }),
      resync: () => {
        robot.resyncs++;
        robot.socket.send("resync");
      },
    });
    const place = new Promise((resolve, reject) => {
      robot.arrived = resolve;
      robot.failed = reject;
    });
    const query = new URLSearchParams({ name, ...(at && { at }) });
    robot.socket = await Socket.open(`${address}play?${query}`, {
      text: (line) => robot.#hear(line.split(" ")),
      binary: (packet) => robot.#take(packet),
      closed: () => {
        robot.isClosed = true;
        robot.failed(new Error(`${name}: the connection is closed`));
      },
    });
    await place;
    return robot;
  }

  #take(packet) {
    this.messages++;
    this.bytes += packet.length;
    this.view.take(packet);
  }

  #hear([word, ...rest]) {
    if (word === "map") {
      const [name, width, height, radius] = rest;
      this.map = { name, width: Number(width), height: Number(height), radius: Number(radius) };
    } else if (word === "you") {
      const [id, x, y, stream] = rest.map(Number);
      Object.assign(this, { id, x, y });
      this.view.begin(stream, x, y);
      this.arrived();
    } else if (word === "echo") {
      this.#echo(rest[0]);
    }
  }

  /** The number may come before the socket is ours. */
  #echo(number) {
    if (this.socket) {
      this.socket.send(`echo ${number}`);
    } else {
      setTimeout(() => this.#echo(number), 1);
    }
  }

  walkTo(x, y) {
    [this.x, this.y] = [x, y];
    const facing = (Math.round(this.direction * 180 / Math.PI) % 360 + 360) % 360;
    const pushes = this.view.stepTo(x, y) ?? 0;
    this.socket.send(`walk ${x} ${y} ${facing} ${pushes} ${this.view.me?.stream ?? 0}`);
  }

  /** One step of so many units, in a direction that changes a little each time; back from the border. */
  step(length) {
    this.direction += (this.random() * 2 - 1) * TURN;
    const [x, y] = [this.x + length * Math.cos(this.direction), this.y + length * Math.sin(this.direction)];
    if (x < 0 || x > this.map.width || y < 0 || y > this.map.height) {
      this.direction += Math.PI;
    } else {
      this.walkTo(x, y);
    }
  }

  leave() {
    this.socket.close();
  }
}
