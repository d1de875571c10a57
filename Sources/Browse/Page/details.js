import { showDocument } from "./document.js";
import { act, address, button, element, saveTogether } from "./dom.js";
import { look } from "./look.js";
import { texts } from "./texts.js";

// What can be done with the selected rows. `deletion` has the text of its button, and what it does; `rename` begins to edit the name of one.
export const controls = (found, deletion, rename) =>
  (found.length === 1 ? controlsOfOne(found[0], deletion, rename) : controlsOfMany(found, deletion));

function controlsOfOne(row, deletion, rename) {
  const made = [element("strong", "", row.details.name ?? row.name), button(texts.rename, rename)];
  if (row.kind === "document") {
    const isInConflict = row.details.words.includes("conflict");
    const more = button(isInConflict ? texts.solve : texts.details, () => showDocument(row));
    if (isInConflict) more.className = "yellow";
    made.push(button(texts.open, () => act("open", [row.id])), button(texts.look, () => look(row, row.details)), more);
  }
  made.push(...offers([row], deletion));
  if (row.kind === "document") {
    const save = element("a", "", texts.save);
    save.href = address("/content", row);
    save.download = "";
    made.push(save);
  } else {
    made.push(button(texts.saveTogether, () => saveTogether([row.id])));
  }
  return [...made, element("span", "faint", row.details.filename ?? "")];
}

const controlsOfMany = (found, deletion) => [
  element("strong", "", texts.selected(found.length)), ...offers(found, deletion),
  button(texts.saveTogether, () => saveTogether(found.map((row) => row.id))),
];

// Each control is there only where it applies to one of the rows.
function offers(found, deletion) {
  const made = [];
  const offer = (text, action, fitting, rest) => {
    const ids = found.filter(fitting).map((row) => row.id);
    if (ids.length) made.push(button(text, () => act(action, ids, rest)));
  };
  const isCloud = (row) => row.id.startsWith("cloud/");
  offer(texts.toCloud, "move", (row) => !isCloud(row), { target: "cloud" });
  offer(texts.toLocal, "move", isCloud, { target: "local" });
  offer(texts.download, "download", (row) => isCloud(row) && row.details.isHere === false);
  offer(texts.freeUp, "freeUp", (row) => isCloud(row) && row.details.isHere && !row.details.kept);
  offer(texts.keep, "keep", (row) => isCloud(row) && !row.details.kept);
  offer(texts.release, "release", (row) => isCloud(row) && row.details.kept);
  return [...made, button(deletion.text, deletion.run)];
}
