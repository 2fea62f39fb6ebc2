// The page in front of a real skynet, as `make skynet-demo` starts both: what the demo's viewer service streams, as a
// browser shows it. SKYNET_HOME is the folder of a skynet that is built.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { close, PAGE, root, Viewer, within } from "./browser.mjs";

const ROBOTS = 60;
const BUILD = 180000; // milliseconds: the demo builds the module and the page before it speaks
const SPEAK = 60000;
const home = process.env.SKYNET_HOME;

/** The number of a port that was free just now. */
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

describe("the demo's scene in skynet", { skip: home ? false : "SKYNET_HOME is not given" }, () => {
  let demo;
  let ended;
  let said = "";
  let viewer;

  const isLive = () => viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
  const newest = () => viewer.page.evaluate(() => window.aoiViewer.player?.to ?? -1);
  const isBehind = (tick) =>
    viewer.page.waitForFunction((wanted) => window.aoiViewer.player?.position > wanted, {}, tick);

  /** To all processes of the demo, as a terminal does for Ctrl-C. */
  const signal = (name) => process.kill(-demo.pid, name);
  /** Resolves to what the demo has said so far, when that is in it. */
  const hears = (wanted, most = SPEAK) => {
    const isSaid = new Promise((resolve, reject) => {
      const look = () => (wanted.test(said) ? resolve(said) : said.includes("no viewer") && reject(new Error(said)));
      demo.stdout.on("data", look);
      demo.on("exit", () => reject(new Error(said)));
      look();
    });
    return within(most, `${wanted} from the demo`, isSaid);
  };

  /** Also when this file is ended: the demo is a group of processes of its own. */
  const end = () => {
    if (demo?.exitCode === null && demo.signalCode === null) {
      signal("SIGKILL");
    }
  };

  before(async () => {
    rmSync(PAGE); // the demo builds it
    demo = spawn("make", ["skynet-demo", `SKYNET_HOME=${home}`, `ROBOTS=${ROBOTS}`, "DURATION=", "CONSOLE=0",
      `VIEWER=${await freePort()}`], { cwd: root, detached: true });
    ended = new Promise((done) => demo.on("exit", done));
    process.on("exit", end);
    for (const stream of [demo.stdout, demo.stderr]) {
      stream.on("data", (text) => { said += text; });
    }
    const [, address] = /viewer: open (http:\S+)\n/.exec(await hears(/viewer: open http:\S+\n/, BUILD));
    viewer = await Viewer.open({ address });
  });
  after(async () => {
    await viewer?.close();
    await close();
    end();
  });

  it("is followed tick by tick, with all robots and the observer", async () => {
    await isLive();
    await isBehind(0);
    const first = await newest();
    await isBehind(first + 10);
    assert.equal((await viewer.everybody()).length, ROBOTS + 1);
  });

  it("can be stopped and scrubbed back while it goes on", async () => {
    await viewer.press("Home");
    const start = await viewer.position();
    assert.equal(start, await viewer.page.evaluate(() => window.aoiViewer.player.from));
    await viewer.page.waitForFunction((tick) => window.aoiViewer.player.to > tick, {}, (await newest()) + 5);
    await viewer.rest();
    assert.equal(await viewer.position(), start);
    await viewer.press("ArrowRight");
    assert.equal(await viewer.position(), start + 1);
  });

  it("goes on when the demo has measured", async () => {
    await hears(/It goes on\..*\nviewer: open http:/);
    await viewer.press("KeyL");
    await isBehind((await newest()) + 5);
  });

  it("ends by Ctrl-C, and the page sees it", async () => {
    signal("SIGINT");
    await within(SPEAK, "end of the demo", ended);
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent !== "live");
  });
});
