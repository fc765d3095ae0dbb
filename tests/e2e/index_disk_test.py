"""`hearth index` where the disk is full or cannot be written."""

import os
import shutil
import subprocess
from pathlib import Path

from index_command_test import Workspace
from lsp_client import BEFORE_CURSOR, PATIENCE, SAMPLE, SKIPPED, Server, main


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

    def write_more_than_fits(self):
        for index in range(2000):
            words = " ".join(f"word{index * 50 + word}" for word in range(50))
            self.write(f"many/{index}.py", f"def made_{index}():\n    '''{words}'''\n")

    def test_stops_on_a_full_disk_and_what_it_wrote_is_found(self):
        stores = self.mount("size=1m")
        self.run_hearth("index")
        self.write_more_than_fits()
        self.assertIn("full", self.run_hearth("index", code=1).stderr)
        self.assertEqual(self.json_lines("search", "price of", "--json")[0]["path"], "shop/prices.py")
        subprocess.run(["mount", "-o", "remount,size=64m", str(stores)], check=True)
        self.run_hearth("index")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)

    def test_goes_on_completing_on_a_full_disk_and_indexes_when_there_is_room(self):
        stores = self.mount("size=1m")
        self.run_hearth("index")
        self.write_more_than_fits()
        server = Server(cache=str(stores))
        self.addCleanup(server.stop)
        client = server.stdio()
        client.initialize(folder=self.root.as_uri())

        def wait_for(state):
            while True:
                for root in client.request("hearth/status")["index"]:
                    if root["state"] == state:
                        return root["message"]

        self.assertIn(f"{stores}/hearth/workspaces/shop", wait_for("failed"))
        self.assertIn("full", server.log_text())
        uri = (self.root / "main.py").as_uri()
        client.open(uri, "python", SAMPLE)
        self.assertTrue(client.inline_completion(uri, client.position_after(uri, BEFORE_CURSOR))["items"])
        subprocess.run(["mount", "-o", "remount,size=64m", str(stores)], check=True)
        wait_for("indexed")
        self.assertEqual(server.log_text().count("is full"), 1)
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)

    def test_watches_on_when_a_full_disk_has_room_again(self):
        stores = self.mount("size=1m")
        self.write_more_than_fits()
        process = self.watch()
        self.assertIn("full", process.stderr.readline())
        subprocess.run(["mount", "-o", "remount,size=64m", str(stores)], check=True)
        self.next_event(process, "watching")
        process.terminate()
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
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
