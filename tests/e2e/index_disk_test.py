"""`hearth index` where the disk is full or cannot be written."""

import os
import shutil
import subprocess
from pathlib import Path

from index_command_test import Workspace
from lsp_client import SKIPPED, main


class Disk(Workspace):
    def mount(self, options):
        stores = Path(self.environment["XDG_CACHE_HOME"])
        stores.mkdir(parents=True, exist_ok=True)
        mount = shutil.which("mount")
        arguments = ["-t", "tmpfs", "-o", options, "none", str(stores)]
        if not mount or subprocess.run([mount, *arguments], capture_output=True).returncode != 0:
            print("skipped: only root can mount a small disk", flush=True)
            os._exit(SKIPPED)
        self.addCleanup(subprocess.run, ["umount", str(stores)], check=True)
        return stores

    def test_stops_on_a_full_disk_and_what_it_wrote_is_found(self):
        stores = self.mount("size=1m")
        self.run_hearth("index")
        for index in range(2000):
            words = " ".join(f"word{index * 50 + word}" for word in range(50))
            self.write(f"many/{index}.py", f"def made_{index}():\n    '''{words}'''\n")
        self.assertIn("full", self.run_hearth("index", code=1).stderr)
        self.assertEqual(self.json_lines("search", "price of", "--json")[0]["path"], "shop/prices.py")
        subprocess.run(["mount", "-o", "remount,size=64m", str(stores)], check=True)
        self.run_hearth("index")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)

    def test_reads_the_store_of_a_disk_that_cannot_be_written(self):
        stores = self.mount("size=8m")
        self.run_hearth("index")
        subprocess.run(["mount", "-o", "remount,ro", str(stores)], check=True)
        self.write("main.py", "x = 1\n")
        self.assertIn(str(stores), self.run_hearth("index", code=1).stderr)
        self.assertEqual(self.json_lines("search", "price of", "--json")[0]["path"], "shop/prices.py")


if __name__ == "__main__":
    main()
