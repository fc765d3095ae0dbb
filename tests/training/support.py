"""Finds the Python that has the recipe's packages: HEARTH_TRAINING_PYTHON, or the environment its README makes."""

import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SKIPPED = 77  # ctest's code for a test that says why it cannot run


def training_python() -> str | None:
    named = os.environ.get("HEARTH_TRAINING_PYTHON")
    for python in (named, str(CACHE / "hearth-training" / "venv" / "bin" / "python"), sys.executable):
        if python and Path(python).exists():
            probe = subprocess.run([python, "-c", "import torch, gguf, tokenizers"], capture_output=True)
            if probe.returncode == 0:
                return python
    return None


def rerun_with_torch(script: str) -> None:
    """Goes on only in a Python that has PyTorch; ends with SKIPPED where there is none."""
    if os.environ.get("HEARTH_TRAINING_FOUND"):
        return
    python = training_python()
    if not python:
        print("skipped: no Python with torch, gguf and tokenizers (engine/training/README.md makes one)")
        sys.exit(SKIPPED)
    sys.stdout.flush()
    os.execve(python, [python, script, *sys.argv[1:]], os.environ | {"HEARTH_TRAINING_FOUND": "1"})
