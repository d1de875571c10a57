import { size } from "./dom.js";
import { texts } from "./texts.js";

// The line at the foot of the page.
const oldest = 15000; // Milliseconds. So far back the rate looks.
let samples = []; // How many bytes were still to be sent, and when.

// Bytes a second; undefined where nothing was sent for a while.
function rate(unsent, now) {
  // More to send than before: the measuring begins anew.
  if (samples.length && samples[samples.length - 1].unsent < unsent) samples = [];
  samples.push({ unsent, now });
  samples = samples.filter((one) => now - one.now <= oldest);
  const [first] = samples;
  const passed = now - first.now;
  return passed >= 1000 && first.unsent > unsent ? ((first.unsent - unsent) / passed) * 1000 : undefined;
}

function sending(status) {
  const unsent = Number(status.unsent ?? 0);
  const bytesPerSecond = rate(unsent, performance.now());
  if (!Number(status.pending)) return [];
  const words = [texts.pending(Number(status.pending))];
  if (unsent) words.push(texts.unsent(size(unsent), bytesPerSecond && size(bytesPerSecond), bytesPerSecond && unsent / bytesPerSecond));
  return words;
}

// What is said of the whole mount. `isEmpty`: a filter shows no document.
export function statusText(status, isEmpty) {
  const words = [];
  if (isEmpty) words.push(texts.nothingFound);
  words.push(texts[status.connection] ?? status.connection ?? "");
  if (status.problem) words.push(`${status.problem}.`);
  words.push(...sending(status));
  if (status.disk) words.push(`${status.disk}.`);
  if (Number(status.conflicts)) words.push(texts.conflicts(Number(status.conflicts)));
  if (Number(status.findings)) words.push(texts.findings(Number(status.findings)));
  if (Number(status.room)) words.push(texts.room(size(Number(status.room))));
  if (Number(status.trash)) words.push(texts.inTrash(size(Number(status.trash))));
  if (status.free) words.push(texts.free(size(Number(status.free))));
  return words.join(" ");
}
