import { language, texts } from "./texts.js";

// Elements of the page, and requests to the server.
export const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};
export const size = (bytes) => {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1024; unit += 1; }
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: unit && bytes < 10 ? 1 : 0 }).format(bytes)} ${units[unit]}`;
};
export const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
// In the page, and in the window over it, which hides the page from the eye and from screen readers.
export const say = (text) => {
  for (const id of ["message", "dialogMessage"]) document.getElementById(id).textContent = text;
};
export const isMovable = (row) => row.kind === "document" || row.kind === "folder";

export function button(text, action) {
  const made = element("button", "", text);
  made.type = "button";
  // Until it is done it is not done again. A disabled button would lose the focus.
  let isBusy = false;
  made.addEventListener("click", async (event) => {
    if (isBusy) return;
    isBusy = true;
    try { await action(event); } finally { isBusy = false; }
  });
  return made;
}

// The address of a content: of a document, or of another version of it.
export const address = (path, row, version) =>
  `${path}?id=${encodeURIComponent(row.id)}${version?.reference ? `&version=${encodeURIComponent(version.reference)}` : ""}`;

// What the server answers. What it refuses is thrown in its words.
export async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.text()).trim() || texts.failed);
  return answer.json();
}

// What changes something says so: no form and no document of another kind can (RequestGuard).
export const changing = { "X-Docfs": "1" };

// Asks the server for something. A refusal is shown.
async function post(path, body) {
  say("");
  try {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json", ...changing }, body: JSON.stringify(body),
    });
    if (!answer.ok) say((await answer.text()).trim() || texts.failed);
    return answer.ok ? answer : null;
  } catch {
    say(texts.ended);
    return null;
  }
}

// Asks the server to do something with rows.
export const act = async (action, ids, rest) => (await post("/action", { action, ids, ...rest })) !== null;

// The browser saves the rows, and all that is in them, as one archive.
export async function saveTogether(ids) {
  const answer = await post("/archive", { ids });
  if (!answer) return;
  const { archive } = await answer.json();
  const link = element("a");
  link.href = `/archive?archive=${encodeURIComponent(archive)}`;
  link.download = "";
  link.click();
}
