import { act, element } from "./dom.js";
import { texts } from "./texts.js";

// The name of a row, edited in its place: Enter takes it, Escape and a click elsewhere leave it as it was. What is refused can be mended.
// `ended` is called when the keyboard has ended it.
export function editName(line, row, ended) {
  const text = line.querySelector(".name").lastChild;
  const wasDraggable = line.draggable;
  const name = element("input");
  name.value = row.details.name ?? row.name;
  name.setAttribute("aria-label", texts.name);
  const former = name.value;
  let isEnded = false;
  // Only this line is changed: what a pointer is pressed on must stay in the page, or there is no click on it.
  const end = (byKeyboard) => {
    if (isEnded) return;
    isEnded = true;
    if (byKeyboard) ended();
    // Not while the page is taking the field away.
    queueMicrotask(() => {
      name.replaceWith(text);
      line.draggable = wasDraggable;
    });
  };
  name.addEventListener("keydown", async (event) => {
    // Enter and Escape belong to the input method while it composes.
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    if (event.key === "Escape" || name.value === former) return end(true);
    if (name.readOnly) return;
    name.readOnly = true;
    if (await act("rename", [row.id], { name: name.value })) end(true);
    else name.readOnly = false;
  });
  // Not where the person has gone to another window.
  name.addEventListener("blur", () => { if (document.hasFocus()) end(false); });
  for (const kind of ["click", "dblclick"]) name.addEventListener(kind, (event) => event.stopPropagation());
  line.draggable = false;
  text.replaceWith(name);
  name.focus();
  name.select();
}
