"""Runs tests on a build with mutants: first all suites without a fault, to learn what each reaches, then those that reach a fault with it."""
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time

from mutation.checkout import TESTS
from testing.stages import COLOUR

# Amounts that are free: a fault that these worlds do not find is one that the tests of the rules should. Of a hundred worlds it would be asked
# that each kind of event has occurred.
LESS = {"DOCFS_SIMULATION_SEEDS": "1-99", "DOCFS_SMALL_WORLDS": "100", "SWIFT_BACKTRACE": "enable=no"}
# Not of behaviour, but of how much there may be.
SKIPPED = {"SimulationTests.ScaleTests"}
# The quick ones come first, so long in all.
QUICK = 12.0


class Trials:
    def __init__(self, checkout, folder, count):
        self.checkout, self.folder, self.count = checkout, folder / "scratch", count
        # What an interrupted run has left.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def suites(self):
        """The suites of all tests."""
        listed = subprocess.run(
            ["swift", "test", "list", "--skip-build"], cwd=self.checkout.folder, text=True, stdout=subprocess.PIPE, check=True).stdout
        names = {line.split("/")[0] for line in listed.split("\n") if line.split(".")[0] in TESTS and "/" in line}
        return sorted(names - SKIPPED)

    def reach(self, suite):
        """Runs a suite without a fault. Returns its time in seconds, and the numbers of the mutants that it reaches.

        It must pass: else each fault would seem to be found."""
        with tempfile.NamedTemporaryFile(dir=self.folder) as file:
            file.truncate(max(1, self.count))
            begin = time.monotonic()
            if word := self._failure([suite], {"DOCFS_MUTANTS_REACHED": file.name}, limit=1800):
                raise SystemExit(f"{suite} fails without a fault: {word}")
            seconds = time.monotonic() - begin
            return seconds, [number for number, byte in enumerate(file.read()) if byte]

    def killer(self, number, suites):
        """What showed that there is a fault; None if nothing did. `suites` has the time of each one that reaches it."""
        quick, slow, total = [], [], 0.0
        for suite, seconds in sorted(suites.items(), key=lambda item: item[1]):
            total += seconds
            (quick if total <= QUICK or not quick else slow).append(suite)
        for group in (quick, slow):
            limit = 60 + 6 * sum(suites[suite] for suite in group)
            if group and (word := self._failure(group, {"DOCFS_MUTANT": str(number)}, limit)):
                return word
        return None

    def _failure(self, suites, environment, limit):
        """The first failure of these suites; None if all pass."""
        words = [str(self.checkout.bundle), "--testing-library", "swift-testing"]
        for suite in suites:
            words += ["--filter", f"^{suite.replace('.', chr(92) + '.')}/"]
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as scratch, process(
                words, os.environ | LESS | environment | {"TMPDIR": scratch}, limit) as (running, is_over):
            ended = None
            for line in running.stdout:
                line = COLOUR.sub("", line)
                if line.startswith("✘ "):
                    return line.removeprefix("✘ ").strip()
                if "Test run with " in line:
                    ended = line
            if is_over():
                return f"the tests took longer than {limit:.0f} s"
            return None if ended and running.wait() == 0 else f"the tests ended with {running.wait()}"


RUNNING = set()


def end_all(*_):
    """Of a signal: the tests end with the run that wanted them."""
    for running in list(RUNNING):
        running.kill()
    os._exit(1)


@contextlib.contextmanager
def process(words, environment, limit):
    """A process that ends with this block or after `limit` seconds; what it left is removed."""
    running = subprocess.Popen(
        words, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    RUNNING.add(running)
    over = threading.Event()
    clock = threading.Timer(limit, lambda: (over.set(), running.kill()))
    clock.daemon = True
    clock.start()
    try:
        yield running, over.is_set
    finally:
        clock.cancel()
        running.kill()
        running.wait()
        RUNNING.discard(running)
        running.stdout.close()
        for world in os.scandir("/dev/shm"):
            if world.name.startswith(f"docfs-simulation-{running.pid}-"):
                shutil.rmtree(world.path, ignore_errors=True)
