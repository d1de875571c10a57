// All texts of the page, in the browser's language.
const english = {
  sections: { local: "On this computer", cloud: "In the cloud" },
  name: "Name", kind: "Kind", size: "Size", changed: "Changed", where: "Where",
  folder: "Folder", undo: "Undo", redo: "Redo",
  words: {
    here: "Here", cloud: "In the cloud only", arriving: "Downloading", waiting: "Waiting for the cloud", sending: "Uploading",
    outdated: "Newer in the cloud", conflict: "Conflict", failed: "Could not be saved", kept: "Kept",
    keptElsewhere: "Kept, and not here yet",
  },
  download: "Download here", freeUp: "Free up space", keep: "Keep here", release: "Keep no longer",
  filter: "Find: words, or size > 10M", nothingFound: "No document is found.",
  edit: "Edit", done: "Done", newDocument: "Name of a new document", handle: "Drag to another place",
  toCloud: "Move to the cloud", toLocal: "Move to this computer", selected: (n) => `${n} selected`,
  rename: "Rename", remove: "Delete", sure: "Delete, really?", save: "Save a copy", empty: "No documents",
  loading: "…", ended: "The mount has ended, or docfs browse has.",
  online: "The cloud is reachable.", offline: "The cloud cannot be reached.",
  unauthorized: "The cloud refuses this device's credentials.",
  pending: (n) => (n === 1 ? "1 change is still to be sent." : `${n} changes are still to be sent.`),
  conflicts: (n) => (n === 1 ? "1 version is in conflict." : `${n} versions are in conflict.`),
};
const german = {
  sections: { local: "Auf diesem Computer", cloud: "In der Cloud" },
  name: "Name", kind: "Art", size: "Größe", changed: "Geändert", where: "Ort",
  folder: "Ordner", undo: "Rückgängig", redo: "Wiederholen",
  words: {
    here: "Hier", cloud: "Nur in der Cloud", arriving: "Wird geladen", waiting: "Wartet auf die Cloud", sending: "Wird gesendet",
    outdated: "In der Cloud neuer", conflict: "Konflikt", failed: "Nicht gesichert", kept: "Bleibt hier",
    keptElsewhere: "Bleibt hier, noch nicht geladen",
  },
  download: "Laden", freeUp: "Platz freigeben", keep: "Hier behalten", release: "Nicht mehr behalten",
  filter: "Suchen: Wörter, oder size > 10M", nothingFound: "Kein Dokument gefunden.",
  edit: "Bearbeiten", done: "Fertig", newDocument: "Name eines neuen Dokuments", handle: "An eine andere Stelle ziehen",
  toCloud: "In die Cloud bewegen", toLocal: "Auf diesen Computer bewegen", selected: (n) => `${n} ausgewählt`,
  rename: "Umbenennen", remove: "Löschen", sure: "Wirklich löschen?", save: "Kopie sichern", empty: "Keine Dokumente",
  loading: "…", ended: "Das Dateisystem oder docfs browse wurde beendet.",
  online: "Die Cloud ist erreichbar.", offline: "Die Cloud ist nicht erreichbar.",
  unauthorized: "Die Cloud weist die Anmeldung dieses Geräts ab.",
  pending: (n) => (n === 1 ? "1 Änderung wird noch gesendet." : `${n} Änderungen werden noch gesendet.`),
  conflicts: (n) => (n === 1 ? "1 Version im Konflikt." : `${n} Versionen im Konflikt.`),
};
export const language = navigator.language.startsWith("de") ? "de" : "en";
export const all = [english, german];
export const texts = language === "de" ? german : english;
