import { button, element, say } from "./dom.js";
import { texts } from "./texts.js";

// The one window over the page.
const dialog = document.getElementById("dialog");
const title = document.getElementById("dialogTitle");
const content = document.getElementById("dialogContent");
let shown = null; // What it shows: how it is loaded and drawn, and what was drawn last, as a text.

document.getElementById("dialogHead").append(button("✕", () => dialog.close()));
document.querySelector("#dialogHead button").setAttribute("aria-label", texts.close);
dialog.addEventListener("close", () => {
  shown = null;
  put([]);
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

// Shows what `draw` makes of what `load` gives, now or later. With `isLive` it is loaded again when the table has changed.
export function show(name, load, draw, isLive = false) {
  shown = { load, draw, isLive, text: null, isLoading: false, isOld: false };
  title.textContent = name;
  say("");
  put([element("p", "faint", texts.loading)]);
  if (!dialog.open) dialog.showModal();
  return bring(shown);
}

// One load at a time. What is as before is not drawn anew: a person may be about to click there.
async function bring(one) {
  if (one.isLoading) { one.isOld = true; return; }
  one.isLoading = true;
  do {
    one.isOld = false;
    let made;
    let text;
    try {
      const loaded = await one.load();
      text = JSON.stringify(loaded) ?? "";
      if (one === shown && text !== one.text) made = one.draw(loaded);
    } catch (error) {
      text = error.message;
      made = [element("p", "problem", text || texts.failed)];
    }
    if (one === shown && made && text !== one.text) {
      one.text = text;
      put(made);
    }
  } while (one.isOld && one === shown);
  one.isLoading = false;
}

// The focus stays at the control of the same number.
function put(made) {
  const controls = () => [...content.querySelectorAll("button, a, [tabindex]")];
  const at = controls().indexOf(document.activeElement);
  for (const film of content.querySelectorAll("audio, video")) {
    film.removeAttribute("src");
    film.load();
  }
  content.replaceChildren(...made);
  if (at >= 0) controls()[Math.min(at, controls().length - 1)]?.focus();
}

// Asks a question; null if the window is closed without an answer.
export const ask = (question, choices) => new Promise((resolve) => {
  const answer = (value) => {
    resolve(value);
    dialog.close();
  };
  dialog.addEventListener("close", () => resolve(null), { once: true });
  show(question, () => question, () => {
    const tools = element("div", "choices");
    tools.append(...choices.map(([value, text]) => button(text, () => answer(value))));
    return [tools];
  });
});

export const refresh = () => { if (shown?.isLive) bring(shown); };
