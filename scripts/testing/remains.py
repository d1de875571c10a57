"""What a test run leaves behind, found by its own record: processes, mounts, loop devices, sockets and files.

Each run has a folder of its own, in which all its files, mounts and disk images lie (TMPDIR), another one in memory for what needs no disk, and
a variable with the first in the environment of each of its processes. So nothing is ever ended or removed because of its name. The record (`.build/test-run`) tells the
next run of this checkout which folder an interrupted run had.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

VARIABLE = "DOCFS_TEST_RUN"
# The library's tests have up to sixteen stores at one time, each with its reserve. In bytes.
LEAST_MEMORY = 1 << 30
CONNECTIONS = "/sys/fs/fuse/connections"


class RunUnderWay(Exception):
    pass


class TestRun:
    def __init__(self, root):
        self.record = os.path.join(root, ".build", "test-run")
        self.folder = self.memory = None
        self.has_mounted_connections = False

    def begin(self):
        """Ends what an interrupted run left, and begins the record of this one."""
        earlier = self._read_record()
        if earlier:
            if start_of(earlier["pid"]) == earlier["start"]:
                raise RunUnderWay(f"a test run of this checkout is under way already: process {earlier['pid']}")
            self.has_mounted_connections = mount_connections() or earlier.get("connections", False)
            remains = end(earlier["folder"], earlier.get("memory", ""))
            if remains:
                print(f"Ended what an interrupted run had left: {', '.join(remains)}.")
        else:
            self.has_mounted_connections = mount_connections()
        self.folder = tempfile.mkdtemp(prefix="docfs-run-")
        os.chmod(self.folder, 0o1777)
        self.memory = folder_in_memory() or self.folder
        os.makedirs(os.path.dirname(self.record), exist_ok=True)
        with open(self.record, "w", encoding="utf-8") as file:
            json.dump({
                "pid": os.getpid(), "start": start_of(os.getpid()), "folder": self.folder, "memory": self.memory,
                "connections": self.has_mounted_connections}, file)

    def environment(self):
        return {"TMPDIR": self.folder, VARIABLE: self.folder, "DOCFS_TEST_MEMORY": self.memory}

    def end(self):
        """Returns what had to be ended. A run that ends properly has taken all of it away by itself."""
        remains = end(self.folder, self.memory)
        if self.has_mounted_connections:
            subprocess.run(["umount", CONNECTIONS], check=False)
        os.unlink(self.record)
        return remains

    def _read_record(self):
        try:
            with open(self.record, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None


def folder_in_memory():
    """A new folder in memory; None if there is little room, as in a container, or no extended attributes, as before Linux 6.6."""
    try:
        path = tempfile.mkdtemp(prefix="docfs-run-", dir="/dev/shm")
    except OSError:
        return None
    try:
        os.setxattr(path, "user.docfs.test", b"1")
        os.removexattr(path, "user.docfs.test")
        room = os.statvfs(path)
        if room.f_bavail * room.f_frsize < LEAST_MEMORY:
            raise OSError("little room")
    except OSError:
        os.rmdir(path)
        return None
    os.chmod(path, 0o1777)
    return path


def end(folder, memory):
    """Ends all that belongs to the run with this folder, and removes its folders. Returns a word for each thing, the folders' files last."""
    remains, sockets = [], []
    # Servers end by themselves when the process that started them has gone.
    wait_until(lambda: not processes(folder), seconds=3)
    # Again and again: a process may have started another one, or mounted something, while the others were looked for.
    for _ in range(20):
        left, mounted = processes(folder), mounts(folder)
        if not left and not mounted:
            break
        remains += [f"process {name}" for name in left.values()]
        sockets += [path for pid in left for path in sockets_of(pid)]
        end_processes(left)
        for mount in reversed(mounted):
            remains.append(f"mount {mount['point']}")
            unmount(mount)
        wait_until(lambda: not processes(folder), seconds=1)
    for device in loop_devices(folder):
        remains.append(f"loop device {device}")
        subprocess.run(["losetup", "-d", device], check=False)
    for path in sockets:
        if os.path.exists(path):
            remains.append(f"socket {path}")
            os.unlink(path)
    for path in folder, memory:
        if not os.path.isdir(path):
            continue
        remains += [f"file {name}" for name in sorted(os.listdir(path))]
        if mounts(path):
            print(f"test: {path} stays, because something is still mounted in it")
        else:
            shutil.rmtree(path, ignore_errors=True)
    return remains


def end_processes(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def unmount(mount):
    abort(mount)
    is_users = mount["type"].startswith("fuse") and os.geteuid()
    subprocess.run(
        ["fusermount3", "-uz", mount["point"]] if is_users else ["umount", "-l", mount["point"]],
        stderr=subprocess.DEVNULL, check=False)


def mount_connections():
    """Mounts the file system in which FUSE's connections can be aborted. Containers have the folder, but often nothing is mounted there.

    Returns whether it did: then it is the run's to unmount.
    """
    if os.geteuid() != 0 or not os.path.isdir(CONNECTIONS) or os.path.ismount(CONNECTIONS):
        return False
    return subprocess.run(["mount", "-t", "fusectl", "none", CONNECTIONS], check=False).returncode == 0


def processes(folder):
    """The processes that have the run's folder in their environment: their names, by number."""
    mark = f"{VARIABLE}={folder}".encode()
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/comm", encoding="utf-8") as file:
                found[int(entry)] = file.read().strip()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def mounts(folder):
    """The mounts below the run's folder, outer ones first. Reading this table never touches a mount."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            fields = line.split()
            point = fields[4].encode(errors="surrogateescape").decode("unicode_escape")
            if point.startswith(folder + "/"):
                found.append({"point": point, "device": fields[2], "type": fields[fields.index("-") + 1]})
    return found


def abort(mount):
    """Ends the requests that wait for a FUSE server. The connection is called by the device number of the mount."""
    if not mount["type"].startswith("fuse"):
        return
    try:
        with open(f"{CONNECTIONS}/{mount['device'].split(':')[1]}/abort", "w", encoding="utf-8") as file:
            file.write("1")
    except OSError:
        # Gone already, or the file system of the connections is not mounted here: then only the unmount is left.
        pass


def loop_devices(folder):
    found = []
    for device in os.listdir("/sys/block"):
        try:
            with open(f"/sys/block/{device}/loop/backing_file", encoding="utf-8") as file:
                if file.read().startswith(folder + "/"):
                    found.append("/dev/" + device)
        except OSError:
            continue
    return found


def sockets_of(pid):
    """The paths of the sockets that a process has bound: some programs make them outside the folder that they are given."""
    try:
        numbers = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
        with open(f"/proc/{pid}/net/unix", encoding="utf-8") as file:
            lines = [line.split() for line in file][1:]
    except OSError:
        return []
    return [fields[7] for fields in lines
            if len(fields) > 7 and fields[7].startswith("/") and f"socket:[{fields[6]}]" in numbers]


def start_of(pid):
    """When a process was started, in ticks since the machine was; None if there is none. With the number it names one process for ever."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # One that has ended, and whose parent has not asked for its result yet, runs no more.
    return None if fields[0] in "ZX" else fields[19]


def wait_until(condition, seconds):
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.05)
