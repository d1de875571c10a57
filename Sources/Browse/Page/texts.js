// All texts of the page, in the browser's language.
const duration = (seconds) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
// The parts of the name of an action (`ActionName`), which docfs says in English.
const partsOf = (name) => {
  const preferred = /^Change the preferred location to (.*)$/s.exec(name);
  if (preferred) return { verb: "Prefer", object: preferred[1] };
  const verbs = "Create|Delete|Rename|Move|Reorder|Choose a version of|Choose versions of|Restore a version of|Restore versions of";
  const [, verb, rest] = new RegExp(`^(${verbs}) (.*)$`, "s").exec(name) ?? [];
  if (verb !== "Move" && verb !== "Rename") return { verb, object: rest };
  const [, object, direction, place] = /^(.*?)(?: (to the cloud|out of the cloud)| to “(.*)”)?$/s.exec(rest);
  return { verb, object, direction, place };
};
const germanObject = (object) => {
  const [, kind, name, inside] = /^(folder |link |)“(.*)”(?: with (\d+) documents?)?$/s.exec(object) ?? [];
  if (name === undefined) return object.split(" and ").map(germanAmount).join(" und ");
  const title = `${{ "folder ": "Ordner ", "link ": "Verknüpfung ", "": "" }[kind]}„${name}“`;
  return inside === undefined ? title : `${title} mit ${inside === "1" ? "1 Dokument" : `${inside} Dokumenten`}`;
};
const germanAmount = (amount) => {
  const [number, noun] = amount.split(" ");
  const one = { document: "Dokument", folder: "Ordner", link: "Verknüpfung" };
  const many = { documents: "Dokumente", folders: "Ordner", links: "Verknüpfungen" };
  return `${number} ${one[noun] ?? many[noun] ?? noun}`;
};
const germanAction = (name) => {
  const { verb, object, direction, place } = partsOf(name);
  if (!verb) return name;
  if (verb === "Prefer") return `Bevorzugten Ort ändern: ${german.sections[object] ?? object}`;
  const what = germanObject(object);
  const target = direction ? (direction === "to the cloud" ? " in die Cloud" : " aus der Cloud") : place ? ` nach „${place}“` : "";
  return {
    Create: `${what} anlegen`, Delete: `${what} löschen`, Reorder: `${what} umordnen`, Move: `${what}${target} bewegen`,
    Rename: place ? `${what} in „${place}“ umbenennen` : `${what} umbenennen`,
    "Choose a version of": `Eine Version wählen: ${what}`, "Choose versions of": `Versionen wählen: ${what}`,
    "Restore a version of": `Eine Fassung wiederherstellen: ${what}`,
    "Restore versions of": `Fassungen wiederherstellen: ${what}`,
  }[verb];
};
const english = {
  sections: { local: "On this computer", cloud: "In the cloud" },
  name: "Name", kind: "Kind", size: "Size", changed: "Changed", where: "Where",
  folder: "Folder", undo: "Undo", redo: "Redo", action: (name) => name,
  words: {
    here: "Here", cloud: "In the cloud only", arriving: "Downloading", waiting: "Waiting for the cloud", sending: "Uploading",
    outdated: "Newer in the cloud", conflict: "Conflict", failed: "Could not be saved", kept: "Kept",
    keptElsewhere: "Kept, and not here yet",
  },
  download: "Download here", freeUp: "Free up space", keep: "Keep here", release: "Keep no longer",
  filter: "Find: words, or size > 10M", nothingFound: "No document is found.",
  edit: "Edit", done: "Done", newDocument: "Name of a new document", handle: "Drag to another place, or press Alt with an arrow key",
  oneFolder: "Only rows of one folder move up and down together.",
  putAdvice: (n) => `${n === 1 ? "One row is" : `${n} rows are`} to be moved: select a folder, a section or a document, and press Ctrl-V. Escape leaves ${n === 1 ? "it" : "them"} in place.`,
  toCloud: "Move to the cloud", toLocal: "Move to this computer", selected: (n) => `${n} selected`,
  details: "Details…", solve: "Solve conflict…", look: "Look", compare: "Compare", close: "Close", back: "Back",
  thisDevice: "This device", unknownDevice: "Unknown device", now: "Now",
  inConflict: "In conflict", conflictAdvice: "Two devices have changed it, and neither knew of the other's change. What you do not keep becomes an earlier version.",
  keepThis: "Keep this one", keepAll: "Keep all, as documents of their own", restore: "Restore", earlierVersions: "Earlier versions",
  attributes: "Attributes", onDisk: "On disk", noDifference: "Both are the same.",
  sameLines: (n) => (n === 1 ? "1 line that is the same" : `${n} lines that are the same`),
  onlyBeginning: "This is the beginning. Save a copy to see all of it.", cannotBeShown: "The browser cannot show this.",
  add: "Add files…", adding: "Adding", cancel: "Cancel", cancelled: "Cancelled.", more: (n) => `(and ${n} more)`,
  taken: (name) => `There is a document “${name}” already.`, keepBoth: "Keep both", skip: "Skip it",
  keepBothAll: "Keep both, always", skipAll: "Skip all of them",
  failed: "That did not work. Look into the log of docfs, or try again.",
  hiddenDifference: "Their words are the same. They differ in line ends, or in how letters are written.",
  open: "Open", history: "History…", canBeUndone: "Can be undone", canBeRedone: "Can be done again", trash: "Trash",
  nothingDone: "Nothing was done yet.", emptyTrash: "Empty the trash",
  emptyAdvice: "What was deleted before can no longer be brought back on this device.",
  preferCloud: "Documents live in the cloud", moveAll: "Move all",
  preferCloudAdvice: "All documents move to the cloud, and new ones go there.",
  preferLocalAdvice: "All documents move to this computer, and leave the cloud on every device.",
  moving: (done, all) => `Moving ${done} of ${all}`,
  rename: "Rename", remove: "Delete", sure: "Delete, really?", save: "Save a copy", saveTogether: "Save as a zip archive", empty: "No documents",
  loading: "…", ended: "The mount has ended, or docfs browse has.",
  online: "The cloud is reachable.", offline: "The cloud cannot be reached.",
  unauthorized: "The cloud refuses this device's credentials.",
  pending: (n) => (n === 1 ? "1 change is still to be sent." : `${n} changes are still to be sent.`),
  unsent: (amount, rate, seconds) => (rate ? `${amount} to go, ${rate} a second, ${duration(seconds)} left.` : `${amount} to go.`),
  conflicts: (n) => (n === 1 ? "1 version is in conflict." : `${n} versions are in conflict.`),
  findings: (n) => `docfs check found ${n === 1 ? "1 fault" : `${n} faults`}; docfs check --repair mends what it can.`,
  room: (amount) => `The cloud's documents take ${amount} of this disk.`,
  inTrash: (amount) => `${amount} in the trash.`, free: (amount) => `${amount} free on the disk.`,
};
const german = {
  sections: { local: "Auf diesem Computer", cloud: "In der Cloud" },
  name: "Name", kind: "Art", size: "Größe", changed: "Geändert", where: "Ort",
  folder: "Ordner", undo: "Rückgängig", redo: "Wiederholen", action: germanAction,
  words: {
    here: "Hier", cloud: "Nur in der Cloud", arriving: "Wird geladen", waiting: "Wartet auf die Cloud", sending: "Wird gesendet",
    outdated: "In der Cloud neuer", conflict: "Konflikt", failed: "Nicht gesichert", kept: "Bleibt hier",
    keptElsewhere: "Bleibt hier, noch nicht geladen",
  },
  download: "Laden", freeUp: "Platz freigeben", keep: "Hier behalten", release: "Nicht mehr behalten",
  filter: "Suchen: Wörter, oder size > 10M", nothingFound: "Kein Dokument gefunden.",
  edit: "Bearbeiten", done: "Fertig", newDocument: "Name eines neuen Dokuments", handle: "An eine andere Stelle ziehen, oder Alt mit einer Pfeiltaste",
  oneFolder: "Nur Zeilen eines Ordners gehen zusammen nach oben und unten.",
  putAdvice: (n) => `${n === 1 ? "Eine Zeile wird" : `${n} Zeilen werden`} bewegt: einen Ordner, einen Abschnitt oder ein Dokument wählen, dann Strg-V. Escape lässt alles an seinem Platz.`,
  toCloud: "In die Cloud bewegen", toLocal: "Auf diesen Computer bewegen", selected: (n) => `${n} ausgewählt`,
  details: "Einzelheiten…", solve: "Konflikt lösen…", look: "Ansehen", compare: "Vergleichen", close: "Schließen", back: "Zurück",
  thisDevice: "Dieses Gerät", unknownDevice: "Unbekanntes Gerät", now: "Jetzt",
  inConflict: "Im Konflikt", conflictAdvice: "Zwei Geräte haben es geändert, ohne die Änderung des anderen zu kennen. Was nicht behalten wird, bleibt als frühere Fassung.",
  keepThis: "Diese behalten", keepAll: "Alle behalten, als eigene Dokumente", restore: "Wiederherstellen", earlierVersions: "Frühere Fassungen",
  attributes: "Attribute", onDisk: "Auf der Platte", noDifference: "Beide sind gleich.",
  sameLines: (n) => (n === 1 ? "1 gleiche Zeile" : `${n} gleiche Zeilen`),
  onlyBeginning: "Das ist der Anfang. Eine gesicherte Kopie zeigt alles.", cannotBeShown: "Der Browser kann das nicht anzeigen.",
  add: "Dateien hinzufügen…", adding: "Wird hinzugefügt:", cancel: "Abbrechen", cancelled: "Abgebrochen.", more: (n) => `(und ${n} weitere)`,
  taken: (name) => `Ein Dokument „${name}“ gibt es schon.`, keepBoth: "Beide behalten", skip: "Auslassen",
  keepBothAll: "Immer beide behalten", skipAll: "Alle auslassen",
  failed: "Das ging nicht. Das Protokoll von docfs sagt mehr; oder noch einmal versuchen.",
  hiddenDifference: "Die Wörter sind gleich. Zeilenenden oder die Schreibweise von Buchstaben unterscheiden sich.",
  open: "Öffnen", history: "Verlauf…", canBeUndone: "Kann rückgängig gemacht werden", canBeRedone: "Kann wiederholt werden", trash: "Papierkorb",
  nothingDone: "Es wurde noch nichts getan.", emptyTrash: "Papierkorb leeren",
  emptyAdvice: "Was vorher gelöscht wurde, kann auf diesem Gerät nicht mehr zurückgeholt werden.",
  preferCloud: "Dokumente liegen in der Cloud", moveAll: "Alle bewegen",
  preferCloudAdvice: "Alle Dokumente ziehen in die Cloud um, und neue kommen dorthin.",
  preferLocalAdvice: "Alle Dokumente ziehen auf diesen Computer um und verlassen die Cloud auf jedem Gerät.",
  moving: (done, all) => `${done} von ${all} umgezogen`,
  rename: "Umbenennen", remove: "Löschen", sure: "Wirklich löschen?", save: "Kopie sichern", saveTogether: "Als Zip-Archiv sichern", empty: "Keine Dokumente",
  loading: "…", ended: "Das Dateisystem oder docfs browse wurde beendet.",
  online: "Die Cloud ist erreichbar.", offline: "Die Cloud ist nicht erreichbar.",
  unauthorized: "Die Cloud weist die Anmeldung dieses Geräts ab.",
  pending: (n) => (n === 1 ? "1 Änderung wird noch gesendet." : `${n} Änderungen werden noch gesendet.`),
  unsent: (amount, rate, seconds) => (rate ? `Noch ${amount}, ${rate} in der Sekunde, ${duration(seconds)}.` : `Noch ${amount}.`),
  conflicts: (n) => (n === 1 ? "1 Version im Konflikt." : `${n} Versionen im Konflikt.`),
  findings: (n) => `docfs check hat ${n === 1 ? "einen Fehler" : `${n} Fehler`} gefunden; docfs check --repair behebt, was sich beheben lässt.`,
  room: (amount) => `Die Dokumente der Cloud nehmen ${amount} auf dieser Platte ein.`,
  inTrash: (amount) => `${amount} im Papierkorb.`, free: (amount) => `${amount} auf der Platte frei.`,
};
export const language = navigator.language.startsWith("de") ? "de" : "en";
export const all = [english, german];
export const texts = language === "de" ? german : english;
