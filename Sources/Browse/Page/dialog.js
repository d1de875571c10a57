import { button, element } from "./dom.js";
import { texts } from "./texts.js";

// The one window over the page. What is in it is made anew when the table has changed.
const dialog = document.getElementById("dialog");
const title = document.getElementById("dialogTitle");
const content = document.getElementById("dialogContent");
let fill = null;
let turn = 0;

document.getElementById("dialogHead").append(button("✕", () => dialog.close()));
document.querySelector("#dialogHead button").setAttribute("aria-label", texts.close);
dialog.addEventListener("close", () => {
  fill = null;
  turn += 1;
  // A film or a sound ends.
  content.replaceChildren();
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

// Shows what `make` gives: an array of elements, now or later. It is asked again when the table has changed and `isLive`.
export function show(name, make, isLive) {
  title.textContent = name;
  fill = isLive ? make : null;
  content.replaceChildren(element("p", "faint", texts.loading));
  if (!dialog.open) dialog.showModal();
  return draw(make);
}

async function draw(make) {
  turn += 1;
  const own = turn;
  let made;
  try { made = await make(); } catch (error) { made = [element("p", "problem", error.message)]; }
  // Another one was asked for meanwhile.
  if (own === turn && dialog.open) content.replaceChildren(...made);
}

// Asks a question; null if the window is closed without an answer.
export const ask = (question, choices) => new Promise((resolve) => {
  const answer = (value) => {
    resolve(value);
    dialog.close();
  };
  dialog.addEventListener("close", () => resolve(null), { once: true });
  const tools = element("div", "choices");
  tools.append(...choices.map(([value, text]) => button(text, () => answer(value))));
  show(question, () => [tools], false);
});

export const isOpen = () => dialog.open;
export const close = () => dialog.close();
export const refresh = () => { if (dialog.open && fill) draw(fill); };
