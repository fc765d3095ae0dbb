"""`hearth index` of 100,000 files in one folder: what it finds, the memory it needs, and how long a second look takes."""

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from lsp_client import binary

FILES = 100_000
MAX_RSS_MB = 300
PATIENCE = 600


class ManyFiles(unittest.TestCase):
    def test_are_indexed_in_little_memory(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        root = folder / "home" / "many"
        root.mkdir(parents=True)
        for number in range(FILES):
            (root / f"f{number}.py").write_text(f"import os\n\n\ndef function_{number}(a):\n    return a + {number}\n")
        environment = dict(os.environ, HOME=str(folder / "home"), XDG_CACHE_HOME=str(folder / "cache"))

        def index():
            began = time.monotonic()
            done = subprocess.run([binary(), "index", "--json", root], env=environment, capture_output=True,
                                  text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout.splitlines()[-1]), time.monotonic() - began

        first, cold = index()
        self.assertEqual((first["files"], first["analysed"]), (FILES, FILES))
        second, warm = index()
        self.assertEqual((second["files"], second["analysed"]), (FILES, 0))
        rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{FILES} files: cold {cold:.1f} s, unchanged {warm:.2f} s, at most {rss:.0f} MB")
        self.assertLess(rss, MAX_RSS_MB)


if __name__ == "__main__":
    unittest.main()
