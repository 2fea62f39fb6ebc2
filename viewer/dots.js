// Dots and outlines of views for all entities, drawn into memory of our own: a canvas takes several times as long for
// ten thousand.

/** How much of each pixel a disc covers, 0 to 255, of which only a border so wide is drawn: {size, cover}. */
function stampOf(radius, border = Infinity) {
  const size = 2 * Math.ceil(radius) + 1;
  const middle = (size - 1) / 2;
  const cover = new Uint8Array(size * size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const inside = radius + 0.5 - Math.hypot(x - middle, y - middle);
      cover[y * size + x] = 255 * Math.max(0, Math.min(1, inside, border + 1 - inside));
    }
  }
  return { size, cover };
}

/** A colour as a pixel without its alpha, red lowest. */
function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return red | (green << 8) | (blue << 16);
}

export class Dots {
  #layer = new OffscreenCanvas(1, 1);
  #pen = this.#layer.getContext("2d", { willReadFrequently: true });
  #image = null;
  #pixels = null;

  /** Begins anew, with so many pixels. */
  clear(width, height) {
    if (this.#image?.width !== width || this.#image?.height !== height) {
      this.#layer.width = width;
      this.#layer.height = height;
      this.#image = this.#pen.createImageData(width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    } else {
      this.#pixels.fill(0);
    }
  }

  /**
   * Draws those entities of a scene whose kind is `kind`, ghosts hollow; toPixel is {x, y, scale} so that a place is at
   * (place.x * scale + x, y - place.y * scale). Colour: "#rrggbb". Returns how many were in sight.
   */
  draw({ count, x, y }, { kinds, isGhost }, kind, toPixel, colour, radius) {
    const { width, height } = this.#image;
    const pixels = this.#pixels;
    const { size, cover: disc } = stampOf(radius);
    const { cover: ring } = stampOf(radius, Math.max(1, radius / 3));
    const half = (size - 1) / 2;
    const paint = pixelOf(colour);
    let visible = 0;
    for (let i = 0; i < count; i++) {
      if (kinds[i] !== kind) {
        continue;
      }
      const left = Math.round(x[i] * toPixel.scale + toPixel.x) - half;
      const top = Math.round(toPixel.y - y[i] * toPixel.scale) - half;
      if (!(left > -size && left < width && top > -size && top < height)) {
        continue;
      }
      visible++;
      const cover = isGhost[i] ? ring : disc;
      for (let row = Math.max(0, -top); row < size && top + row < height; row++) {
        const line = (top + row) * width + left;
        for (let column = Math.max(0, -left); column < size && left + column < width; column++) {
          const alpha = cover[row * size + column];
          // Over another dot's edge the fuller one counts: nobody sees the difference.
          if (alpha > 0 && (alpha === 255 || alpha > pixels[line + column] >>> 24)) {
            pixels[line + column] = (paint | (alpha << 24)) >>> 0;
          }
        }
      }
    }
    return visible;
  }

  /** The outline of a circle, in pixels; colour "#rrggbb", alpha 0 to 255. Where two cross nothing adds up. */
  circle(x, y, radius, colour, alpha) {
    const { width, height } = this.#image;
    const pixels = this.#pixels;
    const paint = (pixelOf(colour) | (alpha << 24)) >>> 0;
    const [middleX, middleY] = [Math.round(x), Math.round(y)];
    const point = (px, py) => {
      if (px >= 0 && px < width && py >= 0 && py < height) {
        pixels[py * width + px] = paint;
      }
    };
    for (let far = 0; far <= radius * Math.SQRT1_2 + 1; far++) {
      const near = Math.round(Math.sqrt(Math.max(0, radius * radius - far * far)));
      for (const [dx, dy] of [[far, near], [near, far]]) {
        point(middleX + dx, middleY + dy);
        point(middleX - dx, middleY + dy);
        point(middleX + dx, middleY - dy);
        point(middleX - dx, middleY - dy);
      }
    }
  }

  /** The outline of a box, as circle(). */
  box(left, top, boxWidth, boxHeight, colour, alpha) {
    const { width, height } = this.#image;
    const paint = (pixelOf(colour) | (alpha << 24)) >>> 0;
    const [x1, y1, x2, y2] = [left, top, left + boxWidth, top + boxHeight].map(Math.round);
    for (const y of [y1, y2]) {
      if (y >= 0 && y < height && x2 >= 0 && x1 < width) {
        this.#pixels.fill(paint, y * width + Math.max(0, x1), y * width + Math.min(width - 1, x2) + 1);
      }
    }
    for (const x of [x1, x2]) {
      for (let y = Math.max(0, y1); x >= 0 && x < width && y <= Math.min(height - 1, y2); y++) {
        this.#pixels[y * width + x] = paint;
      }
    }
  }

  /* The drawing, to be put on another canvas pixel by pixel. */
  get layer() {
    this.#pen.putImageData(this.#image, 0, 0);
    return this.#layer;
  }
}
