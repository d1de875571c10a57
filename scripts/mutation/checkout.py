"""A copy of the checkout with all mutants in it, and its build."""
import collections
import hashlib
import pathlib
import re
import subprocess

from mutation import processes
from mutation.operators import mutants

MODULES = ["Replication", "CloudSynchronization", "Library"]
TESTS = ["ReplicationTests", "CloudSynchronizationTests", "LibraryTests", "SimulationTests"]
# The right code and the fault beside it: which of them runs is asked each time.
_SWITCH = """\
import Glibc

/// The mutant that this process has; none without DOCFS_MUTANT.
private let chosen = getenv("DOCFS_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1

/// A byte for each mutant, which says that it was reached; a file that outlives the process. Threads write the same value.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("DOCFS_MUTANTS_REACHED") else { return nil }
    let file = open(path, O_RDWR)
    guard file >= 0, let bytes = mmap(nil, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), bytes != MAP_FAILED else { abort() }
    return bytes.bindMemory(to: UInt8.self, capacity: COUNT)
}()

@inline(never) func isMutant(_ number: Int) -> Bool {
    reached?[number] = 1
    return number == chosen
}
"""
# Of the package: other tests take long to build, and code that is only half right has warnings.
_PACKAGE = f"""
let mutated: Set = {str(TESTS).replace("'", '"')}
package.targets.removeAll {{ [.test, .executable, .plugin].contains($0.type) && !mutated.contains($0.name) }}
package.products.removeAll()
"""
_ERROR = re.compile(r"^(?:error: )?(/\S+?\.swift):(\d+):\d+: error: ", re.MULTILINE)


class Checkout:
    """The code is read once: a person may go on editing."""

    def __init__(self, root, folder):
        self.folder = folder
        self.files = {name: (root / name).read_bytes() for name in _names(root)}

    def candidates(self):
        """All mutants that can be made of the code."""
        for name, raw in self.files.items():
            if name.endswith(".swift") and name.split("/")[0] == "Sources" and name.split("/")[1] in MODULES:
                yield from mutants(name, raw.decode())

    def key(self):
        """The same as long as the code and the tests are."""
        digest = hashlib.sha256()
        for name, raw in self.files.items():
            digest.update(name.encode() + b"\0" + raw + b"\0")
        return digest.hexdigest()

    def write(self, numbered, count):
        """Copies the code, with these mutants in it. What is there already as it should be stays, so that it is not built again.

        `numbered` has a number below `count` for each mutant."""
        of_file = collections.defaultdict(list)
        for number, mutant in numbered.items():
            of_file[mutant.path].append((number, mutant))
        wanted = set()
        for name, raw in self.files.items():
            if name in of_file:
                lines = raw.decode().split("\n")
                for number, mutant in of_file[name]:
                    lines[mutant.line] = mutant.text(number)
                raw = "\n".join(lines).encode()
            if name == "Package.swift":
                raw = (raw.decode().replace(".treatAllWarnings(as: .error),", "") + _PACKAGE).encode()
            wanted.add(self._put(name, raw))
        for module in MODULES:
            wanted.add(self._put(f"Sources/{module}/Mutant.swift", _SWITCH.replace("COUNT", str(count)).encode()))
        for folder in ("Sources", "Tests"):
            for path in (self.folder / folder).rglob("*"):
                if path.is_file() and path not in wanted:
                    path.unlink()

    def build(self, log):
        """Returns None if it was built, else the places of the errors: path and line, from 0."""
        with processes.running(["swift", "build", "--build-tests"], cwd=self.folder) as build:
            output = build.stdout.read()
            status = build.wait()
        log.write_text(output, encoding="utf-8")
        if status == 0:
            return None
        return {(str(pathlib.Path(path).relative_to(self.folder)), int(line) - 1) for path, line in _ERROR.findall(output)
                if pathlib.Path(path).is_relative_to(self.folder)}

    @property
    def bundle(self):
        return next((self.folder / ".build/debug").glob("*PackageTests.xctest"))

    def _put(self, name, raw):
        path = self.folder / name
        if not path.exists() or path.read_bytes() != raw:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        return path


def _names(root):
    """The files that a build takes, those that nobody has added to the repository yet among them."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Package.swift", "CFuse", "Sources", "Tests"], cwd=root, text=True,
        stdout=subprocess.PIPE, check=True).stdout.split("\0")
    return sorted(name for name in names if name and (root / name).is_file())
