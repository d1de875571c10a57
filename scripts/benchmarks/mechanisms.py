#!/usr/bin/env python3
"""Measures what a single mechanism of the mount gains: runs two builds of docfs in turn, one without the mechanism.

    scripts/benchmarks/mechanisms.py BINARY OTHER [--rounds N] [--rows open-1,list-again]

Each round mounts both, one after the other, and measures every row in each. The table has the medians, the best of the
rounds (which a busy machine disturbs less), and how many times better the first build is. Rows that end in -1 have one
caller, those in -8 eight at once. The figures are in Sources/Filesystem/Filesystem.docc/Mechanisms.md.
"""
import argparse
import contextlib
import os
import pathlib
import select
import statistics
import subprocess
import tempfile
import time

BLOCK = 1 << 20
CALLS = 1000
LISTED = 10_000
# Less than the limit of open descriptors.
HELD = 500
# So many that the log of the catalog becomes long (`LogCopier`).
MANY = 8000
LARGE = 256 * BLOCK


@contextlib.contextmanager
def mounted(binary):
    with tempfile.TemporaryDirectory(prefix="docfs-mechanisms-") as folder:
        folder = pathlib.Path(folder)
        mountpoint = folder / "mount"
        mountpoint.mkdir()
        (folder / "cloud").mkdir()
        subprocess.run(
            [binary, "mount", mountpoint, "--store", folder / "store", "--cloud", f"file://{folder}/cloud"], check=True)
        try:
            yield mountpoint / "Documents" / "local"
        finally:
            subprocess.run([binary, "unmount", mountpoint], check=True)


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def at_once(callers, work):
    """Runs `work(caller)` in one process for each caller; returns the seconds until all have ended."""
    if callers == 1:
        return timed(lambda: work(0))
    ready, go = os.pipe(), os.pipe()
    children = []
    for caller in range(callers):
        child = os.fork()
        if child == 0:
            os.close(go[1])
            os.write(ready[1], b"r")
            os.read(go[0], 1)
            try:
                work(caller)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    for _ in range(callers):
        os.read(ready[0], 1)
    start = time.perf_counter()
    os.close(go[1])
    failed = [status for status in (os.waitpid(child, 0)[1] for child in children) if status != 0]
    seconds = time.perf_counter() - start
    for end in (*ready, go[0]):
        os.close(end)
    if failed:
        raise RuntimeError("a caller failed")
    return seconds


def per_call(callers, work):
    """Microseconds per call of all callers together: the inverse of the throughput."""
    return at_once(callers, work) / (callers * CALLS) * 1e6


def stat_row(folder, callers):
    """Looks up names that do not exist: the kernel asks docfs each time."""
    def work(caller):
        for number in range(CALLS):
            with contextlib.suppress(FileNotFoundError):
                os.stat(folder / f"missing-{caller}-{number}")

    return per_call(callers, work)


def open_row(folder, callers):
    for caller in range(callers):
        (folder / f"opened-{caller}.txt").write_text("x")

    def work(caller):
        path = str(folder / f"opened-{caller}.txt")
        for _ in range(CALLS):
            os.close(os.open(path, os.O_RDONLY))

    return per_call(callers, work)


