"""`hearth` as installed: it runs from any folder and needs no shared library but the toolchain's own."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ALLOWED = re.compile(r"(libc|libm|libgcc_s|libstdc\+\+|ld-linux[-\w]*)\.so\.\d+")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = Path(cls.folder.name) / "prefix"
        run("cmake", "--install", os.environ["HEARTH_BUILD_DIR"], "--prefix", str(cls.prefix), "--strip")
        cls.hearth = cls.prefix / "bin" / "hearth"

    def test_it_needs_only_the_toolchains_libraries(self):
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", str(self.hearth)))
        self.assertIn("libc.so.6", needed)
        self.assertEqual([], [name for name in needed if not ALLOWED.fullmatch(name)])

    def test_it_says_its_version(self):
        self.assertRegex(run(str(self.hearth), "--version"), r"^hearth \d+\.\d+\.\d+\n$")

    def test_the_embedded_model_completes_where_nothing_else_is(self):
        home = Path(self.folder.name) / "home"
        home.mkdir()
        source = home / "shop.py"
        source.write_text("def first(values):\n    return values[0]\n\n\ndef last(values):\n    return \n", encoding="utf-8")
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        completed = run(str(self.hearth), "complete", f"{source}:6:12", env=environment, cwd=home)
        self.assertTrue(completed.strip())


if __name__ == "__main__":
    unittest.main()
