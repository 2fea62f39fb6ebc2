// The legend below the map: what the colours of the dots mean, and the marks around the selected one; and what follows
// from how near the map is.
import { byId, make } from "./dom.js";
import { number, words } from "./words.js";

/** state: {scene, painting (classify() of colours.js), first (look() of scene.js or null)}. colour(name): as text. */
export function showLegend({ scene, painting, first }, colour) {
  const item = (name, text, style = "solid") => {
    const mark = make("i");
    mark.style.border = `2px ${style === "dashed" ? "dashed" : "solid"} ${colour(name)}`;
    mark.style.background = style === "solid" ? colour(name) : "transparent";
    return make("li", {}, mark, text);
  };
  const { classes, used, ghostCount } = painting;
  const items = classes.map((one, i) => (used[i] > 0 ? item(one.colour, `${one.text} · ${used[i]}`) : null));
  if (ghostCount > 0) {
    items.push(item("plain", `${words.regions.hollow} · ${ghostCount}`, "hollow"));
  }
  if (scene.areas.count > 0) {
    items.push(item("area", words.areas, "hollow"));
  }
  if (first?.position) {
    items.push(make("li", { class: "parted" }));
  }
  if (first?.position && first.traits.mode & 1) {
    const groups = words.groups.markers;
    items.push(...scene.options.deferred ? [item("found", groups[1]), item("found", groups[2], "hollow"),
      item("found", groups[3], "dashed")] : [item("found", groups[0])]);
  }
  if (first?.position && first.traits.mode & 2) {
    items.push(item("watching", words.watchers, "hollow"));
  }
  byId("legend").replaceChildren(...items.filter(Boolean));
}

/** The scale bar, a hint, and what the parts of this engine are called. */
export function showFoot(map, isOpen, engine = "grid") {
  const { length, pixels } = map.ruler();
  byId("scale-text").textContent = isOpen ? number(length) : "";
  byId("scale-bar").style.width = isOpen ? `${pixels}px` : "0";
  byId("hint").textContent = map.namesHidden ? words.zoomForNames : "";
  if (byId("cells-name").textContent !== words.cells[engine]) {
    byId("cells-name").textContent = words.cells[engine];
  }
}
