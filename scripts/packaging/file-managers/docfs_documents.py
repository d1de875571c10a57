"""What file managers show of documents in a mount of docfs, and what their menus do with them.

Everything is read from, and asked for by, the extended attributes `user.document.*` of a file.
Run as a program, it carries out one action: docfs_documents.py keep|release|free|versions PATH…
"""
import contextlib
import errno
import html
import os
import subprocess
import sys
from dataclasses import dataclass, field

PREFIX = "user.document."


def attribute(path, name):
    """The value of an attribute; None where there is none, which is so outside of docfs."""
    try:
        return os.getxattr(path, PREFIX + name).decode()
    except (OSError, UnicodeDecodeError):
        return None


@dataclass(frozen=True)
class Document:
    """A document or folder as a file manager shows it. Of a folder nothing but `is_kept` is known."""

    is_folder: bool = False
    state: frozenset = field(default_factory=frozenset)
    downloading: str = None
    uploading: str = None
    is_kept: bool = False

    @staticmethod
    def read(path):
        """None if the path is none of the cloud's documents or folders."""
        is_kept = attribute(path, "keep") is not None
        if os.path.isdir(path):
            return Document(is_folder=True, is_kept=is_kept) if is_cloud_folder(path) else None
        state, downloading = attribute(path, "state"), attribute(path, "downloading")
        if state is None or downloading is None:
            return None
        return Document(
            state=frozenset(state.split()), downloading=downloading, uploading=attribute(path, "uploading"),
            is_kept=is_kept)

    @property
    def emblems(self):
        """The names of icons, without `emblem-`. What asks for attention comes first."""
        shown = {
            "docfs-conflict": "inConflict" in self.state,
            "docfs-failed": "savingError" in self.state,
            "docfs-sending": self.uploading in ("waiting", "uploading") and "savingError" not in self.state,
            "docfs-cloud": self.downloading in ("notDownloaded", "downloading", "outdated"),
            "docfs-kept": self.is_kept and not self.is_folder,
        }
        return [name for name, is_shown in shown.items() if is_shown]


def is_cloud_folder(path):
    """Whether it is a folder of docfs in the cloud: it has a sort mode, and lies in `cloud` below the top of its mount."""
    if attribute(path, "sort") is None:
        return False
    top = os.path.realpath(path)
    while not os.path.ismount(top):
        top = os.path.dirname(top)
    return os.path.relpath(os.path.realpath(path), top).split(os.sep)[:2] == ["Documents", "cloud"]


@dataclass(frozen=True)
class Action:
    name: str
    label: str
    tip: str
    icon: str


KEEP = Action("keep", "Keep on This Computer", "Have the content always here", "emblem-docfs-kept")
RELEASE = Action(
    "release", "No Longer Keep on This Computer", "Let the content go when space is needed", "emblem-docfs-kept")
FREE = Action("free", "Free Up Space", "Have the content in the cloud only, until it is opened", "emblem-docfs-cloud")
VERSIONS = Action("versions", "Earlier Versions", "Open the folder of what the document was", "document-open-recent")


def actions(paths):
    """What a menu offers for a selection; nothing if something in it is none of the cloud's."""
    documents = []
    for path in paths:
        document = Document.read(path) if path else None
        if document is None:
            return []
        documents.append(document)
    if not documents:
        return []
    offered = [RELEASE if all(each.is_kept for each in documents) else KEEP]
    if any(each.is_folder or each.downloading in ("current", "outdated") for each in documents):
        offered.append(FREE)
    if len(documents) == 1 and not documents[0].is_folder:
        offered.append(VERSIONS)
    return offered


def keep(path):
    os.setxattr(path, PREFIX + "keep", b"always")


def release(path):
    try:
        os.removexattr(path, PREFIX + "keep")
    except OSError as problem:
        if problem.errno != errno.ENODATA or attribute(path, "keep") is None:
            raise
        raise Refused("it is kept with its folder") from problem


def free(path):
    """Makes a placeholder of a document, or of all documents in a folder that may go; the others stay."""
    if not os.path.isdir(path):
        evict(path)
        return
    for folder, _, names in os.walk(path):
        for name in names:
            inside = os.path.join(folder, name)
            if attribute(inside, "downloading") in ("current", "outdated"):
                with contextlib.suppress(Refused):
                    evict(inside)


def evict(path):
    try:
        os.setxattr(path, PREFIX + "downloading", b"notDownloaded")
    except OSError as problem:
        reason = attribute(path, "stays-because")
        if reason is None:
            raise
        raise Refused(reason) from problem


def versions(path):
    """Opens the folder of what a document was."""
    folder = path + ".versions"
    if not os.listdir(folder):
        raise Refused("there is no earlier version of it")
    subprocess.run(["xdg-open", folder], check=True)


class Refused(Exception):
    """The reason why docfs does not do it, in one line."""


CARRY_OUT = {"keep": keep, "release": release, "free": free, "versions": versions}


def perform(name, paths):
    """Carries out an action. Returns what to tell the person of each path that it failed for."""
    troubles = []
    for path in paths:
        try:
            if Document.read(path) is None:
                raise Refused("it is no document in the cloud")
            CARRY_OUT[name](path)
        except Refused as reason:
            troubles.append(f"{os.path.basename(path)}: {reason}")
        except OSError as problem:
            troubles.append(f"{os.path.basename(path)}: {problem.strerror}")
        except subprocess.CalledProcessError:
            troubles.append(f"{os.path.basename(path)}: no program could open its versions")
    return troubles


def tell(troubles):
    """Shows what failed on the desktop, and where there is none on standard error."""
    for trouble in troubles:
        try:
            # A notice's text is markup.
            subprocess.run(["notify-send", "--app-name=docfs", "--", "docfs", html.escape(trouble, False)], check=True)
        except (OSError, subprocess.CalledProcessError):
            print(f"docfs: {trouble}", file=sys.stderr)


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in CARRY_OUT:
        sys.exit(__doc__)
    troubles = perform(arguments[0], arguments[1:])
    tell(troubles)
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
