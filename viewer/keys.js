// Keys: which press is meant for the page, and which for the field or button that has the focus.
import { byId } from "./dom.js";

const FIELDS = "input:not([type=range]):not([type=checkbox]), select";

/** acts: what to do for each key, by its name; mapEnter is for Enter on the map. acted(): it was done. */
export function listenToKeys(acts, acted) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) {
      return;
    }
    if (target.matches(FIELDS)) {
      if (key === "Escape") {
        target.blur();
      }
      return;
    }
    // A button or a box is pressed by space and Enter, as everywhere.
    if (key === " " && target.matches("button, input[type=checkbox]")) {
      return;
    }
    const act = key === "Enter" && target === byId("map") ? acts.mapEnter : acts[key] ?? acts[key.toLowerCase()];
    if (act) {
      event.preventDefault();
      act(event);
      acted();
    }
  });
}
