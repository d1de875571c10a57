"""Rows about the cloud: operations that send requests to a store, compared with rclone where it can do the same."""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import time
import urllib.parse
import uuid

from .files import make_files

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
RCLONE = SCRIPTS.parent / ".build/python/bin/rclone"


def wait_until_sent(documents):
    while "cloud.pending: 0\n" not in (documents / ".state").read_text():
        time.sleep(0.02)


@contextlib.contextmanager
def docfs(binary, base, name, cloud, environment=None, options=()):
    """Mounts a device with a store of its own; yields its `Documents` and the seconds until the mount was ready."""
    mountpoint = base / f"{name}-mount"
    mountpoint.mkdir(exist_ok=True)
    environment = {**os.environ, **(environment or {})}
    start = time.perf_counter()
    subprocess.run(
        [binary, "mount", mountpoint, "--store", base / f"{name}-store", "--cloud", cloud, "--show", "display-names",
         "--device-name", name, *options], check=True, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield mountpoint / "Documents", time.perf_counter() - start
    finally:
        subprocess.run([binary, "unmount", mountpoint], check=True)


class Server:
    """A SeaweedFS server for this benchmark alone (scripts/s3-server)."""

    def __init__(self, base):
        # It listens on more ports than the one that is chosen, and another program may have taken one of them.
        for _ in range(5):
            if said := self.start(base):
                self.secret = re.search(r"AWS_SECRET_ACCESS_KEY=(\w+)", said).group(1)
                self.endpoint = f"http://127.0.0.1:{self.port}"
                return
        raise SystemExit("the S3 server did not start")

    def start(self, base):
        """Returns what it says when it is ready; None if it ended instead."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = min(probe.getsockname()[1], 65000)
        self.process = subprocess.Popen(
            [SCRIPTS / "s3-server", base / "s3"], env={**os.environ, "PORT": str(self.port)}, text=True,
            stdout=subprocess.PIPE, start_new_session=True)
        said = ""
        while "docfs mount" not in said:
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                return None
            said += line
        return said

    def cloud(self, prefix):
        return f"s3://documents/{prefix}?" + urllib.parse.urlencode({"endpoint": self.endpoint})

    @property
    def environment(self):
        return {
            "AWS_ACCESS_KEY_ID": "docfs", "AWS_SECRET_ACCESS_KEY": self.secret, "RCLONE_CONFIG": "/dev/null",
            "RCLONE_S3_PROVIDER": "SeaweedFS", "RCLONE_S3_ENDPOINT": self.endpoint, "RCLONE_S3_ENV_AUTH": "true",
        }

    def rclone(self, *arguments):
        return subprocess.run(
            [RCLONE, *arguments], check=True, env={**os.environ, **self.environment}, stdout=subprocess.PIPE, text=True
        ).stdout

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def upload(binary, base, sizes, rounds):
    """Moves small documents into the cloud and waits until all are uploaded; copies the same files with rclone."""
    server = Server(base)
    seconds = {"docfs": [], "rclone": []}
    commits = []
    try:
        for number in range(rounds):
            source = base / f"rclone-{number}"
            make_files(source, sizes.migrated)
            start = time.perf_counter()
            server.rclone("copy", "--transfers", "16", source, f":s3:documents/rclone-{number}")
            seconds["rclone"].append(time.perf_counter() - start)
            with docfs(binary, base, f"upload-{number}", server.cloud(f"docfs-{number}"), server.environment) as (documents, _):
                make_files(documents / "local" / "notes", sizes.migrated)
                time.sleep(1)  # So that no document counts as one that is still being written.
                start = time.perf_counter()
                os.rename(documents / "local" / "notes", documents / "cloud" / "notes")
                wait_until_sent(documents)
                seconds["docfs"].append(time.perf_counter() - start)
            commits.append(len(server.rclone("lsf", f":s3:documents/docfs-{number}/log").split()))
    finally:
        server.stop()
    return seconds, commits


def placeholder(binary, base, sizes, rounds):
    """Opens a placeholder over S3: the seconds until the first byte is read, and until the last."""
    server = Server(base)
    first, last = [], []
    try:
        for number in range(rounds):
            cloud = server.cloud(f"placeholder-{number}")
            with docfs(binary, base, f"sender-{number}", cloud, server.environment) as (documents, _):
                (documents / "cloud" / "large.bin").write_bytes(os.urandom(sizes.file // 4))
                wait_until_sent(documents)
            with docfs(binary, base, f"reader-{number}", cloud, server.environment) as (documents, _):
                start = time.perf_counter()
                with open(documents / "cloud" / "large.bin", "rb", buffering=0) as file:
                    file.read(1)
                    first.append(time.perf_counter() - start)
                    while file.read(1 << 20):
                        pass
                last.append(time.perf_counter() - start)
    finally:
        server.stop()
    return first, last


def encrypted(binary, base, sizes, rounds):
    """Sends a large document and small ones over S3, and fetches them on a new device, through a plain container and an encrypted one.

    Returns the seconds of each step, by the kind of container: `docfs` is the encrypted one."""
    seconds = {step: {"plain": [], "docfs": []} for step in ("send", "fetch", "send small", "fetch small")}
    for number in range(rounds):
        for kind in ("plain", "docfs"):
            folder = base / f"encrypted-{number}-{kind}"
            folder.mkdir()
            server = Server(folder)
            environment = {**server.environment, "DOCFS_PASSPHRASE": "benchmark"} if kind == "docfs" else server.environment
            options = ["--encrypt"] if kind == "docfs" else []
            try:
                with docfs(binary, folder, "sender", server.cloud("c"), environment, options) as (documents, _):
                    with open(documents / "local" / "large.bin", "wb") as file:
                        for _ in range(sizes.encrypted >> 20):
                            file.write(os.urandom(1 << 20))
                    make_files(documents / "local" / "notes", sizes.migrated)
                    os.sync()
                    time.sleep(1)  # So that no document counts as one that is still being written.
                    for name, step in (("large.bin", "send"), ("notes", "send small")):
                        start = time.perf_counter()
                        os.rename(documents / "local" / name, documents / "cloud" / name)
                        wait_until_sent(documents)
                        seconds[step][kind].append(time.perf_counter() - start)
                shutil.rmtree(folder / "sender-store")
                with docfs(binary, folder, "reader", server.cloud("c"), environment) as (documents, _):
                    while not (documents / "cloud" / "notes" / f"note {sizes.migrated - 1}.txt").exists():
                        time.sleep(0.02)
                    for name, step in (("large.bin", "fetch"), ("notes", "fetch small")):
                        start = time.perf_counter()
                        subprocess.run([binary, "download", documents / "cloud" / name], check=True, stdout=subprocess.DEVNULL)
                        seconds[step][kind].append(time.perf_counter() - start)
            finally:
                server.stop()
            shutil.rmtree(folder)
    return seconds


@contextlib.contextmanager
def rclone_mount(server, base):
    """Mounts a bucket of the server with rclone; yields the folder, and what waits until all is sent."""
    mountpoint, control = base / "rclone-mount", base / "rclone.socket"
    mountpoint.mkdir()
    server.rclone(
        "mount", ":s3:documents/rclone", mountpoint, "--daemon", "--vfs-cache-mode", "full", "--cache-dir", base / "rclone-cache",
        "--rc", "--rc-addr", f"unix://{control}", "--rc-no-auth")

    def wait_until_sent():
        busy = True
        while busy:
            cache = json.loads(server.rclone("rc", "--unix-socket", control, "vfs/stats"))["diskCache"]
            busy = cache["uploadsInProgress"] + cache["uploadsQueued"] > 0
            time.sleep(0.1 if busy else 0)

    try:
        yield mountpoint, wait_until_sent
    finally:
        subprocess.run(["fusermount3", "-u", "-z", mountpoint], check=True)


@contextlib.contextmanager
def juicefs_mount(program, server, base):
    """Mounts a bucket of the server with JuiceFS, whose metadata are in SQLite."""
    mountpoint, names = base / "juicefs-mount", f"sqlite3://{base}/juicefs.db"
    mountpoint.mkdir()
    quietly = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [program, "format", "--storage", "s3", "--bucket", f"{server.endpoint}/documents", "--access-key", "docfs",
         "--secret-key", server.secret, names, "juicefs"], **quietly)
    subprocess.run([program, "mount", "--background", "--cache-dir", base / "juicefs-cache", names, mountpoint], **quietly)
    try:
        yield mountpoint
    finally:
        subprocess.run([program, "umount", "--force", mountpoint], **quietly)


def checkpoint(folder, count, per_folder=100):
    """Makes a container whose log begins with a checkpoint of so many documents (see the page ContainerFormat)."""
    chance = random.Random(1)

    def identifier():
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))

    position, container, device, created = 4096, identifier(), identifier(), 1_790_000_000_000_000_000
    target = folder / "checkpoint" / f"{position:016d}"
    target.mkdir(parents=True)
    (folder / "log").mkdir()
    (folder / ".incoming").mkdir()
    (folder / ".docfs-cloud").touch()
    (folder / "container").write_text(f'{{"format":1,"id":"{container}"}}\n')
    lines, digests, total, state = [], [], 0, [0, 0, 0, 0]

    def flush():
        part = "".join(lines).encode()
        digests.append(hashlib.sha256(part).hexdigest())
        (target / digests[-1]).write_bytes(part)
        lines.clear()

    def add(identity, parent, filename, content, **description):
        nonlocal total
        entry = {
            "id": identity, "created": created, "creator": device, "content": content,
            "description": {"parent": parent, "filename": filename, "position": total, "modified": created, **description},
        }
        record = json.dumps(entry, separators=(",", ":"), sort_keys=True)
        lines.append(record + "\n")
        digest = struct.unpack("<4Q", hashlib.sha256(record.encode()).digest())
        state[:] = [(old + new) % 2**64 for old, new in zip(state, digest)]
        total += 1
        if len(lines) == 6000:
            flush()

    for number in range(count):
        if number % per_folder == 0:
            parent = identifier()
            add(parent, str(uuid.UUID(int=0)), f"Folder {number // per_folder}", {"folder": {}}, hasGeneratedFilename=False, mode=0o755)
        filename = f"2026-11-21-{number:06d}-{chance.getrandbits(16):04x}.txt"
        version = {
            "id": identifier(), "device": device, "deviceName": "laptop", "filename": filename, "size": 1234,
            "sha256": hashlib.sha256(str(number).encode()).hexdigest(), "modified": created,
        }
        add(
            identifier(), parent, filename,
            {"document": {"versions": {"current": version, "conflicts": [], "superseded": []}}},
            displayName=f"Document number {number}", pathExtension="txt", naming="given", hasGeneratedFilename=True, mode=0o644)
    flush()
    # The log begins after the checkpoint, so no earlier entry is missing.
    head = {
        "container": container, "root": position + 1, "readFrom": position + 1, "position": position,
        "hash": hashlib.sha256(b"").hexdigest(), "state": "".join(f"{number:016x}" for number in state),
    }
    manifest = {"format": 1, "head": head, "count": total, "parts": digests}
    (target / "manifest").write_text(json.dumps(manifest))


def resident_bytes(store):
    """Memory of the daemon that has the store open: now, and the most it ever had."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(store) in (process / "cmdline").read_text().split("\0") and "--foreground" in (process / "cmdline").read_text():
                status = (process / "status").read_text()
                return tuple(int(re.search(rf"{field}:\s+(\d+)", status).group(1)) << 10 for field in ("VmRSS", "VmHWM"))
    return 0, 0


def first_listing(documents):
    """Returns the seconds of the first listing of a folder."""
    start = time.perf_counter()
    names = os.listdir(documents / "cloud" / "Folder 2")
    seconds = time.perf_counter() - start
    if len(names) < 100:
        raise SystemExit(f"a folder of 100 documents lists {len(names)}")
    return seconds


def bootstrap(binary, base, sizes, rounds):
    """Mounts a new device of a large container: the seconds until it is ready, and of the first listing; the most memory it took."""
    cloud = base / "large-cloud"
    checkpoint(cloud, sizes.bootstrapped)
    ready, listing, peak = [], [], []
    for number in range(rounds):
        with docfs(binary, base, f"new-{number}", f"file://{cloud}") as (documents, seconds):
            ready.append(seconds)
            listing.append(first_listing(documents))
            peak.append(resident_bytes(base / f"new-{number}-store")[1])
        shutil.rmtree(base / f"new-{number}-store")
    return ready, listing, peak


def lookup(documents, folders):
    """Returns the median seconds of a lookup in folders that were not read before."""
    chance, times = random.Random(3), []
    for number in chance.sample(range(folders), min(folders, 500)):
        folder = documents / "cloud" / f"Folder {number}"
        os.stat(folder)
        start = time.perf_counter()
        with contextlib.suppress(FileNotFoundError):
            os.stat(folder / "no document")
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def large_folder(binary, base, sizes):
    """Compares a folder of very many documents with one of a thousand."""
    figures = {}
    for name, count in (("large", sizes.bootstrapped), ("small", 1000)):
        cloud = base / f"{name}-folder-cloud"
        checkpoint(cloud, count, per_folder=count)
        with docfs(binary, base, f"{name}-folder", f"file://{cloud}"):
            pass
        with docfs(binary, base, f"{name}-folder", f"file://{cloud}") as (documents, mounted):
            folder = documents / "cloud" / "Folder 0"
            start = time.perf_counter()
            subprocess.run(f"ls -U '{folder}' | head -1", shell=True, check=True, stdout=subprocess.DEVNULL)
            head = time.perf_counter() - start
            times = []
            for number in random.Random(5).sample(range(count), 500):
                start = time.perf_counter()
                os.stat(folder / f"Document number {number}.txt")
                times.append(time.perf_counter() - start)
            figures[name] = (mounted, head, statistics.median(times))
    (mounted, head, lookup), small = figures["large"], figures["small"]
    return {
        "mount": mounted, "ls -U | head": head, "ls -U | head among 1,000": small[1], "lookup": lookup,
        "lookup among 1,000": small[2],
    }


def million(binary, base, sizes):
    """Measures the largest container: the first mount of a new device, and a later mount. Returns seconds, and bytes of memory."""
    cloud = base / "largest-cloud"
    checkpoint(cloud, sizes.largest)
    with docfs(binary, base, "largest", f"file://{cloud}") as (documents, first_mount):
        peak = resident_bytes(base / "largest-store")[1]
    with docfs(binary, base, "largest", f"file://{cloud}") as (documents, later_mount):
        listing = first_listing(documents)
        large = lookup(documents, sizes.largest // 100)
        resident = resident_bytes(base / "largest-store")[0]
    small_cloud = base / "small-cloud"
    checkpoint(small_cloud, 1000)
    with docfs(binary, base, "small", f"file://{small_cloud}") as (documents, _):
        small = lookup(documents, 10)
    return {
        "bootstrap": first_mount, "mount": later_mount, "first listing": listing, "lookup": large,
        "lookup among 1,000": small,
    }, {"memory of the bootstrap for each": peak / sizes.largest, "memory of a mount": resident}
