import { show } from "./dialog.js";
import { act, address, button, element, fetched, size, time } from "./dom.js";
import { look } from "./look.js";
import { texts } from "./texts.js";

// One document: what it is, was, and could be. Each part is there only where it applies.
export const showDocument = (row) => show(row.details.name ?? row.name, () => fetched(`/facts?id=${encodeURIComponent(row.id)}`), (facts) => [
  ...(facts.error ? [element("p", "problem", facts.error)] : []),
  ...conflicts(row, facts), ...versions(row, facts), ...attributes(facts), ...place(facts),
], true);

const head = (text) => element("h3", "", text);

const who = (version) => (version.isOwn ? texts.thisDevice : version.device ?? texts.unknownDevice);

function line(row, version, made) {
  const item = element("li");
  item.append(
    element("span", "who", who(version)), element("span", "faint", time.format(new Date(version.modified * 1000))),
    element("span", "faint", size(version.size)));
  const tools = element("span", "tools");
  tools.append(...made, button(texts.look, () => look(row, version, () => showDocument(row))));
  if (version.reference) {
    if (version.preview === "text" || version.preview === "image") {
      tools.append(button(texts.compare, () => compare(row, version)));
    }
    const save = element("a", "", texts.save);
    save.href = address("/content", row, version);
    save.download = "";
    tools.append(save);
  }
  item.append(tools);
  return item;
}

function conflicts(row, facts) {
  if (!facts.conflicts.length) return [];
  // What is kept and what is not is chosen among these. If there are others meanwhile, nothing is done.
  const seen = { conflicts: facts.conflicts.map((one) => one.name), size: facts.current.size, modified: facts.current.modified };
  const ask = (action, rest) => () => act(action, [row.id], { seen, ...rest });
  const list = element("ul", "versions");
  list.append(line(row, facts.current, [button(texts.keepThis, ask("keepCurrent"))]));
  for (const version of facts.conflicts) {
    list.append(line(row, version, [button(texts.keepThis, ask("keepVersion", { version: version.reference }))]));
  }
  return [head(texts.inConflict), element("p", "faint", texts.conflictAdvice), list, button(texts.keepAll, ask("keepAll"))];
}

function versions(row, facts) {
  if (!facts.versions.length) return [];
  const list = element("ul", "versions");
  for (const version of facts.versions) {
    const restore = () => act("restore", [row.id], { version: version.reference });
    list.append(line(row, version, [button(texts.restore, restore)]));
  }
  return [head(texts.earlierVersions), list];
}

function attributes(facts) {
  if (!facts.attributes.length) return [];
  const list = element("dl");
  for (const one of facts.attributes) list.append(element("dt", "", one.name), element("dd", "", one.text ?? size(one.size)));
  return [head(texts.attributes), list];
}

const place = (facts) => [head(texts.onDisk), element("p", "path", facts.path)];

// MARK: Comparing

function compare(row, version) {
  const name = `${who(version)}, ${time.format(new Date(version.modified * 1000))}`;
  const back = () => button(texts.back, () => showDocument(row));
  if (version.preview === "image") return show(name, () => name, () => [back(), images(row, version)]);
  return show(name, () => fetched(address("/difference", row, version)), ({ rows, isEqual }) => {
    if (rows.every((one) => one.skipped !== undefined)) {
      return [back(), element("p", "faint", isEqual ? texts.noDifference : texts.hiddenDifference)];
    }
    const table = element("table", "difference");
    const names = element("tr");
    for (const text of [who(version), texts.now]) {
      const cell = element("th", "", text);
      cell.scope = "col";
      names.append(cell);
    }
    table.append(names, ...rows.map(difference));
    return [back(), table];
  });
}

function images(row, version) {
  const pair = element("div", "pair");
  for (const one of [version, undefined]) {
    const figure = element("figure");
    const image = element("img");
    image.src = address("/preview", row, one);
    image.alt = one ? who(one) : texts.now;
    figure.append(element("figcaption", "", image.alt), image);
    pair.append(figure);
  }
  return pair;
}

function difference(one) {
  const made = element("tr");
  if (one.skipped !== undefined) {
    const cell = element("td", "faint", texts.sameLines(one.skipped));
    cell.colSpan = 2;
    made.append(cell);
    return made;
  }
  const isSame = one.left === one.right;
  for (const [side, text] of [["removed", one.left], ["added", one.right]]) {
    made.append(element("td", isSame || text === undefined ? "" : side, text ?? ""));
  }
  return made;
}
