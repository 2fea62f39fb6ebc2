// Draws docs/pictures/viewer*.{gif,png}, through the viewer's own page in a headless Chromium: `make pictures`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { built, close, require, root, Viewer } from "../spec/page/browser.mjs";

const { GIFEncoder, quantize, applyPalette } = require("gifenc");

const picture = (name) => path.join(root, "docs/pictures", name);
const WATCHER = "47"; // walks into the market
const COLOURS = 255; // and one for "as before"

/** A moving picture: each frame has only what differs from the one before it. */
class Film {
  #frames = [];

  add({ width, height, pixels }, milliseconds) {
    this.#frames.push({ width, height, pixels, milliseconds });
  }

  save(file) {
    // One palette for all, made of some of them.
    const some = this.#frames.filter((_, i) => i % 8 === 0);
    const sample = new Uint8Array(Buffer.concat(some.map(({ pixels }) => pixels)));
    const palette = quantize(sample, COLOURS);
    const gif = GIFEncoder();
    let before = null;
    for (const { width, height, pixels, milliseconds } of this.#frames) {
      const now = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
      const index = applyPalette(pixels, palette);
      if (before) {
        now.forEach((pixel, i) => {
          if (pixel === before[i]) {
            index[i] = palette.length;
          }
        });
      }
      gif.writeFrame(index, width, height, {
        palette: before ? undefined : [...palette, [0, 0, 0]],
        transparent: before !== null,
        transparentIndex: palette.length,
        delay: milliseconds,
        dispose: 1,
      });
      before = now;
    }
    gif.finish();
    writeFileSync(file, gif.bytes());
  }
}

/** Without the keyboard's focus on anything, and without the mouse over anything. */
async function rest(viewer) {
  await viewer.page.evaluate(() => document.activeElement.blur());
  await viewer.page.mouse.move(1, 1);
  await viewer.page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  await viewer.rest();
}

async function goTo(viewer, tick) {
  await viewer.enter("#position", String(tick));
  await rest(viewer);
}

/** Selects the watcher, and shows what is around the place where it will be at a tick. */
async function select(viewer, tick) {
  await goTo(viewer, tick);
  await viewer.enter("#find", WATCHER);
  await rest(viewer);
  await viewer.press("KeyZ", "KeyM", "+", "+");
}

/** Asks about one in the view that is not in the told set. */
async function askWhy(viewer) {
  const [, other] = await viewer.chips("markers", "hollow");
  await viewer.enter("#second", other);
  await rest(viewer);
}

async function drawMoving() {
  const viewer = await Viewer.open({ width: 1000, height: 600, density: 0.8 });
  await viewer.openFile(built("town.aoi"));
  await select(viewer, 90);
  await goTo(viewer, 60);
  const film = new Film();
  const shoot = async (milliseconds) => film.add(await viewer.picture(), milliseconds);
  await shoot(800);
  for (let i = 0; i < 44; i++) {
    await viewer.press("ArrowRight");
    await shoot(120);
  }
  await askWhy(viewer);
  await shoot(2500);
  for (let i = 0; i < 12; i++) {
    await viewer.press("ArrowLeft");
    await shoot(i < 11 ? 120 : 3000);
  }
  film.save(picture("viewer.gif"));
  await viewer.close();
}

async function drawStill(name, language) {
  const viewer = await Viewer.open({ width: 1280, height: 760 });
  if (await viewer.page.evaluate(() => document.documentElement.lang) !== language) {
    await viewer.page.click("#language");
  }
  await viewer.openFile(built("town.aoi"));
  await select(viewer, 104);
  await askWhy(viewer);
  await viewer.press("KeyK", "KeyC");
  await rest(viewer);
  await viewer.picture({ file: picture(name) });
  await viewer.close();
}

await drawMoving();
await drawStill("viewer.png", "en");
await drawStill("viewer.zh-CN.png", "zh");
await close();
