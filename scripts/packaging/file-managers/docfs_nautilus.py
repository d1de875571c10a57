"""Emblems and menu entries for documents of docfs in Nautilus."""
import sys

from gi.repository import Nautilus

sys.path.insert(0, "/usr/share/docfs/file-managers")
from docfs_extension import extension

DocfsExtension = extension(Nautilus, "DocfsNautilusExtension")
