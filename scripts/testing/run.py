"""Runs the tests in stages. All stages run even if one fails; the end repeats the failures of all.

  scripts/test                           every stage
  scripts/test --stage mounts            one stage, or several: --stage rules,libraries
  scripts/test --filter RenamingTests    the tests with such a name, as `swift test` takes it
  scripts/test --busy                    beside four processes that keep the processors and the disk busy
  scripts/test --verbose                 every line of the tests; without it, these are only in .build/test-logs

Run by root, the tests with mounts run as an ordinary user, too, since only root gets passthrough. Those that read and write no data in a way of
their own run as the ordinary user only.
"""
import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys

from remains import RunUnderWay, TestRun
from stages import BuildStage, Stage, Tests, stages

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
LOGS = os.path.join(ROOT, ".build", "test-logs")


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [stage.name for stage in stages(is_root=True, has_user=True)]
    parser.add_argument("--stage", metavar="NAMES", help=", ".join(names))
    parser.add_argument("--filter", action="append", metavar="NAME")
    parser.add_argument("--skip", action="append", default=[], metavar="NAME")
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    for name in options.stage.split(",") if options.stage else []:
        if name not in names:
            parser.error(f"there is no stage `{name}`; these are there: {', '.join(names)}")
    return options


def chosen(options):
    """The stages to run. The build is always among them."""
    if options.filter:
        return [BuildStage(), Stage("chosen", "Chosen tests", Tests(*options.filter, skip=options.skip))]
    wanted = options.stage.split(",") if options.stage else None
    is_root = os.geteuid() == 0
    has_user = is_root and is_readable_for_others()
    if is_root and not has_user:
        print(f"Only root can read {ROOT}, so the stage `mounts-as-user` does not run.")
    all_stages = list(stages(is_root, has_user))
    if wanted is None:
        return all_stages
    needed = {"build", *wanted} | {name for stage in all_stages if stage.name in wanted for name in stage.needs}
    return [stage for stage in all_stages if stage.name in needed]


def is_readable_for_others():
    command = ["runuser", "-u", "nobody", "--", "test", "-r", os.path.join(ROOT, "Package.swift")]
    return subprocess.run(command, check=False).returncode == 0


@contextlib.contextmanager
def load(folder, is_wanted):
    """Keeps both processors and the disk busy, with four processes."""
    if not is_wanted:
        yield
        return
    path = os.path.join(folder, "load")
    os.mkdir(path)
    process = subprocess.Popen(
        ["stress-ng", "--quiet", "--cpu", "2", "--hdd", "2", "--hdd-bytes", "256M", "--temp-path", path],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield
        if process.poll() is not None:
            sys.exit("test: the load ended before the tests did, so this run says nothing")
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(path, ignore_errors=True)


def run(options, test_run):
    shutil.rmtree(LOGS, ignore_errors=True)
    os.makedirs(LOGS)
    done = []
    with load(test_run.folder, options.busy):
        for stage in chosen(options):
            if missing := [earlier.name for earlier in done if earlier.name in stage.needs and earlier.failed]:
                stage.refuse(missing)
                done.append(stage)
                continue
            stage.run(os.path.join(LOGS, stage.name + ".log"), test_run.environment(), options.verbose)
            done.append(stage)
            if isinstance(stage, BuildStage) and not stage.is_built:
                break
    return done


def report(done, remains):
    failures = [line for stage in done for line in stage.failures]
    if remains:
        failures.append(f"the tests left behind: {', '.join(remains)}")
    if failures:
        print("\n== Failures\n" + "\n".join(failures))
    print("\n== Stages")
    for stage in done:
        print(f"{stage.name:>15}: {stage.passed:5} passed, {stage.failed:3} failed, {stage.seconds:5.0f} s")
    passed, failed = sum(stage.passed for stage in done), sum(stage.failed for stage in done) + bool(remains)
    print(f"\n{passed} passed, {failed} failed")
    return failed


def main():
    os.chdir(ROOT)
    options = arguments()
    # An interrupted run ends as a failed one does: with nothing left.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    test_run = TestRun(ROOT)
    try:
        test_run.begin()
    except RunUnderWay as problem:
        sys.exit(f"test: {problem}")
    done, remains = [], []
    try:
        done = run(options, test_run)
    finally:
        remains = test_run.end()
    sys.exit(1 if report(done, remains) else 0)


main()
