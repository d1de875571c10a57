"""Menu entries for documents of docfs in Thunar, which shows no emblems of others."""
import sys

from gi.repository import GObject, Thunarx

sys.path.insert(0, "/usr/share/docfs/file-managers")
import docfs_documents
import docfs_extension


class DocfsThunarExtension(GObject.GObject, Thunarx.MenuProvider):
    def get_file_menu_items(self, _, files):
        paths = [docfs_extension.path_of(file) for file in files]
        return [self.item(action, paths) for action in docfs_documents.actions(paths)]

    def get_folder_menu_items(self, _, __):
        return []

    def item(self, action, paths):
        item = Thunarx.MenuItem(
            name=f"docfs::{action.name}", label=action.label, tooltip=action.tip, icon=action.icon)
        item.connect("activate", lambda *_: docfs_extension.start(action, paths))
        return item
