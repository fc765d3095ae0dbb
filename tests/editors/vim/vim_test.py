"""Vim with ALE in a terminal: a completion accepted from the menu with real keys, and saved. From
Hearth's own menu (<C-x><C-o>), and from the one that ALE opens while typing."""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness

VIMRC = pathlib.Path(__file__).with_name("vimrc")


class Terminal:
    """A tmux server of its own with one window in which a command runs."""

    def __init__(self, trial, tmux, log):
        self.tmux_ = tmux
        self.env_ = trial.env
        self.log_ = log
        # Sockets' paths are short; the trial's folder may not be.
        self.folder_ = tempfile.TemporaryDirectory(prefix="hearth-")
        self.socket = pathlib.Path(self.folder_.name) / "tmux"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        screen = self.run_("capture-pane", "-p", check=False)
        self.log_.write_text(screen.stdout + screen.stderr, encoding="utf-8")
        self.run_("kill-server", check=False)
        self.folder_.cleanup()

    def run_(self, *arguments, check=True):
        return subprocess.run(
            [self.tmux_, "-S", self.socket, "-f", "/dev/null", *arguments],
            env=self.env_,
            check=check,
            capture_output=True,
            text=True,
            timeout=harness.TIMEOUT_S,
        )

    def start(self, command, variables):
        settings = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        self.run_("new-session", "-d", "-x", "120", "-y", "40", *settings, command)

    def wait(self, channel):
        """Until something ran `tmux wait-for -S CHANNEL`, also if it did already."""
        try:
            self.run_("wait-for", channel)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"no {channel!r} after {harness.TIMEOUT_S} s") from None

    def press(self, *keys):
        self.run_("send-keys", *keys)

    def type(self, text):
        self.run_("send-keys", "-l", text)


def accepts(trial, vim, tmux, case, menu):
    path = trial.open(case)
    variables = {
        "CASE_SERVER": json.dumps(trial.server_command(case)),
        "CASE_SETTINGS": json.dumps(harness.SETTINGS),
        "CASE_MENU": menu,
        "CASE_EXTENSION": harness.EXTENSION / "vim",
    }
    column = len(case.line_before.encode()) + 1
    at_end = case.after.startswith("\n")
    with Terminal(trial, tmux, trial.work / f"{case.name}.screen.log") as terminal:
        variables["CASE_SOCKET"] = terminal.socket
        ended = f"{shlex.quote(tmux)} -S {shlex.quote(str(terminal.socket))} wait-for -S ended"
        vim_command = shlex.join([vim, "-u", str(VIMRC), str(path)])
        terminal.start(f"{vim_command}; {ended}; cat", variables)
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
    case = cases.TYPED.named("ale-typed")
    accepts(trial, vim, tmux, case, "ale")
    harness.check_accepted(trial, case, trial.path(case), shorten=up_to_parenthesis)


harness.main(test)
