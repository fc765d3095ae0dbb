"""Runs a command in the background at the lowest priority, and starts it again when it fails.

The supervisor and what it runs get nice 19, the idle scheduling class and, where Linux groups
sessions, the lowest weight for their group, so they take what nobody else wants.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

RESTART_SECONDS = 20
ALLOCATOR = {  # big blocks stay on the heap, in huge pages
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 34),
    "MALLOC_ARENA_MAX": "1",
}


def lower_priority() -> None:
    os.nice(19 - os.nice(0))
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    try:
        Path("/proc/self/autogroup").write_text("19")
    except OSError:
        pass  # the kernel groups no sessions


def start(command: list[str], folder: Path) -> None:
    """Runs the command until it succeeds. Returns at once; says so when it runs already."""
    folder.mkdir(parents=True, exist_ok=True)
    if _supervisor(folder):
        print(f"already running: process group {_supervisor(folder)}")
        return
    with (folder / "log").open("ab") as log:
        supervisor = subprocess.Popen([sys.executable, __file__, *command], stdin=subprocess.DEVNULL, stdout=log,
                                      stderr=log, start_new_session=True, env=os.environ | ALLOCATOR)
    (folder / "pid").write_text(str(supervisor.pid))
    print(f"started: process group {supervisor.pid}, log {folder / 'log'}")


def send(folder: Path, number: signal.Signals) -> bool:
    """Signals the supervisor and what it runs; false when none runs."""
    group = _supervisor(folder)
    if group:
        os.killpg(group, number)
    return bool(group)


def stop(folder: Path, patience_seconds: float = 600) -> bool:
    """Asks for a checkpoint and an end, and waits for it."""
    if not send(folder, signal.SIGTERM):
        return False
    send(folder, signal.SIGCONT)
    deadline = time.monotonic() + patience_seconds
    while _supervisor(folder) and time.monotonic() < deadline:
        time.sleep(0.5)
    return not _supervisor(folder)


def state(folder: Path) -> str:
    group = _supervisor(folder)
    if not group:
        return "stopped"
    return "paused" if _process_state(group) == "T" else "running"


def _supervisor(folder: Path) -> int:
    """The process group that works in the folder, or 0."""
    try:
        group = int((folder / "pid").read_text())
        alive = _process_state(group) not in ("Z", "")
        ours = Path(__file__).name.encode() in Path(f"/proc/{group}/cmdline").read_bytes()
    except (OSError, ValueError):
        return 0
    return group if alive and ours else 0


def _process_state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def _supervise(command: list[str]) -> None:
    lower_priority()
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    while True:
        code = subprocess.call(command)
        if code == 0 or stopping:
            return
        print(f"ended with {code}; again in {RESTART_SECONDS} s", flush=True)
        time.sleep(RESTART_SECONDS)


if __name__ == "__main__":
    _supervise(sys.argv[1:])
