import { act, element } from "./dom.js";
import { texts } from "./texts.js";

// The name of a row, edited in its place: Enter takes it, Escape and a click elsewhere leave it as it was. `ended` is told whether the keyboard
// was used.
export function editName(line, row, ended) {
  const name = element("input");
  name.value = row.details.name ?? row.name;
  name.setAttribute("aria-label", texts.name);
  let isEnded = false;
  const end = (byKeyboard) => {
    if (isEnded) return;
    isEnded = true;
    // Not while the page is taking the field away.
    queueMicrotask(() => ended(byKeyboard));
  };
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    end(true);
    if (event.key === "Enter" && name.value !== name.defaultValue) act("rename", [row.id], { name: name.value });
  });
  // Not where the person has gone to another window.
  name.addEventListener("blur", () => { if (document.hasFocus()) end(false); });
  for (const kind of ["click", "dblclick"]) name.addEventListener(kind, (event) => event.stopPropagation());
  name.defaultValue = name.value;
  line.draggable = false;
  line.querySelector(".name").lastChild.replaceWith(name);
  name.focus();
  name.select();
}
