"""`hearth tokenize` on the command line, with the embedded model."""

import os
import pathlib
import subprocess
import tempfile
import unittest

HEARTH = os.environ["HEARTH_BINARY"]


class Tokenize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"HOME": folder.name, "PATH": os.environ["PATH"]}

    def tokenize(self, given, *arguments):
        return subprocess.run([HEARTH, "tokenize", *map(str, arguments)], input=given, capture_output=True,
                              env=self.environment, check=False, timeout=120)


class TokenizeCommand(Tokenize):
    def test_bytes_come_back_as_they_were(self):
        given = bytes(range(256)) * 2 + "def f():\n    return '日本 ▁' # <|endoftext|>\r\n\t".encode()
        encoded = self.tokenize(given)
        self.assertEqual(encoded.returncode, 0, encoded.stderr)
        self.assertRegex(encoded.stdout.decode(), r"\A\d+( \d+)*\n\Z")
        decoded = self.tokenize(encoded.stdout, "--decode")
        self.assertEqual(decoded.returncode, 0, decoded.stderr)
        self.assertEqual(decoded.stdout, given)

    def test_nothing_is_no_tokens(self):
        self.assertEqual(self.tokenize(b"").stdout, b"\n")
        self.assertEqual(self.tokenize(b"\n", "--decode").stdout, b"")

    def test_markers_in_the_text_are_text(self):
        ids = self.tokenize(b"<fim_prefix>").stdout.split()
        self.assertGreater(len(ids), 1)

    def test_what_is_no_id_is_named(self):
        for word in ("x", "-1", "99999999", "1.5", "99999999999999999999"):
            run = self.tokenize(f"5 {word}".encode(), "--decode")
            self.assertEqual(run.returncode, 1)
            self.assertIn(f'"{word}"', run.stderr.decode())
            self.assertEqual(run.stdout, b"")

    def test_a_model_that_is_missing_or_broken_is_named(self):
        broken = self.folder / "broken.gguf"
        broken.write_bytes(b"GGUF\x03\0\0\0")
        for model in ("no-such-model", broken):
            run = self.tokenize(b"x", "--model", model)
            self.assertEqual(run.returncode, 1)
            self.assertIn(str(model), run.stderr.decode())


if __name__ == "__main__":
    unittest.main()
