"""Processes that end with the run that wanted them."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading

_RUNNING = set()
_LOCK = threading.Lock()


@contextlib.contextmanager
def running(words, limit=None, env=None, **options):
    """A process in a session of its own, which ends with this block or after `limit` seconds. Its output is text, standard error included.

    Tests that it runs keep files in a folder in memory, which goes with it."""
    with _LOCK:
        memory = tempfile.mkdtemp(prefix="docfs-mutants-", dir="/dev/shm")
        process = subprocess.Popen(
            words, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, env=(env or os.environ) | {"DOCFS_TEST_MEMORY": memory}, **options)
        process.memory = memory
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
        shutil.rmtree(process.memory, ignore_errors=True)


def end_all(*_):
    """What a signal does to this script."""
    # Whoever is about to start another process waits for ever, and ends with this one.
    _LOCK.acquire(timeout=5)
    for process in list(_RUNNING):
        _end(process)
        shutil.rmtree(process.memory, ignore_errors=True)
    os._exit(1)


def _end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
