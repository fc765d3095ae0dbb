"""Emacs with what users copy. In a terminal, `hearth-mode`: ghost text accepted whole, by words and by lines
with real keys. In batch mode with Eglot: a completion accepted by
`completion-at-point`, and one inserted by `hearth-eglot-complete`."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness
from terminal import Terminal

EGLOT_METHODS = {
    "completion-at-point": "textDocument/completion",
    "hearth-eglot-complete": "textDocument/inlineCompletion",
}


def accepts_with_eglot(trial, emacs, case, command):
    path = trial.open(case)
    trial.run(
        case.name,
        [emacs, "-Q", "--batch", "-L", harness.EXTENSION / "emacs"]
        + ["-l", pathlib.Path(__file__).with_name("driver.el")],
        timeout=harness.TIMEOUT_S + 10,
        CASE_COMMAND=command,
        CASE_FILE=path,
        CASE_LINE=case.line,
        CASE_COLUMN=len(case.line_before),
        CASE_TYPED=case.typed,
        CASE_SERVER=json.dumps(trial.server_command(case)),
        CASE_SETTINGS=json.dumps(harness.SETTINGS),
        CASE_TIMEOUT_S=harness.TIMEOUT_S,
    )
    harness.check_accepted(trial, case, path, method=EGLOT_METHODS[command])


# What takes a suggestion, whole; more of these keys move the cursor at most.
GHOST_KEYS = {"whole": ["Tab"], "words": ["M-Right"] * 40, "lines": ["M-Down"] * 8}


def accepts_ghost(trial, emacs, tmux, case, keys):
    path = trial.open(case)
    variables = {
        "CASE_LINE": case.line,
        "CASE_COLUMN": len(case.line_before),
        "CASE_SERVER": json.dumps(trial.server_command(case)),
        "CASE_SETTINGS": json.dumps(harness.SETTINGS),
    }
    with Terminal(trial, tmux, trial.work / f"{case.name}.screen.log") as terminal:
        variables["CASE_SOCKET"] = terminal.socket
        ghost = pathlib.Path(__file__).with_name("ghost.el")
        terminal.start([emacs, "-nw", "-Q", "-L", harness.EXTENSION / "emacs", "-l", ghost, path], variables)
        terminal.wait("started")
        if case.typed:
            terminal.type(case.typed)
        else:
            terminal.press("C-c", "n")
        terminal.wait("visible")
        terminal.press(*keys)
        terminal.press("C-x", "C-s", "C-x", "C-c")
        terminal.wait("ended")
    harness.check_accepted(trial, case, path, method="textDocument/inlineCompletion")
    harness.check_looked_at(trial, case)


def test(trial):
    emacs = trial.require("emacs")
    tmux = trial.require("tmux")
    for name, keys in GHOST_KEYS.items():
        for case in cases.INLINE:
            accepts_ghost(trial, emacs, tmux, case.named(f"{name}-{case.name}"), keys)
    for command, method in EGLOT_METHODS.items():
        for case in cases.BY_METHOD[method]:
            accepts_with_eglot(trial, emacs, case.named(f"{command}-{case.name}"), command)


harness.main(test)
