// A headless Chromium with the viewer's page in it, for the specs and for the pictures: what a person does there, and
// what they see.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
/** What is installed for the specs of the page and the pictures. */
export const require = createRequire(path.join(root, "viewer/browser/package.json"));
const puppeteer = require("puppeteer-core");

export const built = (name) => path.join(root, "build/viewer", name);
export const PAGE = built("viewer.html");

const CLOSE = 10000; // milliseconds; a browser that hangs is killed

let browser = null;

// The runner ends a file that takes too long by SIGTERM: the browser goes with it (puppeteer sees to that at exit).
process.on("SIGTERM", () => process.exit(143));

/** What is awaited, but no longer than so many milliseconds: then an error that says what was awaited. */
export async function within(milliseconds, name, promise) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${name} within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export async function launch() {
  browser ??= await puppeteer.launch({
    protocolTimeout: 90000,
    handleSIGTERM: false,
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--lang=en"],
  });
  return browser;
}

export async function close() {
  const closing = browser;
  browser = null;
  if (closing) {
    await within(CLOSE, "end of the browser", closing.close()).catch(() => closing.process().kill("SIGKILL"));
  }
}

/** Sizes of windows to look at: width and height, from a telephone to a large screen. */
export const SIZES = [[390, 844], [960, 700], [1280, 760], [1600, 900]];

/**
 * Draws the page into a file for each of these sizes, in light and in dark; `file` names one by both.
 * resized: called after each change of the size.
 */
export async function pictures(page, file, resized = () => {}) {
  const before = page.viewport();
  for (const [width, height] of SIZES) {
    await page.setViewport({ width, height });
    await resized();
    for (const scheme of ["dark", "light"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: "reduce" }]); // colours are there at once
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.screenshot({ path: file(width, scheme) });
    }
  }
  await page.setViewport(before);
}

/** A page of the viewer, and what it complained of: errors and requests to anywhere but itself. */
export class Viewer {
  complaints = [];

  static async open({ address = pathToFileURL(PAGE).href, width = 1280, height = 760, density = 1 } = {}) {
    const viewer = new Viewer();
    viewer.page = await (await launch()).newPage();
    const { page } = viewer;
    page.on("pageerror", (error) => viewer.complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && viewer.complaints.push(message.text()));
    page.on("request", (request) => {
      if (request.url() !== address && !/^(data|blob):/.test(request.url())) {
        viewer.complaints.push(`it asked for ${request.url()}`);
      }
    });
    page.setDefaultTimeout(30000);
    await page.setViewport({ width, height, deviceScaleFactor: density });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await page.goto(address);
    await page.waitForFunction(() => window.aoiViewer !== undefined);
    await page.bringToFront();
    return viewer;
  }

  /** `expected`: complaints that may be there. */
  async close(expected = /^$/) {
    await this.page.close();
    assert.deepEqual(this.complaints.filter((text) => !expected.test(text)), []);
  }

  /** Opens a file as a person does: by the button, and the browser's own dialog. */
  async openFile(file) {
    const [dialog] = await Promise.all([this.page.waitForFileChooser(), this.page.click("#open")]);
    await dialog.accept([file]);
    await this.page.waitForFunction(() => window.aoiViewer.player || !document.getElementById("problem").hidden);
    await this.rest();
  }

  /** Waits until the player is at rest and the page has been drawn. */
  async rest() {
    await this.page.waitForFunction(() => window.aoiViewer.player === null || window.aoiViewer.player.idle);
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  async press(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
    await this.rest();
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.innerText);
  }

  shown(selector) {
    return this.page.$eval(selector, (element) => element.checkVisibility());
  }

  position() {
    return this.page.evaluate(() => window.aoiViewer.player.position);
  }

