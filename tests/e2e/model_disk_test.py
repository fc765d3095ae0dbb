"""`hearth model` where the disk is full."""

import os
import subprocess
import unittest

from lsp_client import SKIPPED
from model_commands_test import EMBEDDED, HEARTH, Commands


class Disk(Commands):
    def in_a_small_file_system(self, megabytes, *arguments):
        """Runs hearth where `disk` has that much room."""
        disk = self.folder / "disk"
        disk.mkdir()
        mount = f'mount -t tmpfs -o size={megabytes}m tmpfs "$1"'
        outside = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        probe = subprocess.run([*outside, mount, "sh", str(disk)], capture_output=True, check=False)
        if probe.returncode != 0:
            print("skipped: no file system can be mounted here", flush=True)
            os._exit(SKIPPED)
        script = f'{mount} && shift && "$@"; code=$?; ls -A "{disk}" >&2; exit $code'
        command = [*outside, script, "sh", str(disk), HEARTH, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)

    def test_leaves_nothing_on_a_full_disk(self):
        result = self.in_a_small_file_system(4, "model", "quantize", EMBEDDED, "-o", self.folder / "disk" / "out.gguf")
        self.assertEqual(1, result.returncode)
        self.assertIn("out.gguf: cannot reserve space for the file: No space left on device", result.stderr)
        self.assertEqual(1, len(result.stderr.splitlines()), "the disk is listed after the message: nothing is on it")

    def test_a_fetch_without_room_says_how_much_is_needed(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "disk")
        result = self.in_a_small_file_system(9, "model", "fetch")
        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"9 MB are free, \d+ are needed: make room")


if __name__ == "__main__":
    unittest.main()
