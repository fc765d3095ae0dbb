"""Emacs in batch mode with Eglot and the configuration that users copy: a completion accepted by
`completion-at-point`, and one inserted by `hearth-complete`."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness

METHODS = {
    "completion-at-point": "textDocument/completion",
    "hearth-complete": "textDocument/inlineCompletion",
}


def accepts(trial, emacs, case, command):
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
    harness.check_accepted(trial, case, path, method=METHODS[command])


def test(trial):
    emacs = trial.require("emacs")
    for command, method in METHODS.items():
        for case in cases.BY_METHOD[method]:
            accepts(trial, emacs, case.named(f"{command}-{case.name}"), command)


harness.main(test)
