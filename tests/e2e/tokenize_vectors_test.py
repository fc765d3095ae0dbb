"""`hearth tokenize` with a vocabulary of llama.cpp's test vectors."""

import pathlib
import sys
import unittest

from lsp_client import SKIPPED
from tokenize_command_test import Tokenize

MODEL = pathlib.Path(__file__).resolve().parents[3] / "shared/vectors/tokenizers/ggml-vocab-starcoder.gguf"
SEPARATOR = b"\n__ggml_vocab_test__\n"


class Vectors(Tokenize):
    def test_are_reproduced(self):
        texts = pathlib.Path(f"{MODEL}.inp").read_bytes().split(SEPARATOR)
        expected = pathlib.Path(f"{MODEL}.out").read_text(encoding="ascii").splitlines()
        for text, ids in list(zip(texts, expected))[-8:]:
            self.assertEqual(self.tokenize(text, "--model", MODEL).stdout.decode().split(), ids.split())


if __name__ == "__main__":
    if not MODEL.exists():
        print(f"skipped: no {MODEL}")
        sys.exit(SKIPPED)
    unittest.main()
