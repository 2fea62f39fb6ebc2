// Areas: what the space has of them at one moment, which of them a place lies in, and how they are drawn.

/** As in core.c: what each area has, and the shapes. */
const FIELDS = 7;
const SHAPE = 0, X = 1, Y = 2, RADIUS = 3, LEAVE_RADIUS = 4, WIDTH = 5, HEIGHT = 6;
export const CIRCLE = 1, SQUARE = 2, RECT = 3, POLYGON = 4;

const TURN = 2 * Math.PI;
const LARGE = 100_000; // pixels; a border that is farther away than this is nowhere in sight

const NONE = { count: 0, ids: [], owners: [], owned: [], seesLayers: [], fields: [], ringCounts: [], ringLengths: [],
  corners: [] };

export class Areas {
  #all = NONE;
  #indexes = null;
  #boxes = new Float64Array(0); // left, low, right, high
  #firstRings = new Uint32Array(0);
  #firstCorners = new Uint32Array(0); // of each ring, in numbers

  get count() {
    return this.#all.count;
  }

  /** Takes what Space.areas() gave; null: none. */
  take(all) {
    this.#all = all ?? NONE;
    this.#indexes = null;
    const { count, fields, ringCounts, ringLengths, corners } = this.#all;
    this.#boxes = new Float64Array(4 * count);
    this.#firstRings = new Uint32Array(count + 1);
    this.#firstCorners = new Uint32Array(ringLengths.length + 1);
    for (let ring = 0; ring < ringLengths.length; ring++) {
      this.#firstCorners[ring + 1] = this.#firstCorners[ring] + 2 * ringLengths[ring];
    }
    for (let i = 0; i < count; i++) {
      this.#firstRings[i + 1] = this.#firstRings[i] + ringCounts[i];
      const at = FIELDS * i;
      let [wide, high] = [fields[at + RADIUS], fields[at + RADIUS]];
      if (fields[at + SHAPE] === RECT) {
        [wide, high] = [fields[at + WIDTH] / 2, fields[at + HEIGHT] / 2];
      }
      let box = [fields[at + X] - wide, fields[at + Y] - high, fields[at + X] + wide, fields[at + Y] + high];
      if (fields[at + SHAPE] === POLYGON) {
        box = [Infinity, Infinity, -Infinity, -Infinity];
        const [from, to] = [this.#firstRings[i], this.#firstRings[i + 1]].map((ring) => this.#firstCorners[ring]);
        for (let corner = from; corner < to; corner += 2) {
          box[0] = Math.min(box[0], corners[corner]);
          box[1] = Math.min(box[1], corners[corner + 1]);
          box[2] = Math.max(box[2], corners[corner]);
          box[3] = Math.max(box[3], corners[corner + 1]);
        }
      }
      this.#boxes.set(box, 4 * i);
    }
  }

  /** The box around an area, by its number. */
  boxOf(index) {
    const [x, y, right, high] = this.#boxes.subarray(4 * index, 4 * index + 4);
    return { x, y, width: right - x, height: high - y };
  }

  /** The number of an area, or −1. */
  indexOf(id) {
    this.#indexes ??= new Map(Array.from(this.#all.ids, (area, i) => [area, i]));
    return this.#indexes.get(id) ?? -1;
  }

  /** Describes one: {shape, x, y, radius, leaveRadius, width, height, seesLayers, owner or null, corners}. */
  describe(i) {
    const { fields, owners, owned, seesLayers } = this.#all;
    const [shape, x, y, radius, leaveRadius, width, height] = fields.subarray(FIELDS * i, FIELDS * (i + 1));
    return { shape, x, y, radius, leaveRadius, width, height, seesLayers: seesLayers[i],
      owner: owned[i] ? owners[i] : null,
      corners: (this.#firstCorners[this.#firstRings[i + 1]] - this.#firstCorners[this.#firstRings[i]]) / 2 };
  }

  /** True when a place lies in the area, as far as the eye can tell: the core alone knows exactly. */
  #holds(i, x, y) {
    const box = this.#boxes.subarray(4 * i, 4 * i + 4);
    if (!(box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3])) {
      return false;
    }
    const { fields, corners } = this.#all;
    const at = FIELDS * i;
    if (fields[at + SHAPE] === CIRCLE) {
      return Math.hypot(x - fields[at + X], y - fields[at + Y]) <= fields[at + RADIUS];
    }
    if (fields[at + SHAPE] !== POLYGON) {
      return true;
    }
    let isInside = false;
    for (let ring = this.#firstRings[i]; ring < this.#firstRings[i + 1]; ring++) {
      const [from, to] = [this.#firstCorners[ring], this.#firstCorners[ring + 1]];
      for (let a = from, b = to - 2; a < to; b = a, a += 2) {
        const isBetween = corners[a + 1] <= y !== corners[b + 1] <= y;
        const part = (y - corners[a + 1]) / (corners[b + 1] - corners[a + 1]);
        if (isBetween && x < corners[a] + part * (corners[b] - corners[a])) {
          isInside = !isInside;
        }
      }
    }
    return isInside;
  }

  /** The id of the smallest area around a place, or null. */
  at(x, y) {
    let found = null;
    let least = Infinity;
    for (let i = 0; i < this.count; i++) {
      const [left, low, right, high] = this.#boxes.subarray(4 * i, 4 * i + 4);
      const size = (right - left) * (high - low);
      if (size < least && this.#holds(i, x, y)) {
        [found, least] = [this.#all.ids[i], size];
      }
    }
    return found;
  }

  // ---- drawing

  /** Adds the outline of an area to a path. more: so much is the radius larger. */
  #trace(path, map, i, more = 0) {
    const { fields, corners } = this.#all;
    const at = FIELDS * i;
    const length = (units) => Math.min(units * map.camera.scale, LARGE);
    const [px, py] = map.pixelAt(fields[at + X], fields[at + Y]);
    const radius = length(fields[at + RADIUS] + more);
    if (fields[at + SHAPE] === POLYGON) {
      for (let ring = this.#firstRings[i]; ring < this.#firstRings[i + 1]; ring++) {
        for (let corner = this.#firstCorners[ring]; corner < this.#firstCorners[ring + 1]; corner += 2) {
          const pixel = map.pixelAt(corners[corner], corners[corner + 1]);
          path[corner === this.#firstCorners[ring] ? "moveTo" : "lineTo"](...pixel);
        }
        path.closePath();
      }
    } else if (fields[at + SHAPE] === CIRCLE) {
      path.moveTo(px + radius, py);
      path.arc(px, py, radius, 0, TURN);
    } else if (fields[at + SHAPE] === RECT) {
      const [wide, high] = [length(fields[at + WIDTH]), length(fields[at + HEIGHT])];
      path.rect(px - wide / 2, py - high / 2, wide, high);
    } else {
      path.rect(px - radius, py - radius, 2 * radius, 2 * radius);
    }
  }

  /** Draws those in sight: all lightly, and the one of that number (−1: none) so that it stands out. */
  draw(pen, map, colour, chosen) {
    const [left, low, right, high] = map.sight;
    const outlines = new Path2D(); // one path for many is several times faster than one for each
    const polygons = new Path2D();
    pen.save();
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.globalAlpha = 0.08;
    for (let i = 0; i < this.count; i++) {
      const box = this.#boxes.subarray(4 * i, 4 * i + 4);
      if (box[0] <= right && box[2] >= left && box[1] <= high && box[3] >= low) {
        this.#trace(this.#all.fields[FIELDS * i + SHAPE] === POLYGON ? polygons : outlines, map, i);
      }
    }
    pen.fill(outlines);
    pen.fill(polygons, "evenodd"); // has holes
    outlines.addPath(polygons);
    pen.globalAlpha = 0.8;
    pen.lineWidth = 1;
    pen.stroke(outlines);
    if (chosen >= 0) {
      this.#drawChosen(pen, map, chosen);
    }
    pen.restore();
  }

  #drawChosen(pen, map, i) {
    const { fields } = this.#all;
    const path = new Path2D();
    this.#trace(path, map, i);
    pen.globalAlpha = 0.12;
    pen.fill(path, "evenodd");
    pen.globalAlpha = 1;
    pen.lineWidth = 2.5;
    pen.stroke(path);
    const more = fields[FIELDS * i + LEAVE_RADIUS] - fields[FIELDS * i + RADIUS];
    if (more > 0 && fields[FIELDS * i + SHAPE] < RECT) {
      const outer = new Path2D();
      this.#trace(outer, map, i, more);
      pen.lineWidth = 1.25;
      pen.setLineDash([5, 5]);
      pen.stroke(outer);
    }
  }
}
