import { act, element } from "./dom.js";
import { texts } from "./texts.js";

// The box in which a person looks for documents. The server knows the words and predicates.
const box = document.getElementById("filter");
const pause = 200; // Milliseconds without a key until it looks.
let timer = null;

box.placeholder = texts.filter;
box.setAttribute("aria-label", texts.filter);
const ask = () => {
  timer = null;
  act("filter", undefined, { name: box.value });
};
box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(ask, pause);
});
box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  box.value = "";
  box.blur();
  clearTimeout(timer);
  ask();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.tagName === "INPUT") return;
  event.preventDefault();
  box.select();
});

// Another page may have changed it.
export const showFilter = (text) => { if (document.activeElement !== box && timer === null) box.value = text; };

// The folders that a found document lies in, to stand before its name.
export const foldersOf = (row) => element("span", "faint", row.id.split("/").slice(1, -1).map((name) => `${name}/`).join(""));
