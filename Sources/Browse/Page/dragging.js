import { act, isMovable } from "./dom.js";

// Dragging rows. The server decides where they go (DropTarget).
let dragged = []; // The ids of the rows that are being dragged.
let held = null; // The line that is held. A browser ends the drag of one that leaves the page.

export const heldLine = () => held;

// Lets a row be dragged, and others be dropped on it. `idsWith` tells what is dragged with a row; `ended` is called when it is let go.
export function letDrag(line, row, idsWith, ended) {
  if (isMovable(row)) {
    line.draggable = true;
    line.addEventListener("dragstart", (event) => {
      dragged = idsWith(row);
      held = line;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", dragged.join("\n"));
    });
    line.addEventListener("dragend", () => {
      dragged = [];
      held = null;
      ended();
    });
  }
  letDrop(line, row, (event) => {
    if (row.kind === "folder") return "on";
    const { top, height } = line.getBoundingClientRect();
    const isAbove = event.clientY - top < height / 2;
    return row.kind === "section" ? (isAbove && row.id !== "local" ? "before" : "on") : isAbove ? "before" : "after";
  });
}

// Shows where the rows would go, and has them go there.
export function letDrop(line, row, edge) {
  const clear = () => line.classList.remove("drop-before", "drop-on", "drop-after");
  line.addEventListener("dragover", (event) => {
    if (!dragged.length) return;
    event.preventDefault();
    clear();
    line.classList.add(`drop-${edge(event)}`);
  });
  line.addEventListener("dragleave", clear);
  line.addEventListener("drop", (event) => {
    if (!dragged.length) return;
    event.preventDefault();
    clear();
    act("drop", dragged, { target: row.id, edge: edge(event) });
    dragged = [];
  });
}
