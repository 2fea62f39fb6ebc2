// Draws the part of the map around the player: ground and border, the door, the fire, how far one sees, those in view.

const MARGIN = 1.3;  // so many times the radius are shown, to each side
const TUFT = 40;     // units between two tufts of grass
const DOOR = 15;     // radii, in units of the map
const BODY = 5;

export const KEY = { MOOD: 1, LOOK: 2, LIFE: 3 }; // of properties, as in maps.lua

const GROUND = { meadow: ["#cfe3b4", "#b5d092"], square: ["#e2dccf", "#cfc7b5"] };
const BEYOND = "#6b7a5e"; // outside of the map

function colourOf({ properties }) {
  const mood = properties.get(KEY.MOOD);
  if (mood !== undefined) {
    return mood === "angry" ? "#d22" : "#862";
  }
  return `hsl(${properties.get(KEY.LOOK) ?? 210} 70% 45%)`;
}

/** Always the same for a tuft, and for another one another: -0.5 to 0.5. */
const jitter = (x, y) => ((Math.imul(x, 374761393) + Math.imul(y, 668265263)) >>> 0) / 2 ** 32 - 0.5;

function drawGround(pen, { me, map }, scale, place, canvas) {
  const [plain, tuft] = GROUND[map.name] ?? GROUND.meadow;
  pen.fillStyle = BEYOND;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = plain;
  pen.fillRect(...place({ x: 0, y: 0 }), map.width * scale, map.height * scale);
  pen.fillStyle = tuft;
  const reach = MARGIN * map.radius;
  for (let x = Math.floor((me.x - reach) / TUFT); x * TUFT <= me.x + reach; x++) {
    for (let y = Math.floor((me.y - reach) / TUFT); y * TUFT <= me.y + reach; y++) {
      const at = { x: (x + 0.5 + jitter(x, y)) * TUFT, y: (y + 0.5 + jitter(y, x)) * TUFT };
      if (at.x > 0 && at.x < map.width && at.y > 0 && at.y < map.height) {
        const [left, top] = place(at);
        pen.fillRect(left - 4, top - 2, 8, 4);
      }
    }
  }
  pen.strokeStyle = "#443";
  pen.lineWidth = 4;
  pen.strokeRect(...place({ x: 0, y: 0 }), map.width * scale, map.height * scale);
}

/** All that lies outside of the view is in the shade. */
function shadeOutside(pen, { me, map }, scale, place, canvas) {
  const [left, top] = place({ x: me.x - map.radius, y: me.y - map.radius });
  const side = 2 * map.radius * scale;
  pen.fillStyle = "rgb(20 30 60 / 28%)";
  pen.fillRect(0, 0, canvas.width, top);
  pen.fillRect(0, top + side, canvas.width, canvas.height - top - side);
  pen.fillRect(0, top, left, side);
  pen.fillRect(left + side, top, canvas.width - left - side, side);
  pen.strokeStyle = "#246";
  pen.lineWidth = 2;
  pen.strokeRect(left, top, side, side);
}

/** `entities` are those in view, with a name each; `own` is the player, with name, facing and life. */
export function draw(canvas, game, entities, own) {
  const { me, map } = game;
  const pen = canvas.getContext("2d");
  const scale = canvas.width / (2 * MARGIN * map.radius);
  const place = ({ x, y }) => [canvas.width / 2 + (x - me.x) * scale, canvas.height / 2 + (y - me.y) * scale];
  const disc = (at, radius, colour) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(...place(at), radius * scale, 0, 2 * Math.PI);
    pen.fill();
  };
  /** A player: an arrow that points where it looks; 0 degrees are to the right, 90 down. */
  const arrow = (at, facing, colour) => {
    pen.save();
    pen.translate(...place(at));
    pen.rotate(facing * Math.PI / 180);
    pen.scale(scale, scale);
    pen.fillStyle = colour;
    pen.strokeStyle = "#fff";
    pen.lineWidth = 0.6;
    pen.beginPath();
    pen.moveTo(BODY * 1.5, 0);
    pen.lineTo(-BODY, BODY);
    pen.lineTo(-BODY / 2, 0);
    pen.lineTo(-BODY, -BODY);
    pen.closePath();
    pen.fill();
    pen.stroke();
    pen.restore();
  };
  const label = (at, text) => {
    const [x, y] = place(at);
    pen.fillStyle = "#222";
    pen.fillText(text, x, y - 9 * scale);
  };

  drawGround(pen, game, scale, place, canvas);
  if (map.fire) {
    disc(map.fire, map.fire.radius, "rgb(230 120 20 / 45%)");
    disc(map.fire, map.fire.radius * 0.6, "rgb(240 60 20 / 60%)");
  }
  pen.lineWidth = 4;
  pen.strokeStyle = "#84c";
  pen.beginPath();
  pen.arc(...place(map.door), DOOR * scale, 0, 2 * Math.PI);
  pen.stroke();
  shadeOutside(pen, game, scale, place, canvas);

  pen.font = "14px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const entity of entities) {
    arrow(entity, entity.extras[0] ?? 0, colourOf(entity));
    label(entity, entity.name);
  }
  arrow(me, own.facing, "#111");
  pen.font = "bold 14px system-ui, sans-serif";
  label(me, own.name);
  if (own.life !== undefined) {
    const [x, y] = place(me);
    pen.fillStyle = "#fff";
    pen.fillRect(x - 26, y + 9 * scale, 52, 8);
    pen.fillStyle = own.life > 30 ? "#2a2" : "#d22";
    pen.fillRect(x - 25, y + 9 * scale + 1, 50 * own.life / 100, 6);
  }
}
