// What the page makes of files that are damaged, cut off, or no recordings; and of hostile names.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, describe, it } from "node:test";
import {
  closeSync, copyFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync,
} from "node:fs";
import { built, close, root, Viewer } from "./browser.mjs";

const TOWN = readFileSync(built("town.aoi"));
const HEAD = 48;
const KEYFRAME = 1;

mkdirSync(built("damaged"), { recursive: true });
after(close);

/** The heads of the pieces of a recording: [{at, kind, size, tick}]; tick is where it ends. */
function piecesOf(bytes) {
  const pieces = [];
  for (let at = 8; bytes.readUInt8(at) !== 3;) {
    const [kind, size, tick] = [bytes.readUInt8(at), Number(bytes.readBigUInt64LE(at + 8)),
      Number(bytes.readBigUInt64LE(at + 40))];
    pieces.push({ at, kind, size, tick });
    at += HEAD + size;
  }
  return pieces;
}

const pieces = piecesOf(TOWN);

/** Opens a page with these bytes as a file, and hands it to a check. */
async function withFile(name, bytes, check) {
  const file = built(`damaged/${name}`);
  writeFileSync(file, bytes);
  const viewer = await Viewer.open();
  await viewer.openFile(file);
  await check(viewer);
  await viewer.close();
}

const changed = (at) => {
  const bytes = Buffer.from(TOWN);
  bytes[at] ^= 0x10;
  return bytes;
};

