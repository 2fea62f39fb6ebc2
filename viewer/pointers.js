// The map under a mouse and under fingers: dragged, zoomed by the wheel or by two fingers, clicked.

const CLICK_REACH = 14; // pixels
const LONG_TOUCH = 500; // milliseconds: instead of a click with Shift

/* The middle of the fingers, and how far away from it they are: 0 for one. */
function spanOf(fingers) {
  const all = [...fingers.values()];
  const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / all.length;
  const [x, y] = [mean(all.map((one) => one.x)), mean(all.map((one) => one.y))];
  return { x, y, width: mean(all.map((one) => Math.hypot(one.x - x, one.y - y))) };
}

/* The fingers have gone elsewhere: what was under them still is. */
function follow(map, before, after) {
  map.pan(after.x - before.x, after.y - before.y);
  if (before.width > 0 && after.width > 0) {
    map.zoom(after.width / before.width, after.x, after.y);
  }
}

/**
 * heard.moved(): the camera of the map is elsewhere; heard.clicked(x, y, reach, isSecond): a place of the world, how far
 * around it, and whether Shift or a long touch asks about a second one; heard.pointed(x, y or nothing).
 */
export function listenToPointers(canvas, map, heard) {
  const fingers = new Map(); // pointers that are down, by their ids: { x, y }; a mouse has one
  let dragged = false;
  let since = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0) {
      if (fingers.size === 0) {
        dragged = false;
        since = event.timeStamp;
      }
      fingers.set(event.pointerId, at(event));
      canvas.setPointerCapture(event.pointerId);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    const { x, y } = at(event);
    const finger = fingers.get(event.pointerId);
    if (finger && (dragged || Math.hypot(x - finger.x, y - finger.y) > 4)) {
      dragged = true;
      canvas.classList.add("dragging");
      const before = spanOf(fingers);
      fingers.set(event.pointerId, { x, y });
      follow(map, before, spanOf(fingers));
      heard.moved();
    }
    heard.pointed(...map.placeAt(x, y));
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    canvas.classList.toggle("dragging", fingers.size > 0);
  };
  canvas.addEventListener("pointerup", (event) => {
    if (fingers.has(event.pointerId) && fingers.size === 1 && !dragged) {
      const { x, y } = at(event);
      const isLong = event.pointerType === "touch" && event.timeStamp - since > LONG_TOUCH;
      heard.clicked(...map.placeAt(x, y), CLICK_REACH / map.camera.scale, event.shiftKey || isLong);
    }
    dragged ||= fingers.size > 1;
    lift(event);
  });
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => heard.pointed());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = at(event);
    map.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
    heard.moved();
  }, { passive: false });
}
