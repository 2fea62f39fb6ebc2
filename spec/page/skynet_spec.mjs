// The page in front of a real skynet: what the demo's viewer service streams, as a browser shows it. SKYNET_HOME is the
// folder of a skynet that is built.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { close, root, Viewer } from "./browser.mjs";

const ROBOTS = 60;
const home = process.env.SKYNET_HOME;

describe("the demo's scene in skynet", { skip: home ? false : "SKYNET_HOME is not given" }, () => {
  let demo;
  let viewer;

  const isLive = () => viewer.page.waitForFunction(() => document.getElementById("live").textContent === "live");
  const newest = () => viewer.page.evaluate(() => window.aoiViewer.player?.to ?? -1);
  const isBehind = (tick) =>
    viewer.page.waitForFunction((wanted) => window.aoiViewer.player?.position > wanted, {}, tick);

  before(async () => {
    const built = spawnSync("make", ["skynet-module", `SKYNET_HOME=${home}`], { cwd: root });
    assert.equal(built.status, 0, String(built.stderr));
    const folder = `build/for-${path.basename(path.resolve(home))}`;
    demo = spawn(path.resolve(home, "skynet"), ["examples/skynet/config"], {
      cwd: root,
      env: {
        ...process.env,
        SKYNET_HOME: path.resolve(home),
        AOI_BUILD: folder,
        AOI_LOG: `${folder}/page.log`,
        AOI_MAIN: "main",
        ROBOTS: String(ROBOTS),
        DURATION: "0",
        CONSOLE: "0",
        VIEWER: "18001",
      },
    });
    let said = "";
    const address = await new Promise((resolve, reject) => {
      demo.stdout.on("data", (text) => {
        said += text;
        const found = /viewer: open (http:\S+)\n/.exec(said);
        if (found) {
          resolve(found[1]);
        }
      });
      demo.on("exit", () => reject(new Error(said)));
    });
    viewer = await Viewer.open({ address });
  });
  after(async () => {
    await viewer?.close();
    await close();
    demo?.kill("SIGKILL");
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

  it("is seen to end when skynet does", async () => {
    demo.kill("SIGKILL");
    await viewer.page.waitForFunction(() => document.getElementById("live").textContent !== "live");
  });
});
