"""Menu entries for documents of docfs in Thunar, which shows no emblems of others."""
import sys

from gi.repository import GObject, Thunarx

sys.path.insert(0, "/usr/share/docfs/file-managers")
import docfs_documents


class DocfsThunarExtension(GObject.GObject, Thunarx.MenuProvider):
    def get_file_menu_items(self, _, files):
        paths = [file.get_location().get_path() for file in files]
        if None in paths:
            return []
        offered = docfs_documents.actions([docfs_documents.Document.read(path) for path in paths])
        return [self.item(action, paths) for action in offered]

    def get_folder_menu_items(self, _, __):
        return []

    def item(self, action, paths):
        item = Thunarx.MenuItem(
            name=f"docfs::{action.name}", label=action.label, tooltip=action.tip, icon=action.icon)
        item.connect("activate", lambda *_: docfs_documents.perform_in_background(action.name, paths))
        return item
