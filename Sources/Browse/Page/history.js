import { ask, show } from "./dialog.js";
import { act, button, element, fetched, size, time } from "./dom.js";
import { texts } from "./texts.js";

// What was done, and what was deleted.
const showHistory = () => show(texts.history.replace("…", ""), () => fetched("/history"), ({ undo, redo, trash, rest }) => {
  const made = [...actions(texts.canBeUndone, undo, "undo"), ...actions(texts.canBeRedone, redo, "redo"), ...deleted(trash, rest)];
  return made.length ? made : [element("p", "faint", texts.nothingDone)];
}, true);

const moment = (text) => element("span", "faint", time.format(new Date(text)));

// The folder below a section, as a person knows both.
const place = (path) => {
  const [section, ...folders] = path.split("/");
  return element("span", "faint", [texts.sections[section] ?? section, ...folders].join(" / "));
};

function actions(title, list, action) {
  if (!list.length) return [];
  const made = element("ul", "versions");
  list.forEach((one, index) => {
    const item = element("li");
    item.append(element("span", "who", texts.action(one.name)), moment(one.time));
    if (one.place) item.append(place(one.place));
    const tools = element("span", "tools");
    tools.append(button(index ? `${texts[action]} (${index + 1})` : texts[action], () => act(action, undefined, { count: index + 1, name: one.name, time: one.time })));
    item.append(tools);
    made.append(item);
  });
  return [element("h3", "", title), made];
}

function deleted(list, rest) {
  if (!list.length) return [];
  const made = element("ul", "versions");
  for (const one of list) {
    const item = element("li");
    item.append(element("span", "who", one.name), moment(one.time), place(one.place), element("span", "faint", size(one.size)));
    if (one.device) item.append(element("span", "faint", one.device));
    const tools = element("span", "tools");
    tools.append(button(texts.restore, () => act("restoreFromTrash", undefined, { name: one.key })));
    item.append(tools);
    made.append(item);
  }
  const empty = button(texts.emptyTrash, async () => {
    if (await ask(texts.emptyAdvice, [["yes", texts.emptyTrash], ["no", texts.cancel]]) === "yes") await act("emptyTrash");
  });
  return [element("h3", "", texts.trash), made, ...(rest ? [element("p", "faint", texts.more(rest))] : []), empty];
}

export function letShowHistory(control) { control.addEventListener("click", showHistory); }
