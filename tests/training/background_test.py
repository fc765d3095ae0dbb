"""Training in the background: lowest priority, pause, resume, stop.

Slow, since at the lowest priority even a signal waits until some core is idle.
"""

import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine" / "training"))

import background

PATIENCE_SECONDS = 1200


class Background(unittest.TestCase):
    def test_it_runs_at_the_lowest_priority_and_can_be_paused_resumed_and_stopped(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ready = folder / "ready"
            script = f"import os, pathlib, time; pathlib.Path({str(ready)!r}).write_text(str(os.sched_getscheduler(0))); time.sleep(600)"
            try:
                background.start([sys.executable, "-c", script], folder)
                self.wait_for(lambda: ready.exists() and ready.read_text() == str(os.SCHED_IDLE))
                background.send(folder, signal.SIGSTOP)
                self.wait_for(lambda: background.state(folder) == "paused")
                background.send(folder, signal.SIGCONT)
                self.wait_for(lambda: background.state(folder) == "running")
            finally:
                self.assertTrue(background.stop(folder, PATIENCE_SECONDS))
            self.assertEqual(background.state(folder), "stopped")
            self.assertFalse(background.send(folder, signal.SIGTERM))

    def wait_for(self, condition):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
