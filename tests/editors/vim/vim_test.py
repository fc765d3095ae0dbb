"""Vim with ALE in a terminal: a completion accepted from the menu with real keys, and saved. From
Hearth's own menu (<C-x><C-o>), and from the one that ALE opens while typing. What :HearthWhy says,
and where the cursor rests."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness
from terminal import Terminal

VIMRC = pathlib.Path(__file__).with_name("vimrc")


def variables_of(trial, case, terminal):
    return {
        "CASE_SERVER": json.dumps(trial.server_command(case)),
        "CASE_SETTINGS": json.dumps(harness.SETTINGS),
        "CASE_EXTENSION": harness.EXTENSION / "vim",
        "CASE_SOCKET": terminal.socket,
    }


def accepts(trial, vim, tmux, case, menu):
    path = trial.open(case)
    column = len(case.line_before.encode()) + 1
    at_end = case.after.startswith("\n")
    with Terminal(trial, tmux, trial.work / f"{case.name}.screen.log") as terminal:
        variables = variables_of(trial, case, terminal) | {"CASE_MENU": menu}
        terminal.start([vim, "-u", str(VIMRC), str(path)], variables)
        terminal.wait("started")
        terminal.type(f":call cursor({case.line + 1}, {column})\r")
        terminal.type(("A" if at_end else "i") + case.typed)
        if menu == "hearth":
            terminal.press("C-x", "C-o")
            terminal.wait("menu")
        else:
            terminal.wait("menu")
            terminal.press("C-n")
        terminal.press("C-y")
        terminal.wait("accepted")
        terminal.press("Escape")
        terminal.type(":wq\r")
        terminal.wait("ended")


def says_why(trial, vim, tmux, case):
    """In a file of no project, whose folder is none that the server may index."""
    trial.case_ = case.name
    said = trial.work / f"{case.name}.said.log"
    with (
        tempfile.TemporaryDirectory(prefix="hearth-") as folder,
        Terminal(trial, tmux, trial.work / f"{case.name}.screen.log") as terminal,
    ):
        path = pathlib.Path(folder) / case.file
        path.write_text(case.text, encoding="utf-8")
        variables = variables_of(trial, case, terminal) | {"CASE_SAID": said}
        terminal.start([vim, "-u", str(VIMRC), str(path)], variables)
        terminal.wait("started")
        terminal.type(":HearthWhy\r")
        terminal.wait("said")
        terminal.type(":q\r")
        terminal.wait("ended")
    wire = trial.wire_log(case)
    harness.check(harness.sent(wire, "initialize")[0]["rootUri"], "none", "the workspace")
    answers = [entry["message"].get("result") for entry in harness.read_wire(wire) if entry["from"] == "server"]
    why = [answer["message"] for answer in answers if isinstance(answer, dict) and "message" in answer]
    harness.check(said.read_text(encoding="utf-8").splitlines()[-1], f"Hearth: {why[0]}", "what Vim says")


def tells_where_it_rests(trial, vim, tmux, case):
    path = trial.open(case)
    with Terminal(trial, tmux, trial.work / f"{case.name}.screen.log") as terminal:
        terminal.start([vim, "-u", str(VIMRC), str(path)], variables_of(trial, case, terminal))
        terminal.wait("started")
        harness.check_rests(
            trial,
            case,
            lambda: terminal.type("G"),
            lambda: terminal.type("ggGgg"),
            lambda: terminal.type("Oxyz"),
            case.text.count("\n") - 1,
        )
        terminal.press("Escape")
        terminal.type(":q!\r")
        terminal.wait("ended")
    harness.check_documents(trial, case)


def up_to_parenthesis(new_text):
    """What ALE inserts of an item."""
    return new_text.split("(")[0]


def test(trial):
    vim = trial.require("vim")
    tmux = trial.require("tmux")
    if subprocess.run([vim, "-N", "-es", "-u", "NONE", "-c", "packadd ale", "-c", "q"]).returncode != 0:
        raise harness.Skip("Vim has no ALE")
    for case in cases.MENU:
        case = case.named(f"hearth-{case.name}")
        accepts(trial, vim, tmux, case, "hearth")
        harness.check_accepted(trial, case, trial.path(case))
        harness.check_documents(trial, case)
    says_why(trial, vim, tmux, cases.LINE.named("why"))
    tells_where_it_rests(trial, vim, tmux, cases.LINE.named("rests"))
    case = cases.TYPED.named("ale-typed")
    accepts(trial, vim, tmux, case, "ale")
    harness.check_accepted(trial, case, trial.path(case), shorten=up_to_parenthesis)


harness.main(test)
