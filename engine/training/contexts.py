"""What the planner says of a project before the file at hand: the bytes a prompt has, from `hearth` itself.

The corpus's projects are written out as folders and indexed once; one process of
`hearth complete --batch - --plan` then lays out prompts. The file at hand and its copies are hidden from it.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from examples import Example
from projects import folder_name, write_project

RELATED_TOKENS = 400
# Of two words or more: what is one word stands in every text.
NAME = re.compile(r"\b(?=\w{6})(?:[A-Za-z][a-z0-9]*_\w+|_\w+|[A-Za-z][a-z0-9]*[A-Z]\w*)\b")


@dataclass(frozen=True)
class Said:
    kind: str  # "manifests" or "related"
    text: str


class Contexts:
    """Owns what is under `folder`, and a process."""

    def __init__(self, hearth: Path, model: Path, folder: Path):
        self._hearth, self._folder = str(hearth), folder
        self._environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
        self._command = [self._hearth, "complete", "--batch", "-", "--plan", "--model", str(model),
                         "--related-tokens", str(RELATED_TOKENS)]
        self._process: subprocess.Popen | None = None

    def of(self, project: str, files: list[tuple[str, str]], example: Example) -> list[Said]:
        """`files`: (path, text) of the project's. `example` must hold the whole text of its file. Nothing where the
        project is one file."""
        if len(files) < 2:
            return []
        root = self._root(project, files)
        request = {"id": 0, "path": str(root / example.path), "prefix": example.prefix, "suffix": example.suffix}
        process = self._running()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        answer = json.loads(line) if line else {"error": f"{self._hearth} ended"}
        if "error" in answer:
            raise RuntimeError(f"{root / example.path}: {answer['error']}")
        return [Said(s["kind"], s["text"]) for s in answer["segments"] if s["kind"] in ("manifests", "related")]

    def close(self) -> None:
        if self._process:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _root(self, project: str, files: list[tuple[str, str]]) -> Path:
        root = self._folder / "projects" / folder_name(project)
        indexed = root.with_name(root.name + ".indexed")
        if not indexed.exists():
            write_project(root, files)
            subprocess.run([self._hearth, "index", str(root)], env=self._environment, check=True, stdout=subprocess.DEVNULL)
            indexed.touch()
        return root

    def _running(self) -> subprocess.Popen:
        if not self._process:
            self._process = subprocess.Popen(self._command, env=self._environment, text=True, stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self._process


def names_only_in(said: list[Said], example: Example) -> Iterator[str]:
    """Names of the middle that the context holds and the example's own text does not."""
    context = set(NAME.findall("\n".join(s.text for s in said)))
    own = set(NAME.findall(example.prefix)) | set(NAME.findall(example.suffix))
    return (name for name in NAME.findall(example.middle) if name in context and name not in own)
