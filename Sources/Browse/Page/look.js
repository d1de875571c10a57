import { show } from "./dialog.js";
import { address, button, element, fetched } from "./dom.js";
import { texts } from "./texts.js";

// Shows a content: text as text, images, sounds and films as the browser does. A film begins at once, and only what is watched is fetched.
export function look(row, version, back) {
  const { preview } = version;
  // A browser has a viewer of its own for it, which needs a page of its own.
  if (preview === "pdf") return window.open(address("/preview", row, version), "_blank", "noopener");
  const name = version.reference ? version.name : row.details.name ?? row.name;
  const first = () => (back ? [button(texts.back, back)] : []);
  if (preview === "text") return show(name, () => fetched(address("/text", row, version)), (found) => [...first(), ...text(found)]);
  return show(name, () => name, () => [...first(), ...media(row, version)]);
}

function text({ text: words, isWhole }) {
  const shown = element("pre", "text", words);
  shown.tabIndex = 0;
  return [shown, ...(isWhole ? [] : [element("p", "faint", texts.onlyBeginning)])];
}

function media(row, version) {
  const shown = element({ image: "img", audio: "audio", video: "video" }[version.preview]);
  shown.className = "shown";
  if (version.preview === "image") shown.alt = row.details.name ?? row.name;
  else shown.controls = true;
  const failed = element("p", "problem", texts.cannotBeShown);
  failed.hidden = true;
  shown.addEventListener("error", () => { failed.hidden = false; });
  shown.src = address("/preview", row, version);
  return [shown, failed];
}
