"""Neovim, headless, with the configuration that users copy: a completion accepted from the menu of
<C-x><C-o> with real keys, one inserted by Hearth's own key, and a raw inline completion applied."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness

METHODS = {
    "omni": "textDocument/completion",
    "key": "textDocument/inlineCompletion",
    "raw": "textDocument/inlineCompletion",
}


def accepts(trial, neovim, case, action):
    path = trial.open(case)
    arguments = ["--clean", "--headless", "-i", "NONE"]
    arguments += ["--cmd", f"set runtimepath^={harness.EXTENSION}/nvim"]
    trial.run(
        case.name,
        [neovim, *arguments, "-S", pathlib.Path(__file__).with_name("driver.lua")],
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
    harness.check_accepted(trial, case, path, method=METHODS[action])


def test(trial):
    neovim = trial.require("nvim")
    for action, method in METHODS.items():
        for case in cases.BY_METHOD[method]:
            if action == "raw":
                case = case.without_typing()
            accepts(trial, neovim, case.named(f"{action}-{case.name}"), action)


harness.main(test)