  /** Where everybody is at this moment: [{id, x, y, radius, mode, layers, seesLayers}], ids as text, in the order of ids. */
  async everybody() {
    const list = await this.page.evaluate(() => {
      const { scene } = window.aoiViewer;
      return Array.from({ length: scene.count }, (_, i) => ({ id: String(scene.ids[i]), x: scene.x[i], y: scene.y[i],
        radius: scene.radius[i], mode: scene.mode[i], layers: scene.layers[i], seesLayers: scene.seesLayers[i] }));
    });
    return list.sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** The pixel of the page where the map shows a place. */
  pixelOf({ x, y }) {
    return this.page.evaluate(([px, py]) => {
      const box = document.getElementById("map").getBoundingClientRect();
      const [left, top] = window.aoiViewer.map.pixelAt(px, py);
      return [box.left + left, box.top + top];
    }, [x, y]);
  }

  async click(entity, withShift = false) {
    const [x, y] = await this.pixelOf(entity);
    if (withShift) {
      await this.page.keyboard.down("Shift");
    }
    await this.page.mouse.click(x, y);
    if (withShift) {
      await this.page.keyboard.up("Shift");
    }
    await this.rest();
  }

  /** Writes into a field, instead of what is there, and presses Enter. */
  async enter(selector, text) {
    await this.page.focus(selector);
    await this.page.$eval(selector, (element) => element.select());
    await this.page.keyboard.type(text);
    await this.press("Enter");
  }

  /** The ids on the chips of a list ("markers", "watchers"), of one style or all. */
  chips(list, style = "") {
    return this.page.$$eval(`#${list} .chip${style && `.${style}`}`, (chips) => chips.map((chip) => chip.textContent));
  }

  /** The pixels of the page: {width, height, pixels}; into a file, too, if named. */
  async picture({ file, clip } = {}) {
    // Beyond the viewport the browser gives the page another size for the picture, and the map is empty meanwhile.
    const png = Buffer.from(await this.page.screenshot({ clip, captureBeyondViewport: false }));
    if (file) {
      writeFileSync(file, png);
    }
    return pixelsOf(this.page, png);
  }

  /** The pixels of that part of the map that nothing stands over: {width, height, pixels, left, top}. */
  async mapPicture() {
    const clip = await this.page.$eval("#map", (map) => {
      const { left, top, width, height } = map.getBoundingClientRect();
      return { x: left + 8, y: top + 60, width: width - 16, height: height - 180 };
    });
    return { ...await this.picture({ clip }), left: clip.x, top: clip.y };
  }

  /** The colour of such a picture where a place of the world is, as text; null where that is not on it. */
  async colourAt({ width, height, pixels, left, top }, place) {
    const [x, y] = await this.pixelOf(place);
    const [column, row] = [Math.round(x - left), Math.round(y - top)];
    const at = 4 * (row * width + column);
    const isOn = column >= 0 && column < width && row >= 0 && row < height;
    return isOn ? [...pixels.subarray(at, at + 3)].join(" ") : null;
  }
}

/** What is in a PNG, read by the browser itself: in the same page, as one in the background stands still. */
async function pixelsOf(page, png) {
  const { width, height, text } = await page.evaluate(async (source) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(source), (one) => one.charCodeAt(0))]));
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let bytes = "";
    for (let at = 0; at < data.length; at += 32768) {
      bytes += String.fromCharCode(...data.subarray(at, at + 32768));
    }
    return { width: image.width, height: image.height, text: btoa(bytes) };
  }, png.toString("base64"));
  return { width, height, pixels: new Uint8Array(Buffer.from(text, "base64")) };
}

/** How many different colours a picture has. */
export function coloursOf({ pixels }) {
  return new Set(new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4)).size;
}

/** How many pixels of two pictures of one size differ, by more than what blending rounds this way or that. */
export function differences(one, other) {
  assert.equal(one.pixels.length, other.pixels.length);
  let count = 0;
  for (let at = 0; at < one.pixels.length; at += 4) {
    const differs = [0, 1, 2].some((channel) => Math.abs(one.pixels[at + channel] - other.pixels[at + channel]) > 4);
    count += differs ? 1 : 0;
  }
  return count;
}

/** Whether w sees m in a space whose views are circles, as the contract says. */
export function sees(w, m) {
  const [dx, dy] = [m.x - w.x, m.y - w.y];
  return w.id !== m.id && (w.mode & 1) !== 0 && (m.mode & 2) !== 0 && (m.layers & w.seesLayers) !== 0 &&
    dx * dx + dy * dy <= w.radius * w.radius;
}
