import { ask } from "./dialog.js";
import { act } from "./dom.js";
import { texts } from "./texts.js";

// The switch for where documents live. All of them move with it, so it asks.
const control = document.getElementById("preferred");
let isCloud = false;

control.addEventListener("click", async () => {
  // It may be changed elsewhere while the question is open.
  const [name, advice] = isCloud ? ["local", texts.preferLocalAdvice] : ["cloud", texts.preferCloudAdvice];
  const choice = await ask(advice, [["yes", texts.moveAll], ["no", texts.cancel]]);
  if (choice === "yes") await act("prefer", undefined, { name });
});

export function showPreferred(status) {
  isCloud = status.preferred === "cloud";
  control.textContent = status.moving ? texts.moving(...status.moving.split(" ")) : texts.preferCloud;
  control.setAttribute("aria-checked", isCloud);
  control.title = status.stayed ?? "";
}
