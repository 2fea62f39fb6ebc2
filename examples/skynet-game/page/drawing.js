// Draws the part of the map around the player: those in view, the door, the border, how far it sees.

const MARGIN = 1.3; // so many times the radius are shown, to each side

const MOOD = 1; // keys of properties, as in maps.lua
const LOOK = 2;

function colourOf({ properties }) {
  const mood = properties.get(MOOD);
  if (mood !== undefined) {
    return mood === "angry" ? "#d22" : "#862";
  }
  return `hsl(${properties.get(LOOK) ?? 210} 70% 45%)`;
}

/** `entities` are those in view, with a name each. */
export function draw(canvas, { me, map }, entities) {
  const pen = canvas.getContext("2d");
  const scale = canvas.width / (2 * MARGIN * map.radius);
  const place = ({ x, y }) => [canvas.width / 2 + (x - me.x) * scale, canvas.height / 2 + (y - me.y) * scale];
  const dot = (at, radius, colour) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(...place(at), radius, 0, 2 * Math.PI);
    pen.fill();
  };

  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.strokeStyle = "#999";
  pen.strokeRect(...place({ x: 0, y: 0 }), map.width * scale, map.height * scale);
  pen.strokeStyle = "#cde";
  pen.strokeRect(...place({ x: me.x - map.radius, y: me.y - map.radius }), 2 * map.radius * scale,
    2 * map.radius * scale);

  pen.lineWidth = 3;
  pen.strokeStyle = "#a5d";
  pen.beginPath();
  pen.arc(...place(map.door), 15 * scale, 0, 2 * Math.PI);
  pen.stroke();
  pen.lineWidth = 1;

  pen.font = "13px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const entity of entities) {
    const [x, y] = place(entity);
    dot(entity, 7, colourOf(entity));
    pen.fillStyle = "#222";
    pen.fillText(entity.name, x, y - 12);
  }
  dot(me, 8, "#000");
}
