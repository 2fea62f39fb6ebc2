// The page on a scene that goes on: a small service of our own speaks the websocket, and the page follows it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { built, close, PAGE, require, Viewer } from "./browser.mjs";

const { WebSocketServer } = require("ws");

const TOKEN = "a token&of=its own";
const HEAD = 48;
const INDEX = 3;

/** A recording, cut as the service sends it: the beginning with the first piece, then a piece each. */
function messagesOf(bytes) {
  const messages = [];
  for (let from = 0, head = 8; bytes.readUInt8(head) !== INDEX; from = head) {
    const tick = Number(bytes.readBigUInt64LE(head + 40)); // that it goes to
    head += HEAD + Number(bytes.readBigUInt64LE(head + 8));
    messages.push({ bytes: bytes.subarray(from, head), tick });
  }
  return messages;
}

class Service {
  texts = [];
  connections = 0;
  open = 0;
  #socket = null;

  async start() {
    this.server = createServer((request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(readFileSync(PAGE));
    });
    const sockets = new WebSocketServer({ noServer: true });
    this.server.on("upgrade", (request, socket, head) => {
      const url = new URL(request.url, "http://localhost");
      if (url.pathname !== "/stream" || url.searchParams.get("token") !== TOKEN) {
        socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      sockets.handleUpgrade(request, socket, head, (accepted) => this.#accept(accepted));
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${this.server.address().port}`;
  }

  #accept(socket) {
    socket.on("message", (bytes) => this.texts.push(bytes.toString()));
    socket.on("error", () => {});
    socket.on("close", () => { this.open--; });
    this.connections++;
    this.open++;
    this.#socket = socket;
  }

  send(bytes) {
    this.#socket.send(bytes);
  }

  /** Ends the connection, by a close frame with a code or without one. */
  end(code) {
    if (code) {
      this.#socket.close(code);
    } else {
      this.#socket.terminate();
    }
  }

  stop() {
    this.#socket?.terminate();
    this.server.close();
  }
}

describe("a live scene", () => {
  const recording = readFileSync(built("town.aoi"));
  const messages = messagesOf(recording);
  const service = new Service();
  let viewer;
  let sent = 0;
  let bytes = 0;

  const send = (count) => {
    for (; count > 0; count--, sent++) {
      service.send(messages[sent].bytes);
      bytes += messages[sent].bytes.length;
    }
  };
  const isAt = (n) => viewer.page.waitForFunction((wanted) => window.aoiViewer.player?.position === wanted, {}, n);
  const newest = () => viewer.page.evaluate(() => window.aoiViewer.player.to);

  before(async () => {
    await service.start();
    viewer = await Viewer.open({ address: `${service.address}/?token=${encodeURIComponent(TOKEN)}` });
  });
  after(async () => {
    await viewer.close();
    service.stop();
    await close();
  });

  it("is followed from the first keyframe on, and the first picture says so", async () => {
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
    await viewer.page.evaluate(() => {
      window.firstPicture = new Promise((done) => {
        const look = () => (window.aoiViewer.player ? done(document.getElementById("follow").ariaPressed)
          : requestAnimationFrame(look));
        look();
      });
    });
    send(1);
    assert.equal(await viewer.page.evaluate(() => window.firstPicture), "true");
    await isAt(1);
    assert.equal((await viewer.everybody()).length, 311);
    for (let tick = 2; tick < 30; tick++) {
      send(1);
    }
    await isAt(29);
    assert.equal(await viewer.page.$eval("#follow", (button) => button.getAttribute("aria-pressed")), "true");
    assert.match(await viewer.text("#span"), /newest/);
  });

  it("is told how much of it the page has", async () => {
    await viewer.page.waitForFunction((n) => window.aoiViewer.player.to >= n, {}, 29);
    const end = Date.now() + 5000;
    while (service.texts.at(-1) !== `have ${bytes}` && Date.now() < end) {
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.equal(service.texts.at(-1), `have ${bytes}`);
    assert.equal(service.texts.length, sent);
  });

  it("stands still, and can be scrubbed, while it goes on", async () => {
    await viewer.press("ArrowLeft");
    assert.equal(await viewer.position(), 28);
    send(20);
    await viewer.page.waitForFunction(() => window.aoiViewer.player.to >= 45);
    await viewer.rest();
    assert.equal(await viewer.position(), 28);
    await viewer.page.waitForFunction(() => /behind/.test(document.getElementById("span").textContent));
    await viewer.press("Home");
    assert.equal(await viewer.position(), 1);
    await viewer.page.keyboard.press("Space");
    await viewer.page.waitForFunction(() => window.aoiViewer.player.position > 3);
    await viewer.press("Space");
    assert.equal(await viewer.page.evaluate(() => window.aoiViewer.player.playing), false);
  });

  it("is followed again when asked to", async () => {
    await viewer.press("KeyL");
    await isAt(await newest());
    send(60);
    await isAt(messages[sent - 1].tick);
    await viewer.press("KeyL");
    const stopped = await viewer.position();
    send(5);
    await viewer.page.waitForFunction((n) => window.aoiViewer.player.to > n, {}, stopped);
    await viewer.rest();
    assert.equal(await viewer.position(), stopped);
  });

  it("that was replaced is connected to again, and begins anew", async () => {
    service.end(1012);
    await viewer.page.waitForFunction(() => window.aoiViewer.player === null);
    [sent, bytes] = [0, 0];
    assert.equal(service.connections, 2);
    send(10);
    await isAt(10);
  });

  it("stays on the page when the connection is lost, and can be connected to again", async () => {
    assert.equal(await viewer.shown("#again"), false);
    service.end();
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "connection lost");
    await viewer.press("ArrowLeft");
    assert.equal(await viewer.position(), 9);
    await viewer.page.click("#again");
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
    [sent, bytes] = [0, 0];
    send(4);
    await isAt(4);
    service.end(1001);
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "the scene has ended");
  });

  it("ends when a file is opened, of which nothing but the file is shown, and can be connected to again", async () => {
    await viewer.page.click("#again");
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
    [sent, bytes] = [0, 0];
    send(8);
    await isAt(8);
    const whole = readFileSync(built("slack.aoi"));
    const file = built("damaged/live.aoi");
    mkdirSync(built("damaged"), { recursive: true });
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    await viewer.page.$("#chooser").then((chooser) => chooser.uploadFile(file));
    await viewer.page.waitForFunction(() => !document.getElementById("problem").hidden);
    const detail = await viewer.text("#problem-detail");
    send(8);
    for (let i = 0; service.open > 0; i++) {
      assert.ok(i < 500, "the connection stays open");
      await new Promise((done) => setTimeout(done, 20));
    }
    await viewer.press("End");
    assert.equal((await viewer.everybody()).length, 109);
    assert.equal(await viewer.text("#problem-detail"), detail);
    assert.equal(await viewer.shown("#live"), false);
    await viewer.page.click("#again");
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
    [sent, bytes] = [0, 0];
    send(3);
    await isAt(3);
  });

  it("of a region shows all regions of its world, and ghosts hollow while it is followed", async () => {
    const ghosts = (await viewer.everybody()).slice(0, 9).map(({ id }) => String(id));
    const tell = (ticks) => {
      service.send(JSON.stringify({ ghosts, regions: [
        { node: "west", owned: 299, ghosts: 12, ticks, tick_time: 3 * ticks, hand_overs: 0.5 * ticks },
        { node: "<b>", owned: 2, ghosts: 0, ticks, tick_time: ticks, hand_overs: 0 },
        { node: "east" }, { node: null },
      ] }));
      send(1); // who is a ghost is drawn with the next moment
    };
    const rows = () => viewer.page.$$eval("#regions tr", (list) => list.slice(1).map((row) =>
      Array.from(row.cells, (cell) => cell.textContent).join("|")));
    tell(100);
    await viewer.page.waitForFunction(() => document.querySelectorAll("#regions tr").length === 5);
    tell(110);
    await viewer.page.waitForFunction(() => /0\.5/.test(document.getElementById("regions").textContent));
    assert.deepEqual(await rows(), ["1|west|299|12|0.5|3", "2|<b>|2|0|0|1", "3|east|does not answer",
      "4|no node|does not answer"]);
    await viewer.page.waitForFunction(() => /ghosts · 9/.test(document.getElementById("legend").textContent));
    await viewer.press("ArrowLeft");
    assert.doesNotMatch(await viewer.text("#legend"), /ghosts/);
    assert.equal((await rows()).length, 4);
    await viewer.press("KeyL");
  });

  it("is not shown to who has not the token", async () => {
    const stranger = await Viewer.open({ address: `${service.address}/?token=guessed` });
    await stranger.page.waitForFunction(() => /no connection/.test(document.getElementById("live").textContent));
    assert.equal(await stranger.shown("#welcome"), true);
    await stranger.close(/403/);
  });
});

describe("a world on one map", () => {
  const service = new Service();
  let viewer;

  before(async () => {
    await service.start();
    viewer = await Viewer.open({ address: `${service.address}/?token=${encodeURIComponent(TOKEN)}` });
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
  });
  after(async () => {
    await viewer.close();
    service.stop();
    await close();
  });

  it("shows a region when its number in the table is clicked", async () => {
    messagesOf(readFileSync(built("picture.aoi"))).forEach(({ bytes }) => service.send(bytes));
    const region = { node: "west", owned: 1, ghosts: 0, ticks: 1, tick_time: 1, hand_overs: 0 };
    service.send(JSON.stringify({ ghosts: [], regions: [region, { ...region, node: "east" }] }));
    await viewer.page.waitForSelector("#regions button");
    await viewer.page.click("#regions tr:last-child button");
    await viewer.page.waitForSelector("#area h2");
    assert.match(await viewer.text("#area"), /Area -2\s+✕\s+shape\s+rectangle/);
    const [middle, share] = await viewer.page.evaluate(() => {
      const { map: { camera } } = window.aoiViewer;
      return [camera.x, camera.scale * 600 / document.getElementById("map").clientHeight];
    });
    assert.ok(Math.abs(middle - 600) < 1, `the middle of the map is ${middle}`);
    assert.ok(share > 0.5 && share < 1, `the region has ${share} of the map's height`);
  });
});
