import { ask } from "./dialog.js";
import { button, changing, element, say } from "./dom.js";
import { texts } from "./texts.js";

// Adds files and folders that are dropped on the page, one after another. Each goes in pieces; nobody sees it before its end.
const pieceLength = 4 << 20;
const shown = document.getElementById("adding");
const chooser = document.getElementById("chooser");
let waiting = []; // What is to be added: a file, its path, and where to.
let isAdding = false;
let isCancelled = false;
let counts = { all: 0, done: 0 };
let habit = null; // What is done with a name that is taken, for the rest.

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined)).toString();

async function send(method, path, values, body) {
  const answer = await fetch(`${path}?${query(values)}`, { method, body, headers: changing });
  if (answer.status === 412) return { isTaken: true };
  if (!answer.ok) throw new Error((await answer.text()).trim() || texts.failed);
  return answer.status === 200 ? answer.json() : {};
}

// Whether a document whose name is taken gets a number; else it is left out.
async function wantsNumber(one) {
  const choice = habit ?? await ask(texts.taken(one.path), [
    ["number", texts.keepBoth], ["skip", texts.skip], ["numberAll", texts.keepBothAll], ["skipAll", texts.skipAll]]);
  if (choice?.endsWith("All")) habit = choice.replace("All", "");
  return Boolean(choice?.startsWith("number"));
}

async function add(one) {
  const values = { target: one.target, path: one.path, modified: Math.floor(one.file.lastModified / 1000) };
  // A name may be taken before it begins, or by somebody else until it ends. A person is asked once.
  let taken;
  const unlessTaken = async (request) => {
    const first = await request(taken);
    if (!first.isTaken) return first;
    if (!(await wantsNumber(one))) return null;
    taken = "number";
    return request(taken);
  };
  const begun = await unlessTaken((taken) => send("POST", "/uploads", { ...values, taken }));
  if (!begun) return;
  const { upload } = begun;
  let isOver = false;
  try {
    for (let offset = 0; offset < one.file.size; offset += pieceLength) {
      if (isCancelled) throw new Error(texts.cancelled);
      show(one, offset / one.file.size);
      await send("PUT", "/uploads", { upload, offset }, one.file.slice(offset, offset + pieceLength));
    }
    isOver = Boolean(await unlessTaken((taken) => send("POST", "/uploads/end", { upload, size: one.file.size, taken })));
  } finally {
    if (!isOver) await send("DELETE", "/uploads", { upload });
  }
}

const [words, bar, number] = [element("span"), element("progress"), element("span", "faint")];
bar.max = 1;
bar.setAttribute("aria-label", texts.adding);
shown.append(words, bar, number, button(texts.cancel, () => { isCancelled = true; }));

function show(one, share) {
  bar.value = (counts.done + share) / counts.all;
  words.textContent = `${texts.adding} ${one.path}`;
  number.textContent = `${counts.done + 1} / ${counts.all}`;
  shown.hidden = false;
}

// A browser asks before it leaves the page.
window.addEventListener("beforeunload", (event) => { if (isAdding) event.preventDefault(); });

export async function addAll(files) {
  waiting.push(...files);
  counts.all += files.length;
  if (isAdding || !waiting.length) return;
  isAdding = true;
  say("");
  const problems = [];
  while (waiting.length && !isCancelled) {
    const one = waiting.shift();
    show(one, 0);
    try { await add(one); } catch (error) { problems.push(error.message); }
    counts.done += 1;
  }
  shown.hidden = true;
  if (problems.length) say(problems.length > 1 ? `${problems[0]} ${texts.more(problems.length - 1)}` : problems[0]);
  [waiting, isAdding, isCancelled, counts, habit] = [[], false, false, { all: 0, done: 0 }, null];
}

// MARK: Dropping

// All files in what was dropped, with their paths. What is dropped can be asked for only at once.
async function filesOf(transfer, target) {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found = [];
  const visit = async (entry, path) => {
    if (entry instanceof File) return void found.push({ file: entry, path: entry.name, target });
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      return void found.push({ file, path: path + file.name, target });
    }
    const reader = entry.createReader();
    for (;;) {
      // It gives some at a time.
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!some.length) return;
      for (const inner of some) await visit(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) if (entry) await visit(entry, "");
  return found;
}

const isOfFiles = (event) => event.dataTransfer?.types.includes("Files");

// Where a drop goes: the row under the pointer, of which the server takes the folder; the first section beside all rows.
const targetOf = (event) => event.target.closest?.("[data-row]")?.dataset.row ?? "local";

let marked = null;
const mark = (line) => {
  marked?.classList.remove("drop-on");
  marked = line;
  marked?.classList.add("drop-on");
};

document.addEventListener("dragover", (event) => {
  if (!isOfFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  mark(event.target.closest?.("[data-row]") ?? null);
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(null); });
document.addEventListener("drop", async (event) => {
  if (!isOfFiles(event)) return;
  event.preventDefault();
  mark(null);
  try { await addAll(await filesOf(event.dataTransfer, targetOf(event))); } catch (error) { say(error.message); }
});

// The same by the keyboard: `place` tells where the files go that are chosen.
export function letChoose(control, place) {
  let target = "local";
  control.addEventListener("click", () => {
    target = place();
    chooser.click();
  });
  chooser.addEventListener("change", () => {
    addAll([...chooser.files].map((file) => ({ file, path: file.name, target })));
    chooser.value = "";
  });
}
