"""Processes that end with the run that wanted them."""
import contextlib
import os
import shutil
import signal
import subprocess
import threading

_RUNNING = set()
_LOCK = threading.Lock()


@contextlib.contextmanager
def running(words, limit=None, **options):
    """A process in a session of its own, which ends with this block or after `limit` seconds. Its output is text, standard error included."""
    with _LOCK:
        process = subprocess.Popen(
            words, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, **options)
        _RUNNING.add(process)
    process.is_late = False

    def end_late():
        process.is_late = True
        _end(process)

    clock = threading.Timer(limit, end_late) if limit else None
    if clock:
        clock.daemon = True
        clock.start()
    try:
        yield process
    finally:
        if clock:
            clock.cancel()
        _end(process)
        process.wait()
        with _LOCK:
            _RUNNING.discard(process)
        process.stdout.close()
        _remove_worlds(process)


def end_all(*_):
    """What a signal does to this script."""
    # Whoever is about to start another process waits for ever, and ends with this one.
    _LOCK.acquire(timeout=5)
    for process in list(_RUNNING):
        _end(process)
        _remove_worlds(process)
    os._exit(1)


def _end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _remove_worlds(process):
    """A simulated world lies in memory, under the number of its process."""
    for world in os.scandir("/dev/shm"):
        if world.name.startswith(f"docfs-simulation-{process.pid}-"):
            shutil.rmtree(world.path, ignore_errors=True)
