// Making elements of the page. Text is only ever text: ids, file names and errors come from elsewhere.
import { words } from "./words.js";

/** An element: make("button", {class: "icon", title, onclick, …}, child, "text", null, …). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Writes the words of the page's frame (data-words, data-title, data-label) in the language spoken now. */
export function writeWords() {
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = words[element.dataset.words];
  }
  for (const element of document.querySelectorAll("[data-title]")) {
    element.title = words[element.dataset.title];
    if (element.tagName === "BUTTON") {
      element.setAttribute("aria-label", element.title);
    }
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
  }
}
