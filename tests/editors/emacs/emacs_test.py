"""Emacs with what users copy. In a terminal, `hearth-mode`: ghost text accepted whole, in part, hidden and
changed with real keys, under another name, with other settings and beside another server. In batch mode
what needs no server (units.el), and with Eglot: a completion accepted by `completion-at-point`, and one
inserted by `hearth-eglot-complete`."""

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


INLINE = "textDocument/inlineCompletion"
# What takes a suggestion, whole; more of these keys move the cursor at most.
GHOST_KEYS = {"whole": ["Tab"], "words": ["M-Right"] * 40, "lines": ["M-Down"] * 8}


class Ghost:
    """Emacs with `hearth-mode` in a terminal, from the case's cursor on."""

    def __init__(self, trial, emacs, tmux, case, settings=harness.SETTINGS, **variables):
        self.trial_ = trial
        self.case_ = case
        self.path = trial.open(case)
        self.command_ = [emacs, "-nw", "-Q", "-L", harness.EXTENSION / "emacs"]
        self.command_ += ["-l", pathlib.Path(__file__).with_name("ghost.el"), self.path]
        self.terminal_ = Terminal(trial, tmux, trial.work / f"{case.name}.screen.log")
        self.variables_ = variables | {
            "CASE_LINE": case.line,
            "CASE_COLUMN": len(case.line_before),
            "CASE_SERVER": json.dumps(trial.server_command(case)),
            "CASE_SETTINGS": json.dumps(settings),
            "CASE_SOCKET": self.terminal_.socket,
        }

    def __enter__(self):
        self.terminal_.__enter__()
        self.terminal_.start(self.command_, self.variables_)
        self.terminal_.wait("started")
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.press("C-x", "C-s", "C-x", "C-c")
            self.terminal_.wait("ended")
        self.terminal_.__exit__()

    def press(self, *keys):
        self.terminal_.press(*keys)

    def type(self, text):
        self.terminal_.type(text)

    def ask(self):
        """Has a suggestion shown: while typing, or by the key for another one."""
        if self.case_.typed:
            self.type(self.case_.typed)
        else:
            self.press("C-c", "n")
        self.terminal_.wait("visible")

    def offered(self):
        return harness.Offer(harness.read_wire(self.trial_.wire_log(self.case_)), INLINE)

    def check(self, path=None, **accepting):
        harness.check_accepted(self.trial_, self.case_, path or self.path, method=INLINE, **accepting)
        harness.check_looked_at(self.trial_, self.case_)
        harness.check_documents(self.trial_, self.case_)


def accepts_ghost(trial, emacs, tmux, case, keys, **accepting):
    with Ghost(trial, emacs, tmux, case) as ghost:
        ghost.ask()
        ghost.press(*keys)
    ghost.check(**accepting)


def hides(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case) as ghost:
        ghost.ask()
        ghost.press("C-g", "M-Right")
    harness.check(ghost.path.read_text(encoding="utf-8"), case.before + case.typed + case.after, "the saved file")


def keeps_what_agrees(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case) as ghost:
        ghost.ask()
        ghost.type(ghost.offered().new_text[:2])
        ghost.press("Tab")
    ghost.check()


def takes_another(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case, settings=harness.THREE) as ghost:
        ghost.ask()
        ghost.press("Tab")
    ghost.check(nth=1)


def hears_of_settings(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case, CASE_OTHER_SETTINGS=json.dumps(harness.UNSAID)) as ghost:
        harness.wait_for_settings(trial, case)
        ghost.press("C-c", "s")
        ghost.ask()
        ghost.press("Tab")
    ghost.check(nth=1)


def follows_a_new_name(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case) as ghost:
        ghost.press("C-x", "C-w")
        ghost.type("renamed.py\r")
        ghost.ask()
        ghost.press("Tab")
    renamed = ghost.path.with_name("renamed.py")
    ghost.check(renamed)
    harness.check_renamed(trial, case, renamed)


def lives_beside_another_server(trial, emacs, tmux, case):
    other = json.dumps(trial.other_server_command(case))
    with Ghost(trial, emacs, tmux, case, CASE_OTHER_SERVER=other) as ghost:
        ghost.ask()
        ghost.press("Tab")
    ghost.check()
    harness.check_followed_by_other(trial, case)


def tells_where_it_rests(trial, emacs, tmux, case):
    with Ghost(trial, emacs, tmux, case) as ghost:
        harness.check_rests(
            trial,
            case,
            lambda: ghost.press("M->"),
            lambda: ghost.press("M-<", "M->", "M-<"),
            lambda: ghost.type("xyz"),
            case.text.count("\n"),
        )


# What needs a key of its own, and the cases that it is tried with.
SCENARIOS = {
    hides: [cases.TYPED],
    keeps_what_agrees: [cases.LINE, cases.TYPED],
    takes_another: [cases.LINE],
    hears_of_settings: [cases.LINE],
    follows_a_new_name: [cases.TYPED],
    tells_where_it_rests: [cases.LINE],
}


def test(trial):
    emacs = trial.require("emacs")
    tmux = trial.require("tmux")
    units = pathlib.Path(__file__).with_name("units.el")
    trial.case_ = "units"
    trial.run(
        "units", [emacs, "-Q", "--batch", "-L", harness.EXTENSION / "emacs", "-l", units], timeout=harness.TIMEOUT_S
    )
    for scenario, tried in SCENARIOS.items():
        for case in tried:
            scenario(trial, emacs, tmux, case.named(f"{scenario.__name__}-{case.name}"))
    for case in cases.INLINE:
        accepts_ghost(
            trial, emacs, tmux, case.named(f"word-{case.name}"), ["M-Right"], shorten=harness.first_word
        )
        for name, keys in GHOST_KEYS.items():
            accepts_ghost(trial, emacs, tmux, case.named(f"{name}-{case.name}"), keys)
    for command, method in EGLOT_METHODS.items():
        for case in cases.BY_METHOD[method]:
            accepts_with_eglot(trial, emacs, case.named(f"{command}-{case.name}"), command)
    lives_beside_another_server(trial, emacs, tmux, cases.TYPED.named("beside_another"))


harness.main(test)
