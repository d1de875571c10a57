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
let chosen = null; // The id of the selected row.
let wanted = null; // The index of a row to select when it is there.
let armed = null; // The id of the row whose deletion was asked for once.
let shown = { id: null, text: "" }; // What the details show.
let status = {};

document.documentElement.lang = language;
document.title = "docfs";
const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};
const size = (bytes) => {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1024; unit += 1; }
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: unit && bytes < 10 ? 1 : 0 }).format(bytes)} ${units[unit]}`;
};
const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const say = (text) => { document.getElementById("message").textContent = text; };

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
  line.setAttribute("aria-level", row.depth + 1);
  line.classList.add(row.kind);
  line.classList.toggle("chosen", row.id === chosen);
  line.setAttribute("aria-selected", row.id === chosen);
  if (row.details.isHere === false) line.classList.add("cloud");
  if (row.kind !== "document") line.setAttribute("aria-expanded", row.isOpen);
  const marks = { green: "●", yellow: "▲", red: "✖" };
  const name = element("span", "name");
  name.style.paddingLeft = `${row.depth * 16}px`;
  name.append(element("span", "twist", row.kind === "document" ? "" : row.isOpen ? "▾" : "▸"));
  name.append(row.kind === "section" ? texts.sections[row.id] : row.name);
  const where = element("span", "where", place(row));
  if (row.details.progress !== undefined) {
    const bar = element("progress");
    bar.max = 100;
    bar.value = row.details.progress;
    bar.setAttribute("aria-label", place(row));
    where.append(" ", bar);
  }
  line.append(
    element("span", row.details.indicator ?? "", marks[row.details.indicator] ?? ""), name,
    element("span", "kind", row.kind === "folder" ? texts.folder : row.details.kind ?? ""),
    element("span", "size", row.details.size === undefined ? "" : size(row.details.size)),
    element("span", "changed", row.details.modified ? time.format(new Date(row.details.modified * 1000)) : ""), where);
  for (const cell of line.children) cell.setAttribute("role", "gridcell");
  line.addEventListener("click", () => choose(row));
  line.addEventListener("dblclick", () => { if (row.kind !== "document") act("toggle", row); });
  name.firstChild.addEventListener("click", (event) => {
    if (row.kind === "document") return;
    event.stopPropagation();
    act("toggle", row);
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
  body.replaceChildren(...lines);
  if (wanted !== null && rows[wanted]) {
    const row = rows[wanted];
    wanted = null;
    return choose(row);
  }
  const index = rows.findIndex((row) => row && row.id === chosen);
  table.setAttribute("aria-activedescendant", index >= first && index < last ? `row-${index}` : "");
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
  status = update.status;
  body.style.height = `${rows.length * rowHeight}px`;
  const index = anchor ? rows.findIndex((row) => row && row.id === anchor.id) : -1;
  if (index >= 0) table.scrollTop = index * rowHeight + offset;
  draw();
  showDetails();
  showStatus();
}

function changed(old, change) {
  if (change.removed.some((index) => old[index]?.id === chosen)) chosen = null;
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

function choose(row) {
  chosen = row.id;
  armed = null;
  draw();
  showDetails();
}

async function act(action, row, name) {
  say("");
  try {
    const answer = await fetch("/action", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ action, id: row?.id, name }),
    });
    if (!answer.ok) say((await answer.text()).trim());
  } catch {
    say(texts.ended);
  }
}

function button(text, action) {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

function showDetails() {
  const row = rows.find((one) => one && one.id === chosen);
  // It stands in a part that is not loaded.
  if (!row && chosen !== null) return;
  const isShown = row !== undefined && row.kind !== "section";
  const now = isShown ? { id: row.id, text: JSON.stringify([row.details, armed === row.id]) } : { id: null, text: "" };
  // What is as before stays as it is, and a name that is being typed is not taken away.
  if (now.id === shown.id && (now.text === shown.text || isTyping())) return;
  shown = now;
  details.hidden = !isShown;
  if (isShown) details.replaceChildren(...controls(row));
}

const isTyping = () => document.activeElement.tagName === "INPUT" && details.contains(document.activeElement);

function controls(row) {
  const name = element("input");
  name.value = row.details.name ?? row.name;
  name.setAttribute("aria-label", texts.name);
  const rename = () => {
    name.blur();
    act("rename", row, name.value);
  };
  name.addEventListener("keydown", (event) => { if (event.key === "Enter") rename(); });
  const made = [name, button(texts.rename, rename)];
  if (row.id.startsWith("cloud/")) {
    const { isHere, kept } = row.details;
    if (isHere === false) made.push(button(texts.download, () => act("download", row)));
    if (isHere && !kept) made.push(button(texts.freeUp, () => act("freeUp", row)));
    made.push(button(kept ? texts.release : texts.keep, () => act(kept ? "release" : "keep", row)));
  }
  if (row.kind === "document") {
    const save = element("a", "", texts.save);
    save.href = `/content?id=${encodeURIComponent(row.id)}`;
    save.download = "";
    made.push(save, button(armed === row.id ? texts.sure : texts.remove, () => remove(row)));
  }
  return [...made, element("span", "faint", row.details.filename ?? "")];
}

function remove(row) {
  const isSure = armed === row.id;
  armed = isSure ? null : row.id;
  if (isSure) act("delete", row);
  showDetails();
}

function showStatus() {
  document.getElementById("title").textContent = status.mountpoint ?? "docfs";
  for (const name of ["undo", "redo"]) {
    const made = document.getElementById(name);
    made.textContent = status[name] ? `${texts[name]}: ${status[name]}` : texts[name];
    made.disabled = !status[name];
  }
  const words = [texts[status.connection] ?? status.connection ?? ""];
  if (Number(status.pending)) words.push(texts.pending(Number(status.pending)));
  if (Number(status.conflicts)) words.push(texts.conflicts(Number(status.conflicts)));
  document.getElementById("status").textContent = words.join(" ");
}

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
  let index = rows.findIndex((row) => row && row.id === chosen);
  const row = rows[index];
  if (event.key === "ArrowDown") index += 1;
  else if (event.key === "ArrowUp") index = Math.max(0, index - 1);
  else if (event.key === "Home") index = 0;
  else if (event.key === "End") index = rows.length - 1;
  else if (event.key === "ArrowRight" && row && row.kind !== "document" && !row.isOpen) return act("toggle", row);
  else if (event.key === "ArrowLeft" && row && row.isOpen) return act("toggle", row);
  else if (event.key === "Enter" && row && row.kind !== "document") return act("toggle", row);
  else return;
  event.preventDefault();
  index = Math.min(index, rows.length - 1);
  const top = index * rowHeight;
  if (top < table.scrollTop) table.scrollTop = top;
  if (top + rowHeight > table.scrollTop + table.clientHeight) table.scrollTop = top + rowHeight - table.clientHeight;
  wanted = index;
  draw();
});
follow();