def create_row(folder, callers):
    for caller in range(callers):
        (folder / f"created-{callers}-{caller}").mkdir()

    def work(caller):
        path = str(folder / f"created-{callers}-{caller}")
        for number in range(CALLS):
            os.close(os.open(f"{path}/note {number}.txt", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    return per_call(callers, work)


def full_folder(folder):
    path = folder / "full"
    if not path.exists():
        path.mkdir()
        for number in range(LISTED):
            (path / f"note {number}.txt").touch()
    return path


def list_first_row(folder):
    path = full_folder(folder)
    samples = []
    for _ in range(5):
        (path / "one more").mkdir()
        (path / "one more").rmdir()
        samples.append(timed(lambda: os.listdir(path)) * 1e3)
    return statistics.median(samples)


def list_again_row(folder):
    path = full_folder(folder)
    os.listdir(path)
    return statistics.median(timed(lambda: os.listdir(path)) * 1e3 for _ in range(9))


def write_row(folder):
    block = os.urandom(BLOCK)

    def work():
        file = os.open(folder / "large.bin", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for _ in range(LARGE // BLOCK):
            os.write(file, block)
        os.close(file)

    work()
    return LARGE / BLOCK / statistics.median(timed(work) for _ in range(3))


def read_row(folder, cold):
    path = folder / "large.bin"
    if not path.exists():
        write_row(folder)

    def work():
        file = os.open(path, os.O_RDONLY)
        while os.read(file, BLOCK):
            pass
        os.close(file)

    work()
    samples = []
    for _ in range(3):
        if cold:
            os.sync()
            pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        samples.append(timed(work))
    return LARGE / BLOCK / statistics.median(samples)


def small_row(folder, writes):
    """Reads or writes 4 KiB at a time, at random offsets."""
    path = folder / "large.bin"
    if not path.exists():
        write_row(folder)
    file = os.open(path, os.O_RDWR)
    block = os.urandom(4096)
    places = [(number * 7919 % (LARGE // 4096)) * 4096 for number in range(CALLS)]

    def work():
        for place in places:
            os.pwrite(file, block, place) if writes else os.pread(file, 4096, place)

    work()
    seconds = timed(work)
    os.close(file)
    return seconds / CALLS * 1e6


def unlink_row(folder, held):
    """Works on files that a program has open, or on closed ones."""
    path = folder / f"unlinked-{held}"
    path.mkdir()
    names = [str(path / f"note {number}.txt") for number in range(HELD)]
    files = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600) for name in names]
    if not held:
        for file in files:
            os.close(file)
        time.sleep(0.5)  # The kernel reports a close a moment later.

    def work():
        for name in names:
            os.unlink(name)

    seconds = timed(work)
    if held:
        for file in files:
            os.close(file)
    return seconds / HELD * 1e6


def read_state(path):
    file = os.open(path, os.O_RDONLY)
    text = os.read(file, 4096)
    os.close(file)
    return text


def closed_row(folder):
    """Counts how often, of a thousand times, the state of a document that was just closed still says that it is open."""
    wrong = 0
    for number in range(1000):
        file = os.open(folder / "closed.txt", os.O_RDWR | os.O_CREAT, 0o600)
        os.pwrite(file, b"text", 0)
        os.close(file)
        wrong += not read_state(folder / "closed.txt.state").startswith(b"state: closed")
    return wrong


def state_row(folder, kind):
    """Reads the state of a document that was closed long ago, was just closed, or is open."""
    path = folder / f"state-{kind}.txt"
    path.touch()
    if kind == "held":
        held = os.open(path, os.O_RDWR)
    time.sleep(0.1)
    count, seconds = 200, 0
    for _ in range(count):
        if kind == "close":
            file = os.open(path, os.O_RDWR)
            os.pwrite(file, b"text", 0)
            os.close(file)
        seconds += timed(lambda: read_state(f"{path}.state"))
    if kind == "held":
        os.close(held)
    return seconds / count * 1e6


def settle(documents):
    while b"cloud.pending: 0" not in read_state(documents / ".state"):
        time.sleep(0.05)


@contextlib.contextmanager
def prober(folder):
    """Another program, which asks for a name each millisecond. Gives a list that has its longest wait in milliseconds afterwards."""
    end, result = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end[1])
        longest, number = 0.0, 0
        while not select.select([end[0]], [], [], 0.001)[0]:
            number += 1
            start = time.perf_counter()
            with contextlib.suppress(FileNotFoundError):
                os.stat(folder / f"missing-{number % 7}")
            longest = max(longest, time.perf_counter() - start)
        os.write(result[1], str(longest * 1e3).encode())
        os._exit(0)
    os.close(end[0])
    waits = []
    try:
        yield waits
    finally:
        os.close(end[1])
        waits.append(float(os.read(result[0], 100)))
        os.waitpid(child, 0)
        for descriptor in result:
            os.close(descriptor)


def wait_row(folder, removes):
    """The longest wait while many documents of the cloud are moved or removed, and until it has been told."""
    documents = folder.parent
    source, target = documents / "cloud" / f"source-{removes}", documents / "cloud" / f"target-{removes}"
    source.mkdir()
    target.mkdir()
    names = [f"note {number}.txt" for number in range(MANY)]
    for name in names:
        (source / name).write_text(name)
    settle(documents)
    with prober(folder) as waits:
        for name in names:
            os.unlink(source / name) if removes else os.rename(source / name, target / name)
        settle(documents)
    return waits[0]


def in_cloud(folder):
    """Makes documents in a cloud that cannot be reached, so that no upload reads them meanwhile."""
    container = folder.parents[2] / "cloud"
    if container.exists():
        container.rename(folder.parents[2] / "unreachable")
    return folder.parent / "cloud"


# For each row: its unit, whether more is better, and the function that measures it.
ROWS = {
    "stat-1": ("us", False, lambda folder: stat_row(folder, 1)),
    "open-1": ("us", False, lambda folder: open_row(folder, 1)),
    "create-1": ("us", False, lambda folder: create_row(folder, 1)),
    "stat-8": ("us", False, lambda folder: stat_row(folder, 8)),
    "open-8": ("us", False, lambda folder: open_row(folder, 8)),
    "create-8": ("us", False, lambda folder: create_row(folder, 8)),
    "list-first": ("ms", False, list_first_row),
    "list-again": ("ms", False, list_again_row),
    "write": ("MiB/s", True, write_row),
    "read": ("MiB/s", True, lambda folder: read_row(folder, False)),
    "read-cold": ("MiB/s", True, lambda folder: read_row(folder, True)),
    "write-4k": ("us", False, lambda folder: small_row(folder, True)),
    "read-4k": ("us", False, lambda folder: small_row(folder, False)),
    "cloud-write": ("MiB/s", True, lambda folder: write_row(in_cloud(folder))),
    "cloud-read": ("MiB/s", True, lambda folder: read_row(in_cloud(folder), False)),
    "cloud-write-4k": ("us", False, lambda folder: small_row(in_cloud(folder), True)),
    "cloud-read-4k": ("us", False, lambda folder: small_row(in_cloud(folder), False)),
    "unlink": ("us", False, lambda folder: unlink_row(folder, False)),
    "unlink-held": ("us", False, lambda folder: unlink_row(folder, True)),
    "closed": ("wrong", False, closed_row),
    "cloud-closed": ("wrong", False, lambda folder: closed_row(in_cloud(folder))),
    "state": ("us", False, lambda folder: state_row(folder, "idle")),
    "state-close": ("us", False, lambda folder: state_row(folder, "close")),
    "state-held": ("us", False, lambda folder: state_row(folder, "held")),
    "wait-move": ("ms", False, lambda folder: wait_row(folder, False)),
    "wait-remove": ("ms", False, lambda folder: wait_row(folder, True)),
}


def ratio(one, other):
    return one / other if other else float("nan") if one == 0 else float("inf")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("other", help="the one without the mechanism")
    parser.add_argument("--rounds", type=int, default=7)
    # Other rows of the cloud take it away.
    usual = ",".join(row for row in ROWS if not row.startswith("wait-"))
    parser.add_argument("--rows", default=usual, help=f"of {', '.join(ROWS)}; all but the last two unless told")
    options = parser.parse_args()
    rows = options.rows.split(",")
    figures = {(row, index): [] for row in rows for index in (0, 1)}
    for number in range(options.rounds):
        for index in (0, 1) if number % 2 == 0 else (1, 0):
            with mounted((options.binary, options.other)[index]) as folder:
                for row in rows:
                    figures[row, index].append(ROWS[row][2](folder))
    print(f"{'row':<12}{'median':>9}{'without':>9}{'best':>9}{'without':>9}  unit   times better: median, best")
    for row in rows:
        unit, is_more_better, _ = ROWS[row]
        pairs = []
        for summary in (statistics.median, max if is_more_better else min):
            with_it, without = (summary(figures[row, index]) for index in (0, 1))
            pairs.append((with_it, without, ratio(with_it, without) if is_more_better else ratio(without, with_it)))
        values = "".join(f"{value:>9.1f}" for with_it, without, _ in pairs for value in (with_it, without))
        print(f"{row:<12}{values}  {unit:<6} {pairs[0][2]:.2f}, {pairs[1][2]:.2f}")


if __name__ == "__main__":
    main()
