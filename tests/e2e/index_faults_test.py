"""`hearth index` where a file, the store, a name or its own process fails it."""

import ctypes
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from index_command_test import Workspace
from lsp_client import PATIENCE, binary, main

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def obey_modes():
    """In a child before it becomes another program: what root may read beyond the modes of files, it may not."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


class Files(Workspace):
    def test_names_what_cannot_be_read_and_says_so_when_asked(self):
        for index in range(7):
            self.write(f"closed{index}.py", "x = 1\n")
            (self.root / f"closed{index}.py").chmod(0)
        said = self.run_hearth("index", preexec_fn=obey_modes)
        self.assertIn("7 could not be read", said.stdout)
        self.assertEqual(said.stderr.count("cannot be read now"), 5)
        self.assertIn("2 more", said.stderr)
        asked = json.loads(self.run_hearth("doctor", "closed3.py", "--json").stdout)
        self.assertEqual((asked["state"], asked["why"]), ("left out", "cannot be read"))

    def test_writes_valid_json_of_names_that_are_not_utf8(self):
        name = os.fsencode(self.root) + b"/odd\xff.py"
        Path(os.fsdecode(name)).write_text("def odd_one():\n    pass\n")
        self.run_hearth("index")
        self.assertEqual(self.json_lines("search", "odd one", "--json")[0]["path"], "odd\ufffd.py")
        self.assertEqual(self.json_lines("doctor", name, "--json")[0]["path"], "odd\ufffd.py")
        os.remove(name)
        self.assertEqual(self.json_lines("index", "--check", "--json", code=1)[0]["path"], "odd\ufffd.py")


class Store(Workspace):
    def store(self):
        return next((Path(self.environment["XDG_CACHE_HOME"]) / "hearth/workspaces").glob("*.db"))

    def test_names_a_store_that_another_connection_has_locked(self):
        self.run_hearth("index")
        self.write("main.py", "x = 1\n")
        other = sqlite3.connect(self.store(), isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        self.assertIn("locked", self.run_hearth("index", code=1).stderr)
        other.execute("ROLLBACK")
        self.run_hearth("index")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)

    def test_watches_on_when_another_connection_had_the_store_locked(self):
        process = self.watch()
        self.next_event(process, "watching")
        other = sqlite3.connect(self.store(), isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        self.write("main.py", "x = 1\n")
        self.assertIn(f"{self.store()}: database is locked", process.stderr.readline())
        self.write("late.py", "x = 1\n")
        other.execute("ROLLBACK")
        self.assertEqual(self.next_event(process, "done")["files"], 6)
        process.terminate()
        self.assertEqual(process.communicate(timeout=PATIENCE)[1], "")
        self.assertEqual(process.returncode, 0)
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)

    def kill_while_it_indexes(self, after):
        """Whether it came to that. `after` seconds, or the first files where there are none."""
        with subprocess.Popen([binary(), "index", "--json"], cwd=self.root, env=self.environment,
                              stdout=subprocess.PIPE, text=True) as process:
            if after is None:
                process.stdout.readline()
            else:
                time.sleep(after)
            # The work is done by a child of the command's process.
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            process.stdout.read()
            return process.wait(timeout=PATIENCE) != 0

    def test_is_whole_whenever_indexing_is_killed(self):
        chance = random.Random(7)
        self.run_hearth("index")
        killed = 0
        for turn in range(12):
            for index in range(500):
                self.write(f"many/{index % 7}/{index}.py", f"def made_{index}_{turn}():\n    return {turn}\n")
            killed += self.kill_while_it_indexes(chance.random() / 10 if turn % 2 else None)
            checked = subprocess.run([binary(), "index", "--check", "--json"], cwd=self.root, env=self.environment,
                                     capture_output=True, text=True, timeout=PATIENCE)
            faults = [json.loads(line) for line in checked.stdout.splitlines()]
            self.assertEqual(faults[-1]["event"], "checked", checked.stderr)
            self.assertNotIn("the store", [fault.get("path") for fault in faults])
        self.assertGreater(killed, 3)
        self.assertEqual(self.run_hearth("index").stderr, "")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)


if __name__ == "__main__":
    main()
