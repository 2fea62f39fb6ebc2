// The ways in which a person gives the page a file: a button and the browser's dialog, or a file dropped on the page.
import { byId } from "./dom.js";

/** opened(file): each file that is chosen or dropped. */
export function listenToFiles(opened) {
  const take = ([file]) => file && opened(file);
  const drop = byId("drop");
  for (const id of ["open", "welcome-open"]) {
    byId(id).addEventListener("click", () => byId("chooser").click());
  }
  byId("chooser").addEventListener("change", () => {
    take(byId("chooser").files);
    byId("chooser").value = "";
  });
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    drop.hidden = event.relatedTarget === null;
  });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.hidden = true;
    take(event.dataTransfer.files);
  });
}
