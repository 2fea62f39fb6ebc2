// Marks over the dots: one for each entity that the selected one has to do with, the two that are selected, and a line
// between these.
import { markOf } from "./colours.js";
import { TOLD } from "./scene.js";

const TURN = 2 * Math.PI;
const NEAR = 20; // pixels beside the canvas: a mark there is still drawn

/** pen: of the map's canvas. view as for WorldMap.draw(). */
export function drawMarks(pen, map, scene, { first, second, colourByRing, kinds, classes }) {
  if (first?.position) {
    const marked = marksInSight(map, scene, first);
    const size = scene.count > 4000 ? 3.5 : 5;
    // Thin, and below all others: rings of many who see each other must not hide the told set.
    drawWatchers(pen, map, marked, size + 2);
    for (const { px, py, mark, index } of marked) {
      const hasRing = mark.fill && colourByRing && first.flags[index] & TOLD;
      const fill = hasRing ? classes[kinds[index]].colour : mark.fill;
      drawMark(pen, map, px, py, size, { ...mark, fill });
    }
  }
  for (const [one, name] of [[second, "second"], [first, "first"]]) {
    if (one?.position) {
      drawChosen(pen, map, one.position, name);
    }
  }
}

/** Marks of the entities on the screen that the selected one has to do with; the told set last. */
function marksInSight(map, scene, first) {
  const marked = [];
  for (let index = 0; index < scene.count; index++) {
    const mark = first.flags[index] ? markOf(first.flags[index], scene.options.deferred) : null;
    const [px, py] = mark ? map.pixelAt(scene.x[index], scene.y[index]) : [NaN, NaN];
    if (map.has(px, py, NEAR)) {
      marked.push({ px, py, mark, index });
    }
  }
  return marked.sort((a, b) => (a.mark.fill ? 1 : 0) - (b.mark.fill ? 1 : 0));
}

function drawWatchers(pen, map, marked, radius) {
  pen.beginPath();
  for (const { px, py } of marked.filter(({ mark }) => mark.watches)) {
    pen.moveTo(px + radius, py);
    pen.arc(px, py, radius, 0, TURN);
  }
  pen.strokeStyle = map.colour("watching");
  pen.lineWidth = 1;
  pen.stroke();
}

function drawMark(pen, map, px, py, size, { fill, ring, dashed }) {
  if (!fill && !ring && !dashed) {
    return;
  }
  pen.beginPath();
  pen.arc(px, py, size, 0, TURN);
  pen.fillStyle = map.colour(fill || "map-ground");
  pen.fill();
  if (!fill) {
    pen.strokeStyle = map.colour("found");
    pen.lineWidth = 1.75;
    pen.setLineDash(dashed ? [2, 2] : []);
    pen.stroke();
    pen.setLineDash([]);
  }
}

function drawChosen(pen, map, { x, y }, name) {
  pen.beginPath();
  pen.arc(...map.pixelAt(x, y), 7, 0, TURN);
  pen.fillStyle = map.colour(name);
  pen.fill();
  pen.strokeStyle = map.colour("map-ground");
  pen.lineWidth = 2;
  pen.stroke();
}

/** A line from the selected one to the second one. */
export function drawPair(pen, map, { first, second }) {
  if (!first?.position || !second?.position || first.id === second.id) {
    return;
  }
  pen.beginPath();
  pen.moveTo(...map.pixelAt(first.position.x, first.position.y));
  pen.lineTo(...map.pixelAt(second.position.x, second.position.y));
  pen.strokeStyle = map.colour("second");
  pen.lineWidth = 1.5;
  pen.setLineDash([6, 4]);
  pen.stroke();
  pen.setLineDash([]);
}
