"""Runs tests on a build with mutants: first all suites without a fault, to learn what each reaches, then those that reach a fault with it."""
import os
import re
import shutil
import subprocess
import tempfile
import time

from mutation import processes
from mutation.checkout import TESTS
from testing.stages import COLOUR

# Fewer simulated worlds than in a test run, which take most of the time. From 100 worlds on, the simulation also asks that each event has occurred.
LESS = {"DOCFS_SIMULATION_SEEDS": "1-99", "DOCFS_SMALL_WORLDS": "100", "SWIFT_BACKTRACE": "enable=no"}
# It measures amounts, and tests no behaviour.
SKIPPED = {"SimulationTests.ScaleTests"}
# The quick suites come first: those that take 4 seconds together, those up to 12 seconds, those up to 40, and the others.
GROUPS = (4, 12, 40)


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
            if failure := self._failure([suite], {"DOCFS_MUTANTS_REACHED": file.name}, limit=1800):
                raise SystemExit(f"{suite} fails without a fault: {failure}")
            seconds = time.monotonic() - begin
            return seconds, [number for number, byte in enumerate(file.read()) if byte]

    def killer(self, number, suites):
        """What showed that there is a fault; None if nothing did. `suites` has the time of each one that reaches it."""
        for group in _groups(suites):
            limit = 60 + 6 * sum(suites[suite] for suite in group)
            failure = self._failure(group, {"DOCFS_MUTANT": str(number)}, limit)
            # A crash and a test that does not end may be the machine's: then it passes without the fault, or fails as well.
            if failure and not failure.is_of_test and (control := self._failure(group, {}, limit)):
                raise SystemExit(f"{', '.join(group)}: {control}, without a fault")
            if failure:
                return str(failure)
        return None

    def _failure(self, suites, environment, limit):
        """The first failure of these suites; None if all pass."""
        words = [str(self.checkout.bundle), "--testing-library", "swift-testing"]
        for suite in suites:
            words += ["--filter", f"^{re.escape(suite)}/"]
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as scratch, processes.running(
                words, limit, env=os.environ | LESS | environment | {"TMPDIR": scratch}) as tests:
            has_ended = False
            for line in tests.stdout:
                line = COLOUR.sub("", line)
                if line.startswith("✘ "):
                    return Failure(line.removeprefix("✘ ").strip(), is_of_test=True)
                has_ended = has_ended or "Test run with " in line
            status = tests.wait()
            if tests.is_late:
                return Failure(f"the tests took longer than {limit:.0f} s", is_of_test=False)
            return None if has_ended and status == 0 else Failure(f"the tests ended with {status}", is_of_test=False)


class Failure:
    def __init__(self, text, is_of_test):
        self.text, self.is_of_test = text, is_of_test

    def __str__(self):
        return self.text


def _groups(suites):
    groups, total = [[] for _ in (*GROUPS, None)], 0.0
    for suite, seconds in sorted(suites.items(), key=lambda item: item[1]):
        total += seconds
        groups[sum(total > limit for limit in GROUPS)].append(suite)
    return [group for group in groups if group]
