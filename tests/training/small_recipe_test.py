"""The whole recipe, small: corpus, packing, 20 steps, export, evaluation, merge, and a completion from it.

Takes minutes and the package clients' network. Skipped (77) where PyTorch or the network is not there:
HEARTH_TRAINING_PYTHON names the Python that has requirements.txt of engine/training, otherwise the
environment that its README makes.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support import SKIPPED, training_python

SOURCE = Path(__file__).resolve().parents[2]
RECIPE = SOURCE / "engine" / "training" / "recipe.py"


def main() -> int:
    python = training_python()
    if not python:
        print("skipped: no Python with torch, gguf and tokenizers (engine/training/README.md makes one)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        recipe = [python, str(RECIPE), "--work", work, "--small", "--hearth", os.environ["HEARTH_BINARY"]]
        corpus = subprocess.run([*recipe, "corpus"])
        if corpus.returncode != 0:
            print("skipped: the packages could not be fetched")
            return SKIPPED
        for command in ("pack", "train", "train", "export", "evaluate"):
            subprocess.run([*recipe, command], check=True)
        folder = Path(work) / "small"
        history = (folder / "runs" / "adapter" / "history.jsonl").read_text().splitlines()
        steps = [line for line in history if "tokens_per_second" in line]
        assert 10 <= len(steps) <= 20, f"{len(steps)} steps: a finished run must not go on when it is asked again"
        merge_and_complete(folder)
    return 0


def merge_and_complete(folder: Path) -> None:
    hearth = os.environ["HEARTH_BINARY"]
    merged = folder / "merged.gguf"
    adapter = folder / "runs" / "adapter" / "hearth-fim-135m-lora.gguf"
    subprocess.run([hearth, "model", "merge", folder / "downloads" / "base.gguf", adapter, "-o", merged], check=True)
    program = folder / "greet.py"
    # Twenty steps teach little: half a word, so that there is something to say.
    program.write_text("def greet(name):\n    message = 'Hello, ' + name\n    return mess\n\nprint(greet('you'))\n")
    completion = subprocess.run([hearth, "complete", f"{program}:3:16", "--model", merged], capture_output=True, text=True)
    print(completion.stdout, completion.stderr)
    assert completion.returncode == 0 and completion.stdout.strip(), "hearth completes from the merged file"


if __name__ == "__main__":
    sys.exit(main())
