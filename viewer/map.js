// The map: a camera over the plane, and all that is drawn on the canvas.
import { Dots } from "./dots.js";
import { drawMarks, drawPair } from "./marks.js";
import { listenToPointers } from "./pointers.js";
import { SEEN, TOLD } from "./scene.js";

const MOST_NAMES = 500;
const VIEW_ALPHA = 80; // of 255
const TURN = 2 * Math.PI;

/** 1, 2 or 5 times a power of ten, at least so much. */
export function roundUp(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * (1 - 1e-9));
}

export class WorldMap {
  /** Pixels per unit, and the place in the middle of the canvas; y goes up. */
  camera = { x: 0, y: 0, scale: 1 };
  namesHidden = false;
  #canvas;
  #pen;
  #width = 1;
  #height = 1;
  #density = 1;
  #colours = {};
  #dots = new Dots();

  /** heard: of pointers.js, which moves the camera. */
  constructor(canvas, heard) {
    this.#canvas = canvas;
    this.#pen = canvas.getContext("2d", { alpha: false });
    listenToPointers(canvas, this, heard);
    new ResizeObserver(() => {
      this.resize();
      heard.moved();
    }).observe(canvas);
    this.resize();
  }

  resize() {
    const { width, height } = this.#canvas.getBoundingClientRect();
    this.#density = window.devicePixelRatio || 1;
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
    this.#canvas.width = Math.round(this.#width * this.#density);
    this.#canvas.height = Math.round(this.#height * this.#density);
  }

