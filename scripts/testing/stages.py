"""The stages of a test run: which tests each has, and what a stage says when it is over."""
import os
import re
import subprocess
import sys
import threading
import time

# No stage of a run that goes on takes so long, not even beside other work. In seconds.
LONGEST = 40 * 60
BUNDLE = ".build/debug/docfsPackageTests.xctest"
# Swift Testing's lines: `✔ Test "a name" passed after 1.2 seconds.`, `✘ Test name() failed after …`, `✘ Test "a name" recorded an issue …`.
CLOSING = re.compile(r"Test run with (\d+) tests? in \d+ suites? (passed|failed)")
SIGN = re.compile(r"^[✔✘◇] ")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r"^\S+ Test (?!run with )(.+?)(?: with \d+ test cases?)? failed after ")
ISSUE = re.compile(r"^\S+ Test .* recorded an issue")


class Tests:
    """Tests by their names, as `swift test` takes them, in one process."""

    def __init__(self, *targets, skip=(), user=None, environment=None):
        self.targets, self.skip, self.user, self.environment = targets, skip, user, environment or {}

    def command(self):
        words = [os.path.abspath(BUNDLE), "--testing-library", "swift-testing"]
        for target in self.targets:
            words += ["--filter", target]
        for target in self.skip:
            words += ["--skip", target]
        if self.user:
            words = ["scripts/test-as-user", self.user] + words
        return words


class AnyStage:
    """What a stage has found: its sums, and a line for each failure."""

    name = heading = ""
    needs = ()

    def __init__(self):
        self.passed = self.failed = 0
        self.failures = []
        self.seconds = 0.0

    def refuse(self, missing):
        """What it needs has failed: it would test something else."""
        self.failed = 1
        self.failures.append(f"{self.name} did not run, since it needs {', '.join(missing)}")


class Stage(AnyStage):
    def __init__(self, name, heading, *parts, needs=()):
        """`needs` names the stages whose results it uses."""
        super().__init__()
        self.name, self.heading, self.parts, self.needs = name, heading, parts, needs

    def run(self, log, environment, verbose):
        """Runs all parts, also if one fails. Their whole output goes to `log`; failures are printed at once."""
        print(f"\n== {self.heading}", flush=True)
        begin = time.monotonic()
        with open(log, "w", encoding="utf-8") as file:
            for part in self.parts:
                self._run(part, file, environment, verbose)
        self.seconds = time.monotonic() - begin
        print(f"== {self.name}: {self.passed} passed, {self.failed} failed in {self.seconds:.0f} s", flush=True)

    def _run(self, part, log, environment, verbose):
        process = subprocess.Popen(
            part.command(), text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=os.environ | environment | part.environment)
        hung = threading.Timer(LONGEST, process.kill)
        # An interrupted run ends without waiting for it.
        hung.daemon = True
        hung.start()
        tests, failed, details, last = None, 0, False, []
        for line in process.stdout:
            line = COLOUR.sub("", line)
            log.write(line)
            log.flush()
            last = (last + [line.rstrip()])[-5:]
            is_issue = bool(ISSUE.match(line))
            # An issue goes on in lines that begin otherwise than with a test's sign: its values and its comment.
            details = is_issue or (details and not SIGN.match(line))
            if is_issue or details:
                self.failures.append(line.rstrip())
            if verbose or is_issue or details:
                print(line.rstrip(), flush=True)
            if FAILED.match(line):
                failed += 1
                self.failures.append(line.rstrip())
            if match := CLOSING.search(line):
                tests = int(match[1])
        status = process.wait()
        hung.cancel()
        if tests is None or (status != 0 and failed == 0):
            # It was ended by a signal, or nothing ran: that is a failure of its own.
            failed += 1
            self.failures.append(f"`{' '.join(part.command())}` ended with {status}; its last lines:")
            self.failures += [f"    {line}" for line in last]
            print("\n".join(self.failures[-6:]), flush=True)
        elif tests == 0:
            failed += 1
            self.failures.append(f"no test is called {', '.join(part.targets)}")
        self.failed += failed
        self.passed += max(0, (tests or 0) - failed)


