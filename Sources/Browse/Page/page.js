import { letChoose } from "./adding.js";
import { controls } from "./details.js";
import { refresh } from "./dialog.js";
import { showDocument } from "./document.js";
import { act, button, element, isMovable, say, size, time } from "./dom.js";
import { heldLine, letDrag, letDrop } from "./dragging.js";
import { foldersOf, showFilter } from "./filter.js";
import { letShowHistory } from "./history.js";
import { look } from "./look.js";
import { isTaken, moveBy, put, take } from "./moving.js";
import { editName } from "./naming.js";
import { showPreferred } from "./preferred.js";
import { statusText } from "./status.js";
import { language, texts } from "./texts.js";

// Draws the table that the server keeps: only the rows that are visible are in the page, and no decision is made here.
const rowHeight = 30;
const pageLength = 100;
const table = document.getElementById("table");
const body = document.getElementById("rows");
const details = document.getElementById("details");
let rows = []; // Sparse: what has been asked for.
let revision = -1;
let asked = new Set();
let chosen = null; // The id of the row that the keyboard goes from.
let selected = new Set(); // The ids of the selected rows, `chosen` among them.
let wanted = null; // The index of a row to select when it is there, and whether the selection grows.
let followed = null; // A row that the keyboard moves, its index, and since when: it comes into sight once it has moved.
let lastIndex = -1; // Where the keyboard goes on if the chosen row has gone.
let lost = null; // The id of the row whose name was being typed when it went.
let armed = null; // The ids of the rows whose deletion was asked for once, as one text.
let shown = { id: null, text: "" }; // What the details show.
let status = {};

document.documentElement.lang = language;
document.title = "docfs";

for (const [key, className] of [["", ""], ["name", "name"], ["kind", "kind"], ["size", "size"], ["changed", "changed"], ["where", "where"]]) {
  document.getElementById("head").append(element("span", className, texts[key] ?? ""));
}

// MARK: Rows

const place = (row) => row.details.words.map((word) => texts.words[word] ?? word).join(", ");

