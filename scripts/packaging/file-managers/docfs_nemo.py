"""Emblems and menu entries for documents of docfs in Nemo."""
import sys

from gi.repository import Nemo

sys.path.insert(0, "/usr/share/docfs/file-managers")
from docfs_extension import extension

DocfsExtension = extension(Nemo, "DocfsNemoExtension")
