"""Rows about files: the same work in a plain folder, through bindfs, and through docfs."""
import mmap
import os
import pathlib
import random
import subprocess
import tarfile
import time

BLOCK = 1 << 20


def drop_caches():
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Each row prepares `folder` and returns the seconds that its work took.


def sequential_write(folder, sizes):
    def work():
        file = os.open(folder / "large.bin", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for _ in range(sizes.file // BLOCK):
            os.write(file, block)
        os.fsync(file)
        os.close(file)

    block = os.urandom(BLOCK)
    return timed(work)


def large_file(folder, sizes):
    path = folder / "large.bin"
    if not path.exists():
        sequential_write(folder, sizes)
    return path


def read_whole(path):
    file = os.open(path, os.O_RDONLY)
    while os.read(file, BLOCK):
        pass
    os.close(file)


def sequential_read_warm(folder, sizes):
    path = large_file(folder, sizes)
    read_whole(path)
    return timed(lambda: read_whole(path))


def sequential_read_cold(folder, sizes):
    path = large_file(folder, sizes)
    drop_caches()
    return timed(lambda: read_whole(path))


def mmap_read(folder, sizes):
    path = large_file(folder, sizes)
    read_whole(path)

    def work():
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapping:
            for offset in range(0, len(mapping), BLOCK):
                bytes(mapping[offset:offset + BLOCK])

    return timed(work)


def random_calls(folder, sizes, flags, call):
    path = large_file(folder, sizes)
    read_whole(path)
    chance = random.Random(7)
    offsets = [chance.randrange(sizes.file // 4096) * 4096 for _ in range(sizes.random_calls)]
    file = os.open(path, flags)
    try:
        return timed(lambda: [call(file, offset) for offset in offsets])
    finally:
        os.close(file)


def random_read(folder, sizes):
    return random_calls(folder, sizes, os.O_RDONLY, lambda file, offset: os.pread(file, 4096, offset))


def random_write(folder, sizes):
    block = os.urandom(4096)
    return random_calls(folder, sizes, os.O_RDWR, lambda file, offset: os.pwrite(file, block, offset))


def make_files(folder, count):
    folder.mkdir(exist_ok=True)
    for number in range(count):
        file = os.open(folder / f"note {number}.txt", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(file, b"a few words")
        os.close(file)


def fresh_folder(folder, name, count):
    """A folder of `count` files, created once for all rounds."""
    path = folder / name
    if not path.exists():
        make_files(path, count)
    return path


def create(folder, sizes):
    # The files are kept to the end of the benchmark. For minutes after a deletion, ext4 skips the freed inodes one by
    # one when it creates a file (`recently_deleted`), which took ten times as long as everything else.
    path = folder / f"created-{time.monotonic_ns()}"
    return timed(lambda: make_files(path, sizes.files))


def unlink(folder, sizes):
    path = folder / f"unlinked-{time.monotonic_ns()}"
    make_files(path, sizes.files)
    names = [path / f"note {number}.txt" for number in range(sizes.files)]
    seconds = timed(lambda: [os.unlink(name) for name in names])
    path.rmdir()
    return seconds


def stat_all(folder, sizes, prepare):
    path = fresh_folder(folder, "stats", sizes.files)
    names = [path / f"note {number}.txt" for number in range(sizes.files)]
    prepare(names)
    return timed(lambda: [os.stat(name) for name in names])


def stat_warm(folder, sizes):
    return stat_all(folder, sizes, lambda names: [os.stat(name) for name in names])


def stat_cold(folder, sizes):
    return stat_all(folder, sizes, lambda names: drop_caches())


def open_read(folder, sizes):
    path = fresh_folder(folder, "stats", sizes.files)

    def work():
        for number in range(sizes.files):
            file = os.open(path / f"note {number}.txt", os.O_RDONLY)
            os.read(file, 4096)
            os.close(file)

    return timed(work)


def long_listing(path):
    return timed(lambda: subprocess.run(["ls", "-l", path], stdout=subprocess.DEVNULL, check=True))


def list_warm(folder, sizes):
    path = fresh_folder(folder, "listed", sizes.listed)
    long_listing(path)
    return long_listing(path)


def list_cold(folder, sizes):
    path = fresh_folder(folder, "listed", sizes.listed)
    drop_caches()
    return long_listing(path)


def atomic_save(folder, sizes):
    path = folder / "saved.txt"
    path.write_text("old")

    def work():
        for number in range(sizes.saves):
            temporary = folder / ".goutputstream-1"
            file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            os.write(file, b"new %d" % number)
            os.close(file)
            os.rename(temporary, path)

    return timed(work)


# A tree like that of a program's sources: the headers of this machine.


def headers(count):
    found = (path for path in sorted(pathlib.Path("/usr/include").rglob("*")) if path.is_file() and not path.is_symlink())
    return [path for path, _ in zip(found, range(count))]


def untar(folder, sizes):
    archive = folder.parent / "tree.tar"
    if not archive.exists():
        with tarfile.open(archive, "w") as tar:
            for path in headers(sizes.tree):
                tar.add(path)
    target = folder / f"untar-{time.monotonic_ns()}"
    target.mkdir()
    return timed(lambda: subprocess.run(["tar", "-xf", archive, "-C", target], check=True))


def git(folder, *arguments):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ["-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)


def repository(folder, sizes):
    path = folder / "repository"
    if not path.exists():
        path.mkdir()
        for number in range(0, sizes.repository, 100):
            part = path / f"part {number // 100}"
            make_files(part, 100)
            # git compares files that are as new as its index byte by byte.
            for file in part.iterdir():
                os.utime(file, (0, time.time() - 3600))
        git(path, "init", "-q")
        git(path, "add", ".")
        git(path, "commit", "-q", "-m", "all of it")
    return path


def git_status(folder, sizes):
    path = repository(folder, sizes)
    git(path, "status", "--short")
    return timed(lambda: git(path, "status", "--short"))


def grep(folder, sizes):
    path = repository(folder, sizes)
    search = ["grep", "-r", "--exclude-dir=.git", "no such words", path]
    subprocess.run(search)
    return timed(lambda: subprocess.run(search))


ROWS = {
    "sequential-write": sequential_write,
    "sequential-read-warm": sequential_read_warm,
    "sequential-read-cold": sequential_read_cold,
    "random-read-4k": random_read,
    "random-write-4k": random_write,
    "mmap-read": mmap_read,
    "create": create,
    "stat-warm": stat_warm,
    "stat-cold": stat_cold,
    "open-read": open_read,
    "ls-l-warm": list_warm,
    "ls-l-cold": list_cold,
    "atomic-save": atomic_save,
    "unlink": unlink,
    "untar": untar,
    "git-status": git_status,
    "grep": grep,
}