function drawn(row, index) {
  const line = element("div", "row");
  line.id = `row-${index}`;
  line.setAttribute("role", "row");
  line.setAttribute("aria-rowindex", index + 1);
  line.style.top = `${index * rowHeight}px`;
  if (!row) {
    line.append(element("span"), element("span", "faint", texts.loading));
    return line;
  }
  line.dataset.row = row.id;
  line.setAttribute("aria-level", row.depth + 1);
  line.classList.add(row.kind);
  if (row.kind === "newDocument") return field(line, row);
  line.classList.toggle("chosen", selected.has(row.id));
  line.setAttribute("aria-selected", selected.has(row.id));
  if (row.details.isHere === false) line.classList.add("cloud");
  line.classList.toggle("taken", isTaken(row.id));
  if (row.kind !== "document") line.setAttribute("aria-expanded", row.isOpen);
  letDrag(line, row, idsWith, draw);
  const marks = { green: "●", yellow: "▲", red: "✖" };
  const name = element("span", "name");
  name.style.paddingLeft = `${row.depth * 16}px`;
  name.append(element("span", "twist", row.kind === "document" ? "" : row.isOpen ? "▾" : "▸"));
  if (status.filter && row.kind === "document") name.append(foldersOf(row));
  name.append(row.kind === "section" ? texts.sections[row.id] : row.name);
  const where = element("span", "where", place(row));
  if (row.details.progress !== undefined) {
    const bar = element("progress");
    bar.max = 100;
    bar.value = row.details.progress;
    bar.setAttribute("aria-label", place(row));
    where.append(" ", bar);
  }
  if (status.editing && row.kind !== "section") {
    const isArmed = armed === row.id;
    const control = button(isArmed ? texts.remove : "−", (event) => {
      event.stopPropagation();
      remove([row.id]);
    });
    control.className = isArmed ? "remove armed" : "remove";
    control.setAttribute("aria-label", `${isArmed ? texts.sure : texts.remove} ${row.name}`);
    const handle = element("span", "handle", "≡");
    handle.title = texts.handle;
    name.prepend(control, handle);
    name.addEventListener("click", (event) => {
      if (chosen !== row.id || !selected.has(row.id) || selected.size > 1 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.stopPropagation();
      nameRow(row.id);
    });
  }
  line.append(
    element("span", row.details.indicator ?? "", marks[row.details.indicator] ?? ""), name,
    element("span", "kind", row.kind === "folder" ? texts.folder : row.details.kind ?? ""),
    element("span", "size", row.details.size === undefined ? "" : size(row.details.size)),
    element("span", "changed", row.details.modified ? time.format(new Date(row.details.modified * 1000)) : ""), where);
  for (const cell of line.children) cell.setAttribute("role", "gridcell");
  line.addEventListener("click", (event) => choose(row, index, event));
  line.addEventListener("dblclick", () => {
    if (row.kind === "document") showDocument(row);
    else act("toggle", [row.id]);
  });
  name.querySelector(".twist").addEventListener("click", (event) => {
    if (row.kind === "document") return;
    event.stopPropagation();
    act("toggle", [row.id]);
  });
  return line;
}

function draw() {
  body.style.height = `${rows.length * rowHeight}px`;
  table.setAttribute("aria-rowcount", rows.length);
  const first = Math.max(0, Math.floor(table.scrollTop / rowHeight) - 5);
  const last = Math.min(rows.length, first + Math.ceil(table.clientHeight / rowHeight) + 10);
  const lines = [];
  for (let index = first; index < last; index += 1) {
    if (!rows[index] || rows[index].isOld) ask(Math.floor(index / pageLength));
    lines.push(drawn(rows[index], index));
  }
  replaceLines(lines);
  if (wanted !== null && rows[wanted.index]) {
    const { index, grows } = wanted;
    wanted = null;
    return choose(rows[index], index, { shiftKey: grows });
  }
  const index = rows.findIndex((row) => row && row.id === chosen);
  table.setAttribute("aria-activedescendant", index >= first && index < last ? `row-${index}` : "");
}

// A row that is being edited or dragged stays in the page as it is.
function replaceLines(lines) {
  const isTyped = body.contains(document.activeElement) && document.activeElement.tagName === "INPUT";
  const kept = heldLine() ?? (isTyped ? document.activeElement.closest(".row") : null);
  const index = kept ? rows.findIndex((row) => row && row.id === kept.dataset.row) : -1;
  const at = kept ? lines.findIndex((line) => line.dataset.row === kept.dataset.row) : -1;
  // Where rows are not loaded, nobody knows whether it has gone, unless that was told.
  const isUnknown = index < 0 && kept?.dataset.row !== lost && rows.includes(undefined);
  if (!kept || (index < 0 && !isUnknown && kept !== heldLine())) {
    body.replaceChildren(...lines);
    if (kept) table.focus();
    return;
  }
  // It may be beyond what is visible, and one that has gone is held until it is let go.
  kept.hidden = index < 0 && !isUnknown;
  if (index >= 0) {
    kept.id = `row-${index}`;
    kept.style.top = `${index * rowHeight}px`;
    kept.setAttribute("aria-rowindex", index + 1);
  }
  for (const other of [...body.children]) if (other !== kept) other.remove();
  body.prepend(...lines.slice(0, Math.max(0, at)));
  body.append(...lines.slice(at + 1));
}

async function ask(page) {
  if (asked.has(page)) return;
  asked.add(page);
  const pages = asked;
  try {
    const answer = await fetch(`/rows?from=${page * pageLength}&count=${pageLength}`);
    if (!answer.ok) throw new Error();
    const { start, update, rows: found } = await answer.json();
    pages.delete(page);
    // The table has changed meanwhile, and the rows may stand elsewhere. They are asked for again when the page has heard of it.
    if (update.revision !== revision) return;
    found.forEach((row, index) => { rows[start + index] = row; });
    draw();
    showDetails();
  } catch {
    pages.delete(page);
    setTimeout(draw, 1000);
  }
}

// Changes are applied as the server made them; what is at the top stays there.
function apply(update) {
  const top = Math.floor(table.scrollTop / rowHeight);
  const anchor = rows[top];
  const offset = table.scrollTop - top * rowHeight;
  if (update.changes && revision >= 0) {
    for (const change of update.changes) rows = changed(rows, change);
  } else {
    rows = [];
  }
  rows.length = update.count;
  revision = update.revision;
  asked = new Set();
  const former = status;
  status = update.status;
  if (former.editing !== status.editing) armed = null;
  if (status.filterProblem && former.filterProblem !== status.filterProblem) say(status.filterProblem);
  body.style.height = `${rows.length * rowHeight}px`;
  const index = anchor ? rows.findIndex((row) => row && row.id === anchor.id) : -1;
  if (index >= 0) table.scrollTop = index * rowHeight + offset;
  const moved = followed === null ? -1 : rows.findIndex((row) => row && row.id === followed.id);
  if (moved >= 0 && moved !== followed.index) {
    followed = null;
    bringIntoSight(moved);
  }
  draw();
  showDetails();
  showStatus();
  refresh();
}

function changed(old, change) {
  for (const index of change.removed) {
    selected.delete(old[index]?.id);
    if (old[index]?.id === chosen) chosen = null;
    if (body.contains(document.activeElement) && old[index]?.id === document.activeElement.closest(".row")?.dataset.row) lost = old[index].id;
  }
  const gone = new Set([...change.removed, ...change.moved.map((move) => move.from)]);
  const rest = [];
  for (let index = 0; index < old.length; index += 1) if (!gone.has(index)) rest.push(old[index]);
  const coming = [...change.inserted.map((to) => [to, undefined]), ...change.moved.map((move) => [move.to, old[move.from]])];
  coming.sort((a, b) => a[0] - b[0]);
  const result = [];
  let next = 0;
  for (const [to, row] of coming) {
    while (result.length < to) result.push(rest[next++]);
    result.push(row);
  }
  while (next < rest.length) result.push(rest[next++]);
  // A row that says something else is asked for again. It stays as it is until then.
  for (const index of change.reloaded) if (result[index]) result[index] = { ...result[index], isOld: true };
  return result;
}

async function follow() {
  for (;;) {
    try {
      const answer = await fetch(`/changes?since=${revision}`);
      if (answer.status === 200) apply(await answer.json());
      else if (answer.status !== 204) throw new Error();
      if (document.body.classList.contains("ended")) { document.body.classList.remove("ended"); say(""); }
    } catch {
      document.body.classList.add("ended");
      say(texts.ended);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

// MARK: Selection, and what can be done

function choose(row, index, event) {
  const from = rows.findIndex((one) => one && one.id === chosen);
  if (event.shiftKey && from >= 0) {
    const [first, last] = from < index ? [from, index] : [index, from];
    for (const one of rows.slice(first, last + 1)) if (one && isMovable(one)) selected.add(one.id);
  } else if (event.ctrlKey || event.metaKey) {
    if (!selected.delete(row.id)) selected.add(row.id);
  } else {
    selected = new Set([row.id]);
  }
  chosen = row.id;
  lastIndex = index;
  armed = null;
  followed = null;
  draw();
  showDetails();
}

function bringIntoSight(index) {
  const top = index * rowHeight;
  if (top < table.scrollTop) table.scrollTop = top;
  if (top + rowHeight > table.scrollTop + table.clientHeight) table.scrollTop = top + rowHeight - table.clientHeight;
}

// The selected rows that are loaded, as they stand; those that are not are known by their ids only.
const chosenRows = () => rows.filter((row) => row && selected.has(row.id) && isMovable(row));

const idsWith = (row) => (selected.has(row.id) ? chosenRows().map((one) => one.id) : [row.id]);

// MARK: Edit mode

// Edits the name of a row in its place.
function nameRow(id) {
  const index = rows.findIndex((row) => row && row.id === id);
  if (index < 0) return;
  bringIntoSight(index);
  draw();
  lost = null;
  editName(document.getElementById(`row-${index}`), rows[index], () => table.focus());
}

// A key that is held waits until the page shows the former step.
async function moveRows(step, row, index) {
  const now = performance.now();
  if (!row || (followed && now - followed.since < 2000)) return;
  const move = { id: row.id, index, since: now };
  followed = move;
  if (!(await moveBy(step, rows, selected, chosenRows())) && followed === move) followed = null;
}

// The row for a new document.
function field(line, row) {
  line.classList.remove("newDocument");
  line.classList.add("new");
  const cell = element("span", "name");
  cell.style.paddingLeft = `${row.depth * 16}px`;
  const name = element("input");
  name.placeholder = texts.newDocument;
  name.setAttribute("aria-label", texts.newDocument);
  name.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter" || !name.value) return;
    if (await act("create", undefined, { target: row.id.slice(0, -1), name: name.value })) name.value = "";
  });
  cell.append(name);
  line.append(element("span"), cell);
  for (const one of line.children) one.setAttribute("role", "gridcell");
  letDrop(line, row, () => "before");
  return line;
}

function showDetails() {
  const found = chosenRows();
  // They stand in a part that is not loaded.
  if (!found.length && [...selected].some((id) => id.includes("/"))) return;
  const ids = found.map((row) => row.id);
  const isShown = found.length > 0;
  const now = isShown
    ? { id: ids.join("\n"), text: JSON.stringify([found.map((row) => row.details), armed]) } : { id: null, text: "" };
  if (now.id === shown.id && now.text === shown.text) return;
  shown = now;
  details.hidden = !isShown;
  const deletion = { text: armed === ids.join("\n") ? texts.sure : texts.remove, run: () => remove(ids) };
  if (isShown) details.replaceChildren(...controls(found, deletion, () => nameRow(ids[0])));
}

function remove(ids) {
  const isSure = armed === ids.join("\n");
  armed = isSure ? null : ids.join("\n");
  if (isSure) act("delete", ids);
  draw();
  showDetails();
}

function showStatus() {
  document.getElementById("title").textContent = status.mountpoint ?? "docfs";
  for (const name of ["undo", "redo"]) {
    const made = document.getElementById(name);
    made.textContent = status[name] ? `${texts[name]}: ${texts.action(status[name])}` : texts[name];
    made.disabled = !status[name];
  }
  document.getElementById("add").textContent = texts.add;
  document.getElementById("history").textContent = texts.history;
  showPreferred(status);
  const edit = document.getElementById("edit");
  edit.textContent = status.editing ? texts.done : texts.edit;
  edit.setAttribute("aria-pressed", Boolean(status.editing));
  showFilter(status.filter ?? "");
  // There are the heads of the sections.
  document.getElementById("status").textContent = statusText(status, Boolean(status.filter) && rows.length <= 2);
}

document.getElementById("edit").addEventListener("click", () => act(status.editing ? "endEdit" : "edit"));
// Beside the row that the keyboard goes from.
letShowHistory(document.getElementById("history"));
letChoose(document.getElementById("add"), () => chosen ?? "local");
document.getElementById("undo").addEventListener("click", () => act("undo"));
document.getElementById("redo").addEventListener("click", () => act("redo"));
table.addEventListener("scroll", draw, { passive: true });
window.addEventListener("resize", draw);
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT") return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    act(event.shiftKey ? "redo" : "undo");
  }
});
table.addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT") return;
  let index = rows.findIndex((row) => row && row.id === chosen);
  const row = rows[index];
  const isFolder = row && (row.kind === "section" || row.kind === "folder");
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    return moveRows(event.key === "ArrowUp" ? -1 : 1, row, index);
  } else if (isCommand && event.key === "x" && chosenRows().length) {
    take(chosenRows().map((one) => one.id));
    return draw();
  } else if (isCommand && event.key === "v" && row) {
    followed = null;
    return put(row).then(draw);
  } else if (event.key === "Escape") {
    take([]);
    return draw();
  }
  if (index < 0) index = Math.min(lastIndex, rows.length - 1);
  if (event.key === "ArrowDown") index += 1;
  else if (event.key === "ArrowUp") index = Math.max(0, index - 1);
  else if (event.key === "Home") index = 0;
  else if (event.key === "End") index = rows.length - 1;
  else if (event.key === "ArrowRight" && isFolder && !row.isOpen) return act("toggle", [row.id]);
  else if (event.key === "ArrowLeft" && isFolder && row.isOpen) return act("toggle", [row.id]);
  else if (event.key === "Enter" && isFolder) return act("toggle", [row.id]);
  else if (event.key === "Enter" && row?.kind === "document") return showDocument(row);
  else if (event.key === " " && row?.kind === "document") {
    event.preventDefault();
    return look(row, row.details);
  }
  else if (event.key === "Delete" && chosenRows().length) return remove(chosenRows().map((one) => one.id));
  else if (event.key === "F2" && row && isMovable(row)) {
    event.preventDefault();
    return nameRow(row.id);
  } else if (event.key === "a" && isCommand) {
    event.preventDefault();
    for (const one of rows) if (one && isMovable(one)) selected.add(one.id);
    draw();
    return showDetails();
  } else return;
  event.preventDefault();
  index = Math.min(index, rows.length - 1);
  bringIntoSight(index);
  wanted = { index, grows: event.shiftKey };
  draw();
});
follow();
