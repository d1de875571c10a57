import { ask } from "./dialog.js";
import { act } from "./dom.js";
import { texts } from "./texts.js";

// The switch for where documents live. All of them move with it, so it asks.
const control = document.getElementById("preferred");
let isCloud = false;

control.addEventListener("click", async () => {
  const choice = await ask(isCloud ? texts.preferLocalAdvice : texts.preferCloudAdvice, [["yes", texts.moveAll], ["no", texts.cancel]]);
  if (choice === "yes") await act("prefer", undefined, { name: isCloud ? "local" : "cloud" });
});

export function showPreferred(status) {
  isCloud = status.preferred === "cloud";
  control.textContent = status.moving ? texts.moving(...status.moving.split(" ")) : texts.preferCloud;
  control.setAttribute("aria-checked", isCloud);
  control.title = status.stayed ?? "";
}
