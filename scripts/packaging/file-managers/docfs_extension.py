"""What the extensions of file managers have in common. The libraries of Nautilus and Nemo differ in name only."""
import contextlib
import glob
import hashlib
import os

from gi.repository import Gio, GLib, GObject

import docfs_documents

# States change without an event that a file manager hears of: a transfer ends, a conflict comes. In seconds.
PAUSE = 2
# At most so many files are looked at after a pause, in turn.
AT_A_TIME = 200


class ShownFiles:
    """The documents that a file manager has shown emblems of. Their emblems are asked for anew when they have changed."""

    def __init__(self):
        self.waiting = {}
        self.is_watching = False

    def add(self, path, file, emblems):
        self.waiting[path] = (file.weak_ref(), emblems)
        if not self.is_watching:
            self.is_watching = True
            GLib.timeout_add_seconds(PAUSE, self.look)

    def look(self):
        self.is_watching = False
        self.look_at_some()
        self.is_watching = bool(self.waiting)
        return self.is_watching

    def look_at_some(self):
        for path in list(self.waiting)[:AT_A_TIME]:
            reference, emblems = self.waiting.pop(path)
            file, document = reference(), docfs_documents.Document.read(path)
            if file is None or file.is_gone() or document is None:
                continue
            if document.emblems == emblems:
                self.waiting[path] = (reference, emblems)  # At the end.
            else:
                if "docfs-cloud" in emblems and "docfs-cloud" not in document.emblems:
                    forget_failed_thumbnail(path)
                file.invalidate_extension_info()


def forget_failed_thumbnail(path):
    """No thumbnail could be made of a content that was not here, and the file manager has noted that. Now it can be."""
    name = hashlib.md5(Gio.File.new_for_path(path).get_uri().encode(), usedforsecurity=False).hexdigest() + ".png"
    for note in glob.glob(os.path.join(GLib.get_user_cache_dir(), "thumbnails", "fail", "*", name)):
        # Another file manager may have removed it.
        with contextlib.suppress(OSError):
            os.remove(note)


def start(action, paths, then=lambda: None):
    """Carries out an action in a process of its own, since a menu must not wait for a disk, and calls `then` at its end.

    Threads are no way: a file manager holds Python's lock while it waits for events, and they would stand still.
    """
    process = Gio.Subprocess.new(["python3", docfs_documents.__file__, action.name, *paths], Gio.SubprocessFlags.NONE)
    process.wait_async(None, lambda *_: then())


def path_of(file):
    location = file.get_location()
    return location.get_path() if location else None


def extension(library, type_name):
    """The class that the file manager looks for."""

    class Extension(GObject.GObject, library.InfoProvider, library.MenuProvider):
        __gtype_name__ = type_name

        def __init__(self):
            super().__init__()
            self.shown = ShownFiles()

        def update_file_info(self, file):
            path = path_of(file)
            document = docfs_documents.Document.read(path) if path else None
            if document and not document.is_folder:
                for emblem in document.emblems:
                    file.add_emblem(emblem)
                self.shown.add(path, file, document.emblems)
            return library.OperationResult.COMPLETE

        def get_file_items(self, *arguments):
            files = arguments[-1]  # Nemo gives its window first.
            paths = [path_of(file) for file in files]
            return [self.item(action, paths, files) for action in docfs_documents.actions(paths)]

        def get_background_items(self, *_):
            return []

        def item(self, action, paths, files):
            item = library.MenuItem(
                name=f"docfs::{action.name}", label=action.label, tip=action.tip, icon=action.icon)
            item.connect("activate", lambda _: start(action, paths, lambda: self.refresh(files)))
            return item

        def refresh(self, files):
            for file in files:
                file.invalidate_extension_info()

    # nautilus-python registers the class under this name.
    Extension.__name__ = type_name
    return Extension