describe("a file", () => {
  it("that was cut off is shown up to its last whole piece", async () => {
    const middle = pieces[160];
    await withFile("cut.aoi", TOWN.subarray(0, middle.at + HEAD + 10), async (viewer) => {
      assert.match(await viewer.text("#problem"), /can't be read to its end\. Everything before that is here/);
      assert.match(await viewer.text("#problem-detail"), new RegExp(`${middle.at} of ${middle.at + HEAD + 10} bytes`));
      await viewer.press("End");
      assert.equal(await viewer.position(), pieces[159].tick);
      assert.equal((await viewer.everybody()).length, 311);
      await viewer.page.click("#problem-close");
      assert.equal(await viewer.shown("#problem"), false);
    });
  });

  it("with a damaged head is shown up to there", async () => {
    await withFile("head.aoi", changed(pieces[100].at + 20), async (viewer) => {
      assert.match(await viewer.text("#problem"), new RegExp(`piece at byte ${pieces[100].at} has a damaged head`));
      await viewer.press("End");
      assert.equal(await viewer.position(), pieces[99].tick);
    });
  });

  it("with damage inside a piece can be played before it, and behind the next keyframe", async () => {
    const at = pieces.findIndex(({ kind, tick }) => kind !== KEYFRAME && tick === 120);
    const next = pieces.find(({ kind, tick }) => kind === KEYFRAME && tick > 120);
    await withFile("inside.aoi", changed(pieces[at].at + HEAD + pieces[at].size - 9), async (viewer) => {
      await viewer.enter("#position", "130");
      await viewer.page.evaluate(() => document.activeElement.blur());
      assert.match(await viewer.text("#problem"), new RegExp(`between ticks 119 and ${next.tick} can't be played`));
      assert.equal(await viewer.position(), 119);
      await viewer.press("ArrowLeft");
      assert.equal(await viewer.position(), 118);
      // A place in the gap is before it, also from nearby; a step goes over it.
      await viewer.enter("#position", "130");
      assert.equal(await viewer.position(), 119);
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.press("ArrowRight");
      assert.equal(await viewer.position(), next.tick);
      await viewer.press("End");
      assert.equal(await viewer.position(), 301);
      await viewer.enter("#position", String(next.tick + 3));
      assert.equal(await viewer.position(), next.tick + 3);
      await viewer.page.evaluate(() => document.activeElement.blur());
      // Playing goes over the gap.
      await viewer.enter("#position", "115");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.page.select("#speed", "100");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.page.keyboard.press("Space");
      await viewer.page.waitForFunction((n) => window.aoiViewer.player.position > n, {}, next.tick);
      await viewer.press("Space");
    });
  });

  it("that is no recording is named so, and another one opens after it", async () => {
    await withFile("picture.aoi", Buffer.from("GIF89a, a picture and no recording"), async (viewer) => {
      assert.match(await viewer.text("#problem"), /no recording/);
      assert.equal(await viewer.shown("#welcome"), true);
      await viewer.openFile(built("slack.aoi"));
      assert.equal(await viewer.shown("#problem"), false);
      assert.equal((await viewer.everybody()).length, 109);
    });
  });

  it("opens while the one before is on its way to a moment far off", async () => {
    const viewer = await Viewer.open();
    await viewer.openFile(built("large.aoi"));
    const text = readFileSync(built("slack.aoi")).toString("base64");
    const wasIdle = await viewer.page.evaluate((base64) => {
      const { player } = window.aoiViewer;
      window.former = player;
      player.seek(Infinity);
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], "slack.aoi"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer }));
      return player.idle;
    }, text);
    assert.equal(wasIdle, false);
    await viewer.page.waitForFunction(() => window.former.idle &&
      ![window.former, null].includes(window.aoiViewer.player));
    await viewer.rest();
    assert.equal((await viewer.everybody()).length, 109);
    await viewer.page.waitForFunction(() => window.former.space === null); // its memory is given back
    await viewer.close();
  });

  it("that is empty is no recording", async () => {
    await withFile("empty.aoi", Buffer.alloc(0), async (viewer) => {
      assert.equal(await viewer.shown("#problem"), true);
    });
  });

  it("may have any name: it is text", async () => {
    const name = "<img src=x onerror=document.title='hacked'>.aoi";
    const file = built(`damaged/${name}`);
    copyFileSync(built("slack.aoi"), file);
    const viewer = await Viewer.open();
    await viewer.openFile(file);
    assert.equal(await viewer.text("#file"), name);
    assert.equal(await viewer.page.title(), "lua-aoi viewer");
    await viewer.close();
  });

  it("can be inside the page", async () => {
    execFileSync("node", ["viewer/build.js", built("core.wasm"), built("damaged/with.html"), built("slack.aoi")],
      { cwd: root });
    const viewer = await Viewer.open({ address: new URL(`file://${built("damaged/with.html")}`).href });
    await viewer.page.waitForFunction(() => window.aoiViewer.player);
    assert.equal((await viewer.everybody()).length, 109);
    await viewer.close();
  });

  it("may be larger than what a browser reads in one piece", async () => {
    const HOLE = 2.5 * 2 ** 30;
    const { at } = pieces[160];
    const notes = Buffer.from(TOWN.subarray(at, at + HEAD)); // somebody else's, of one moment
    notes.writeUInt8(4, 0);
    notes.writeBigUInt64LE(BigInt(HOLE), 8);
    notes.copy(notes, 32, 16, 32);
    let [low, high] = [1, 0];
    for (const byte of notes.subarray(8)) {
      low = (low + byte) % 65521;
      high = (high + low) % 65521;
    }
    notes.writeUInt32LE(high * 65536 + low, 4);
    const file = built("damaged/hole.aoi");
    const handle = openSync(file, "w");
    writeSync(handle, TOWN, 0, at, 0);
    writeSync(handle, notes, 0, HEAD, at);
    writeSync(handle, TOWN, at, TOWN.length - at, at + HEAD + HOLE); // what is before it takes no room on the disk
    closeSync(handle);
    const viewer = await Viewer.open();
    await viewer.openFile(file);
    await viewer.press("End");
    assert.equal(await viewer.position(), 301);
    assert.equal((await viewer.everybody()).length, 311);
    await viewer.press("ArrowLeft", "Home");
    assert.equal(await viewer.position(), 1);
    assert.equal(await viewer.shown("#problem"), false);
    await viewer.close();
    rmSync(file);
  });

  it("that is being read shows how much of it has come", async () => {
    const viewer = await Viewer.open();
    await viewer.page.evaluate(() => {
      const bar = document.getElementById("reading");
      window.shares = [];
      new MutationObserver(() => window.shares.push(bar.hidden ? null : bar.value)).observe(bar, { attributes: true });
    });
    await viewer.openFile(built("large.aoi"));
    const shares = await viewer.page.evaluate(() => window.shares.filter((share) => share !== null));
    assert.ok(shares.length > 4 && shares.every((share, i) => share > (shares[i - 1] ?? 0)), `${shares}`);
    assert.ok(shares[0] < 0.3 && shares.at(-1) <= 1, `${shares}`);
    assert.equal(await viewer.shown("#reading"), false);
    await viewer.close();
  });

  it("that is being read gives way to another", async () => {
    const viewer = await Viewer.open();
    await viewer.page.evaluate(async () => {
      const open = (bytes, name) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], name));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer }));
      };
      open(new Uint8Array(2 ** 26), "slow.aoi");
      open(new Uint8Array(3), "other.aoi");
      await new Promise((done) => setTimeout(done, 500));
    });
    assert.equal(await viewer.text("#file"), "other.aoi");
    assert.match(await viewer.text("#problem-detail"), /of 3 bytes/);
    await viewer.close();
  });

  it("runs no script that is not its own, and asks nobody for anything", async () => {
    const html = readFileSync(built("viewer.html"), "utf8");
    writeFileSync(built("damaged/more.html"), html.replace("</body>", "<script>window.isForeign = true;</script></body>"));
    const viewer = await Viewer.open({ address: new URL(`file://${built("damaged/more.html")}`).href });
    assert.equal(await viewer.page.evaluate(() => window.isForeign), undefined);
    assert.equal(await viewer.page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "", ({ message }) => message)),
      "Failed to fetch");
    assert.ok(viewer.complaints.some((text) => /inline script/.test(text)), "the script was refused");
    assert.ok(viewer.complaints.some((text) => /connect-src/.test(text)), "and so was the request");
    await viewer.close(/Content Security Policy/);
  });
});