  /** Takes the colours of the page's style; to be called when that has changed. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = ["map-ground", "map-outside", "map-line", "map-border", "map-cell", "map-view", "map-name", "first",
      "second", "found", "area", "watching", "plain", "faint", "heat-1", "heat-2", "heat-3", "surface",
      ...Array.from({ length: 8 }, (_, i) => `kind-${i}`)];
    this.#colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }

  colour(name) {
    return this.#colours[name];
  }

  /** Shows a box whole, between the tools above and the legend below, so many pixels high. */
  fit(box, tools, legend) {
    if (!box) {
      return;
    }
    const [side, top, bottom] = [24, 24 + tools, 46 + legend];
    const width = Math.max(box.width, 1e-9);
    const height = Math.max(box.height, 1e-9);
    const scale = Math.min((this.#width - 2 * side) / width, (this.#height - top - bottom) / height, 1e6);
    this.camera.scale = Math.max(scale, 1e-9);
    this.camera.x = box.x + box.width / 2;
    this.camera.y = box.y + box.height / 2 + (top - bottom) / 2 / this.camera.scale;
  }

  zoom(factor, px = this.#width / 2, py = this.#height / 2) {
    const [x, y] = this.placeAt(px, py);
    this.camera.scale = Math.max(1e-9, Math.min(this.camera.scale * factor, 1e6));
    this.camera.x = x - (px - this.#width / 2) / this.camera.scale;
    this.camera.y = y + (py - this.#height / 2) / this.camera.scale;
  }

  pan(dx, dy) {
    this.camera.x -= dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
  }

  /** The place under a pixel of the canvas. */
  placeAt(px, py) {
    return [this.camera.x + (px - this.#width / 2) / this.camera.scale,
      this.camera.y - (py - this.#height / 2) / this.camera.scale];
  }

  /** The pixel of the canvas at a place. */
  pixelAt(x, y) {
    return [(x - this.camera.x) * this.camera.scale + this.#width / 2,
      (this.camera.y - y) * this.camera.scale + this.#height / 2];
  }

  /** Whether a pixel is on the canvas, or so many beside it. */
  has(px, py, margin) {
    return px > -margin && px < this.#width + margin && py > -margin && py < this.#height + margin;
  }

  /* The part of the world on the screen: left, low, right, high. */
  get sight() {
    const [left, high] = this.placeAt(0, 0);
    const [right, low] = this.placeAt(this.#width, this.#height);
    return [left, low, right, high];
  }

  /** Half the canvas, in units of the world. */
  get reach() {
    return Math.hypot(this.#width, this.#height) / 2 / this.camera.scale;
  }

  /** A length for the scale bar: {length in units, pixels}. */
  ruler() {
    const length = roundUp(70 / this.camera.scale);
    return { length, pixels: length * this.camera.scale };
  }

  /**
   * Draws a scene. view: {classes, kinds, isGhost, rings} of colours.js, first and second (look() of scene.js or null),
   * area (lookAtArea() of scene.js or null), trail [x, y, …], shows {cells, areas, views, names}.
   */
  draw(scene, view) {
    const pen = this.#pen;
    pen.setTransform(this.#density, 0, 0, this.#density, 0, 0);
    this.#drawGround(scene);
    if (!scene.options) {
      return;
    }
    if (view.shows.cells) {
      this.#drawCells(scene);
    }
    scene.areas.draw(pen, this, this.#colours.area, view.area?.index ?? -1);
    if (view.first?.position) {
      this.#drawTrail(view.trail);
      this.#drawView(scene, view.first, "first", view.rings);
    }
    if (view.second?.position) {
      this.#drawView(scene, view.second, "second");
    }
    const visible = this.#drawEntities(scene, view);
    this.#drawMembers(scene, view);
    drawMarks(pen, this, scene, view);
    drawPair(pen, this, view);
    this.#drawNames(scene, view, visible);
  }

  #drawGround({ options }) {
    const pen = this.#pen;
    const map = options?.map;
    pen.fillStyle = this.#colours[map ? "map-outside" : "map-ground"];
    pen.fillRect(0, 0, this.#width, this.#height);
    if (!options) {
      return;
    }
    let clip = [0, 0, this.#width, this.#height];
    if (map) {
      const [left, top] = this.pixelAt(map.x, map.y + map.height);
      const [right, bottom] = this.pixelAt(map.x + map.width, map.y);
      clip = [Math.max(0, left), Math.max(0, top), Math.min(this.#width, right), Math.min(this.#height, bottom)];
      pen.fillStyle = this.#colours["map-ground"];
      pen.fillRect(clip[0], clip[1], Math.max(0, clip[2] - clip[0]), Math.max(0, clip[3] - clip[1]));
    }
    const step = roundUp(90 / this.camera.scale);
    const [left, top] = this.placeAt(clip[0], clip[1]);
    const [right, bottom] = this.placeAt(clip[2], clip[3]);
    pen.beginPath();
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      const px = Math.round(this.pixelAt(x, 0)[0]) + 0.5;
      pen.moveTo(px, clip[1]);
      pen.lineTo(px, clip[3]);
    }
    for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
      const py = Math.round(this.pixelAt(0, y)[1]) + 0.5;
      pen.moveTo(clip[0], py);
      pen.lineTo(clip[2], py);
    }
    pen.strokeStyle = this.#colours["map-line"];
    pen.lineWidth = 1;
    pen.stroke();
    if (map) {
      const [x, y] = this.pixelAt(map.x, map.y + map.height);
      pen.strokeStyle = this.#colours["map-border"];
      pen.strokeRect(x, y, map.width * this.camera.scale, map.height * this.camera.scale);
    }
  }

  /** A box of the world in pixels, cut a little outside the canvas: infinite ones too. Null when it is off screen. */
  #box(x, y, width, height) {
    const cut = (value, most) => Math.max(-8, Math.min(value, most + 8));
    const left = cut(this.pixelAt(x, 0)[0], this.#width);
    const right = cut(this.pixelAt(x === -Infinity && width === Infinity ? Infinity : x + width, 0)[0], this.#width);
    const bottom = cut(this.pixelAt(0, y)[1], this.#height);
    const top = cut(this.pixelAt(0, y === -Infinity && height === Infinity ? Infinity : y + height)[1], this.#height);
    return right > 0 && left < this.#width && bottom > 0 && top < this.#height
      ? [left, top, right - left, bottom - top] : null;
  }

  #drawCells({ cells, options }) {
    const pen = this.#pen;
    const { map } = options;
    pen.save();
    if (map) { // the cells at its borders may be larger than what is left of it
      const [left, top] = this.pixelAt(map.x, map.y + map.height);
      pen.beginPath();
      pen.rect(left, top, map.width * this.camera.scale, map.height * this.camera.scale);
      pen.clip();
    }
    let most = 1;
    for (let i = 4; i < cells.length; i += 5) {
      most = Math.max(most, cells[i]);
    }
    pen.fillStyle = this.#colours["map-cell"];
    pen.strokeStyle = this.#colours["map-cell"];
    const outline = new Path2D();
    for (let i = 0; i < cells.length; i += 5) {
      const box = this.#box(cells[i], cells[i + 1], cells[i + 2], cells[i + 3]);
      if (box) {
        // Blocks of a cross-list are as long as the plane and lie over each other.
        const strength = Number.isFinite(cells[i + 2]) && Number.isFinite(cells[i + 3]) ? 1 : 0.3;
        pen.globalAlpha = strength * (0.04 + 0.26 * Math.sqrt(cells[i + 4] / most));
        pen.fillRect(...box);
        outline.rect(...box);
      }
    }
    pen.globalAlpha = 0.5;
    pen.lineWidth = 0.75;
    pen.stroke(outline);
    pen.restore();
  }

  #drawViews(scene) {
    const density = this.#density;
    const scale = this.camera.scale;
    const { classic, shape } = scene.options;
    const colour = [this.#colours["map-view"], VIEW_ALPHA];
    for (let i = 0; i < scene.count; i++) {
      if (!(scene.mode[i] & 1)) {
        continue;
      }
      if (classic) {
        const area = scene.nineCells(scene.x[i], scene.y[i]);
        const box = area && this.#box(area.x, area.y, area.width, area.height);
        if (box) {
          this.#dots.box(...box.map((length) => length * density), ...colour);
        }
        continue;
      }
      const radius = scene.radius[i] * scale;
      const [x, y] = this.pixelAt(scene.x[i], scene.y[i]);
      if (x + radius < 0 || x - radius > this.#width || y + radius < 0 || y - radius > this.#height ||
        radius > 20 * (this.#width + this.#height)) {
        continue;
      }
      if (shape === "circle") {
        this.#dots.circle(x * density, y * density, radius * density, ...colour);
      } else {
        this.#dots.box((x - radius) * density, (y - radius) * density, 2 * radius * density, 2 * radius * density,
          ...colour);
      }
    }
  }

  #outline(x, y, radius, isCircle) {
    const path = new Path2D();
    const [px, py] = this.pixelAt(x, y);
    const length = Math.max(0, radius) * this.camera.scale;
    if (isCircle) {
      path.arc(px, py, length, 0, TURN);
    } else {
      path.rect(px - length, py - length, 2 * length, 2 * length);
    }
    return path;
  }

  /* From where it is seen by its visible radius. */
  #drawVisible(scene, { position: { x, y }, traits }, name) {
    if (!(traits.mode & 2) || !(traits.visibleRadius > 0) || traits.visibleRadius === Infinity) {
      return;
    }
    const pen = this.#pen;
    pen.strokeStyle = this.#colours[name];
    pen.lineWidth = 1;
    pen.setLineDash([8, 4]);
    pen.stroke(this.#outline(x, y, traits.visibleRadius, scene.options.shape === "circle"));
    pen.setLineDash([]);
  }

  #drawView(scene, { position: { x, y }, traits }, name, rings) {
    this.#drawVisible(scene, { position: { x, y }, traits }, name);
    if (!(traits.mode & 1)) {
      return;
    }
    const pen = this.#pen;
    const { classic, shape, slack } = scene.options;
    const isCircle = shape === "circle";
    const colour = this.#colours[name];
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.75;
    if (classic || traits.radius === Infinity) {
      const area = classic ? scene.nineCells(x, y) : { x: -Infinity, y: -Infinity, width: Infinity, height: Infinity };
      const box = area && this.#box(area.x, area.y, area.width, area.height);
      if (box) {
        pen.globalAlpha = 0.09;
        pen.fillRect(...box);
        pen.globalAlpha = 1;
        pen.strokeRect(...box);
      }
      return;
    }
    const path = this.#outline(x, y, traits.radius, isCircle);
    pen.globalAlpha = 0.09;
    pen.fill(path);
    pen.globalAlpha = 1;
    pen.stroke(path);
    pen.setLineDash([5, 5]);
    pen.lineWidth = 1;
    if (slack > 0) {
      const reach = (isCircle ? Math.SQRT2 : 1) * 2 * slack;
      pen.stroke(this.#outline(x, y, traits.radius + reach, isCircle));
      pen.stroke(this.#outline(x, y, traits.radius - reach, isCircle));
    }
    pen.setLineDash([2, 4]);
    for (const { bound } of rings ?? []) {
      if (Number.isFinite(bound)) {
        pen.stroke(this.#outline(x, y, bound, true));
      }
    }
    pen.setLineDash([]);
  }

  #drawTrail(trail) {
    const pen = this.#pen;
    pen.strokeStyle = this.#colours.first;
    pen.lineWidth = 2;
    for (let i = 2; i < trail.length; i += 2) {
      pen.globalAlpha = 0.6 * i / trail.length;
      pen.beginPath();
      pen.moveTo(...this.pixelAt(trail[i - 2], trail[i - 1]));
      pen.lineTo(...this.pixelAt(trail[i], trail[i + 1]));
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  #drawEntities(scene, view) {
    const { classes, used, shows } = view;
    const pen = this.#pen;
    const density = this.#density;
    const radius = scene.count > 4000 ? 2 : scene.count > 1000 ? 3 : 4;
    const scale = this.camera.scale * density;
    const toPixel = { scale, x: this.#canvas.width / 2 - this.camera.x * scale,
      y: this.#canvas.height / 2 + this.camera.y * scale };
    let visible = 0;
    this.#dots.clear(this.#canvas.width, this.#canvas.height);
    if (shows.views) {
      this.#drawViews(scene);
    }
    classes.forEach(({ colour }, kind) => {
      if (used[kind] > 0) {
        visible += this.#dots.draw(scene, view, kind, toPixel, this.#colours[colour], radius * density);
      }
    });
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.#dots.layer, 0, 0);
    pen.setTransform(density, 0, 0, density, 0, 0);
    return visible;
  }

  #drawMembers(scene, { area }) {
    const pen = this.#pen;
    pen.fillStyle = this.#colours.area;
    for (const id of area?.members ?? []) {
      const index = scene.indexOf(id);
      if (index >= 0) {
        pen.beginPath();
        pen.arc(...this.pixelAt(scene.x[index], scene.y[index]), scene.count > 4000 ? 3.5 : 5, 0, TURN);
        pen.fill();
      }
    }
  }

  #drawNames(scene, { first, second, shows }, visible) {
    const pen = this.#pen;
    this.namesHidden = shows.names && visible > MOST_NAMES;
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = this.#colours["map-ground"];
    const taken = new Set(); // fields of the canvas with a name in them: names that would overlap are left out
    const name = (index, text, always) => {
      const [px, py] = this.pixelAt(scene.x[index], scene.y[index]);
      if (!(px > -40 && px < this.#width && py > 0 && py < this.#height + 10)) {
        return;
      }
      const row = Math.floor(py / 12);
      const fields = Array.from({ length: Math.ceil(text.length * 7 / 16) + 1 }, (_, i) =>
        row * 4096 + Math.floor((px + 8) / 16) + i);
      if (always || !fields.some((field) => taken.has(field))) {
        fields.forEach((field) => taken.add(field));
        pen.strokeText(text, px + 8, py - 6);
        pen.fillText(text, px + 8, py - 6);
      }
    };
    pen.font = "bold 12px system-ui, sans-serif";
    for (const [one, colour] of [[first, "first"], [second, "second"]]) {
      if (one?.position) {
        pen.fillStyle = this.#colours[colour];
        name(one.index, String(one.id), true);
      }
    }
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = this.#colours["map-name"];
    if (shows.names) {
      const related = first?.position && this.namesHidden;
      let named = 0;
      for (let i = 0; i < scene.count && named < MOST_NAMES; i++) {
        if (!this.namesHidden || (related && first.flags[i] & (SEEN | TOLD))) {
          name(i, String(scene.ids[i]));
          named++;
        }
      }
    }
  }
}