class CommandStage(AnyStage):
    """Commands, each of which must succeed."""

    def run(self, _log, _environment, _verbose):
        print(f"\n== {self.heading}", flush=True)
        begin = time.monotonic()
        self._run()
        self.seconds = time.monotonic() - begin
        print(f"== {self.name}: {self.passed} passed, {self.failed} failed in {self.seconds:.0f} s", flush=True)

    def _step(self, title, command):
        is_passed = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=sys.stdout, check=False).returncode == 0
        if is_passed:
            self.passed += 1
        else:
            self.failed += 1
            self.failures.append(f"failed: {title}")
        return is_passed


class BuildStage(CommandStage):
    """Checks the layout of the sources and builds. Nothing else can run without it."""

    name, heading = "build", "Layout and build"

    def __init__(self):
        super().__init__()
        self.is_built = False

    def _run(self):
        self._step("the layout of the sources (`swift format -i -r Package.swift Sources Tests` corrects it)", [
            "swift", "format", "lint", "--strict", "--parallel", "--recursive", "Package.swift", "Sources", "Tests"])
        if not os.path.exists(BUNDLE):
            print("Building docfs and its tests: about ten minutes on two cores; next time only what has changed.", flush=True)
        self.is_built = self._step("the build", ["swift", "build", "--build-tests"]) and self._step(
            "the generator of manual pages", ["swift", "build", "--product", "generate-manual"])


RELEASE = ".build/release/docfs"


class ReleaseStage(CommandStage):
    """Builds what people get (as scripts/run does), which the mounts are tested with: the optimizer has complaints of its own, and the debug code is not in it."""

    name, heading = "release", "Release build"

    def _run(self):
        if self._step("the release build", ["scripts/build-release", "--product", "docfs"]):
            self._step("`docfs --version` of the release build", [RELEASE, "--version"])


# What programs print and ask, the page in a browser, the manual, names and their order, damaged stores, the examples of pages, the benchmark's
# comparison: the same to whomever the kernel serves data.
WITHOUT_DATA_PATH = (
    r"EndToEndTests\.(AutomaticName|DisplayName|FilenameConvention|FolderState|Names|Order|PreferredLocation|StoreOptions|SymbolicLink)Tests|"
    r"EndToEndTests\.(BenchmarkComparison|Check|Semantics|StoreCheck)Tests|"
    r"EndToEndTests\.(\w+Command|Completion|ConsoleBlock|DesktopNotice|FirstHour|HelpExample|JSONOutput|ManualPage|ProgressBar|Service|StatePoll)Tests"
    # One of these takes root.
    r"|EndToEndTests\.BrowsePageTests/(?!.?another user)")


def stages(is_root, has_user):
    """All stages, in their order: quick ones first.

    `has_user` tells whether this is root, who can run tests as an ordinary user, too."""
    yield BuildStage()
    yield Stage("rules", "Pure rules", Tests("BrowseTests", "DocumentsTests", "ReplicationTests", "DocfsTests", "^PageTests"))
    # The simulation keeps all processors busy, so it runs after the others.
    yield Stage(
        "libraries", "Libraries and simulation",
        Tests("CatalogTests", "FilesystemTests", "LibraryTests", "CloudSynchronizationTests"), Tests("SimulationTests"))
    yield Stage("stores", "Object stores, plain and encrypted", Tests("ObjectStoreTests", "EncryptionTests", "FuzzTests"))
    yield ReleaseStage()
    # A person may test another one.
    released = {"DOCFS_BINARY": os.environ.get("DOCFS_BINARY", os.path.abspath(RELEASE))}
    # Only root gets passthrough: the kernel serves data in another way to an ordinary user.
    skip = [WITHOUT_DATA_PATH] if has_user else []
    yield Stage(
        "mounts", "Mounts as root" if is_root else "Mounts as an ordinary user", Tests("ConformanceTests"),
        Tests("EndToEndTests", skip=skip, environment=released), needs=["release"])
    if has_user:
        yield Stage(
            "mounts-as-user", "Mounts as an ordinary user", Tests("EndToEndTests", user="docfs-tests", environment=released),
            needs=["release"])
    # Kills and losses of power come at random instants, and other tests beside them would stretch these.
    amounts = {"DOCFS_PROOF_KILLS": "60", "DOCFS_PROOF_POWER": "20"}
    yield Stage(
        "proof", "Proof in short", Tests("ProofTests", skip=["KillTests", "PowerTests"], environment=released),
        Tests("ProofTests.KillTests", "ProofTests.PowerTests", environment=released | amounts), needs=["release"])
