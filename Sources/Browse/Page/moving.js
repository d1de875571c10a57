import { act, isMovable, say } from "./dom.js";
import { texts } from "./texts.js";

// Moving rows by the keyboard, as dragging does it: the server decides where they go (DropTarget).
let taken = []; // The ids of the rows that were cut out.

export const isTaken = (id) => taken.includes(id);

const folder = (row) => row.id.slice(0, row.id.lastIndexOf("/"));

// The document before (-1) or after (1) the selected rows, in their folder; undefined where there is none. Rows that are not loaded are holes,
// and under a filter the rows of many folders stand beside each other.
function neighbour(rows, selected, step) {
  const indexes = rows.flatMap((row, index) => (row && selected.has(row.id) && isMovable(row) ? [index] : []));
  if (!indexes.length) return undefined;
  let index = step < 0 ? indexes[0] : indexes[indexes.length - 1];
  const first = rows[index];
  for (index += step; rows[index] && rows[index].depth >= first.depth; index += step) {
    const row = rows[index];
    if (row.kind === "document" && folder(row) === folder(first) && !selected.has(row.id)) return row;
  }
  return undefined;
}

// One place up or down among the documents of their folder. Returns whether they move.
export async function moveBy(step, rows, selected, found) {
  if (new Set(found.map(folder)).size > 1) {
    say(texts.oneFolder);
    return false;
  }
  const row = neighbour(rows, selected, step);
  return row ? act("drop", found.map((one) => one.id), { target: row.id, edge: step < 0 ? "before" : "after" }) : false;
}

export function take(ids) {
  if (ids.length) say(texts.putAdvice(ids.length));
  else if (taken.length) say("");
  taken = ids;
}

// Into a folder or section, or after a document.
export async function put(row) {
  const ids = taken;
  if (!ids.length || !(await act("drop", ids, { target: row.id, edge: row.kind === "document" ? "after" : "on" }))) return;
  // Others may have been cut out meanwhile.
  if (taken === ids) taken = [];
}
