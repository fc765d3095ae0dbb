"""The frame of an editor's test: an isolated home, a tapped server, and the verdict.

A test is `main(function)`, where function takes a `Trial`; ctest gives it the
built server in HEARTH_BINARY and a place for its folder in HEARTH_BUILD_DIR. It ends with 0 when
the function returned, 77 when it raised Skip (the reason is printed), and 1 on
anything else, after printing every log in the trial's folder.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback

SKIPPED = 77
# How long an editor may wait for one event; a machine that runs other things at the same time is slow.
TIMEOUT_S = 120
LOGGED_COLUMNS = 1_000
# After which a cursor that was moved counts as at rest.
REST_S = 0.2
SUPPORT = pathlib.Path(__file__).resolve().parent
EXTENSION = SUPPORT.parents[2] / "extension"
MODEL = "hearth-code-20m"
# Settings of Hearth that every editor sends: one item an answer, no deadline that a busy
# machine could miss, and what is unsure shows, too.
SETTINGS = {"completion": {"alternatives": 1, "softMs": 60_000, "hardMs": 60_000, "minConfidence": 0}}
THREE = {"completion": SETTINGS["completion"] | {"alternatives": 3}}
# The same number by default: it is not said.
UNSAID = {"completion": {key: value for key, value in SETTINGS["completion"].items() if key != "alternatives"}}


class Skip(Exception):
    """The machine lacks what the test needs."""


class Trial:
    """One run of a test: where things are, and what an editor started here sees."""

    def __init__(self, hearth, work):
        self.hearth = hearth
        self.work = work
        self.case_ = "*"  # the one whose logs are printed when the test fails
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
        self.env = self.isolated_environment_()

    def isolated_environment_(self):
        folders = {
            "HOME": "home",
            "XDG_CONFIG_HOME": "home/config",
            "XDG_DATA_HOME": "home/data",
            "XDG_STATE_HOME": "home/state",
            "XDG_CACHE_HOME": "home/cache",
            "XDG_RUNTIME_DIR": "home/runtime",
            "TMPDIR": "tmp",
        }
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for variable, folder in folders.items():
            path = self.work / folder
            path.mkdir(parents=True, exist_ok=True)
            env[variable] = str(path)
        os.chmod(self.work / "home/runtime", 0o700)
        # What a sanitizer is told has to reach the server.
        env |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        return env

    def require(self, program):
        """The path of an editor; Skip when it isn't installed."""
        path = shutil.which(program)
        if path is None:
            raise Skip(f"{program} is not installed")
        return path

    def open(self, case):
        """Writes the case's file into a workspace of its own; returns its path."""
        self.case_ = case.name
        path = self.path(case)
        path.parent.mkdir()
        path.write_text(case.text, encoding="utf-8")
        return path

    def path(self, case):
        return self.work / case.name / case.file

    def wire_log(self, case):
        return self.work / f"{case.name}.wire.log"

    def tapped_(self, log, command):
        return [sys.executable, str(SUPPORT / "wire_tap.py"), str(log), *command]

    def server_command(self, case):
        """`hearth lsp` with the embedded model, its wire tapped."""
        return self.tapped_(self.wire_log(case), [str(self.hearth), "lsp", "--model", MODEL])

    def other_wire_log(self, case):
        return self.work / f"{case.name}.other.wire.log"

    def other_server_command(self, case):
        """Another language server for the same files, its wire tapped."""
        return self.tapped_(self.other_wire_log(case), [sys.executable, str(SUPPORT / "other_server.py")])

    def run(self, name, command, timeout, **variables):
        """Runs an editor to its end, output into NAME.log; raises unless it exits with 0.

        An exit status of 77 is the editor's own Skip, for the reason on its last line."""
        env = self.env | {k: str(v) for k, v in variables.items()}
        with open(self.work / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                env=env,
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise AssertionError(f"{name}: not done after {timeout} s") from None
        if status == SKIPPED:
            raise Skip((self.work / f"{name}.log").read_text(encoding="utf-8").splitlines()[-1])
        if status != 0:
            raise AssertionError(f"{name}: exit status {status}")

    def print_logs(self):
        for path in sorted(self.work.glob(f"{self.case_}.*log*")):
            print(f"---- {path.name}")
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                print(line[:LOGGED_COLUMNS])


def offset_of(text, position, encoding="utf-16"):
    """The index in text of an LSP position."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: position["line"]])
    if encoding == "utf-32":
        return start + position["character"]
    units = lines[position["line"]].encode("utf-16-le")[: 2 * position["character"]]
    return start + len(units.decode("utf-16-le"))


def replaced(text, start, end, new_text, encoding="utf-16"):
    return text[: offset_of(text, start, encoding)] + new_text + text[offset_of(text, end, encoding) :]


def read_wire(path):
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log]


def initialized(message):
    """The capabilities in the answer to `initialize`, else nothing."""
    result = message.get("result")
    return result.get("capabilities", {}) if isinstance(result, dict) else {}


class Offer:
    """The last answer with items: the document and position it was for, and the items."""

    def __init__(self, entries, method):
        document = None
        asked = {}
        self.encoding = "utf-16"
        self.items = []
        for entry in entries:
            message = entry["message"]
            params = message.get("params")
            if entry["from"] == "server":
                self.encoding = initialized(message).get("positionEncoding", self.encoding)
                if message.get("id") in asked and message.get("result"):
                    result = message["result"]
                    items = result["items"] if isinstance(result, dict) else result
                    if items:
                        self.text, self.position = asked[message["id"]]
                        self.items = items
            elif message.get("method") == "textDocument/didOpen":
                document = params["textDocument"]["text"]
            elif message.get("method") == "textDocument/didChange":
                for change in params["contentChanges"]:
                    if "range" in change:
                        span = change["range"]
                        document = replaced(document, span["start"], span["end"], change["text"], self.encoding)
                    else:
                        document = change["text"]
            elif message.get("method") == method:
                asked[message["id"]] = (document, params["position"])
        if not self.items:
            raise AssertionError(f"no {method} was answered with an item")

    @property
    def offset(self):
        return offset_of(self.text, self.position, self.encoding)

    @property
    def new_text(self):
        """What of the first item, an inline completion, is not typed yet."""
        start = offset_of(self.text, self.items[0]["range"]["start"], self.encoding)
        return self.items[0]["insertText"][self.offset - start :]

    def accepted(self, item, shorten=lambda new_text: new_text):
        """The document after the item was accepted; `shorten` says what an editor leaves out."""
        edit = item.get("textEdit") or {"range": item["range"], "newText": item["insertText"]}
        new_text = shorten(edit["newText"])
        start, end = edit["range"]["start"], edit["range"]["end"]
        typed = self.text[offset_of(self.text, start, self.encoding) : self.offset]
        if len(new_text) <= len(typed):
            raise AssertionError(f"the item {item} adds nothing to {typed!r}")
        return replaced(self.text, start, end, new_text, self.encoding)


def check(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}\n  expected {expected!r}\n  actual   {actual!r}")


def sent(path, method):
    """The parameters of the client's messages of a method."""
    messages = [entry["message"] for entry in read_wire(path) if entry["from"] == "client"]
    return [message["params"] for message in messages if message.get("method") == method]


def complaints(entries):
    """What the server said to the user: errors and warnings."""
    said = [entry["message"] for entry in entries if entry["from"] == "server"]
    return [
        message["params"]["message"]
        for message in said
        if message.get("method") == "window/showMessage" and message["params"]["type"] <= 2
    ]


def first_word(text):
    """What the key for one word takes of a suggestion."""
    return re.match(r"\s*(\w+|(\W)\2*)", text).group()


def check_accepted(trial, case, path, method="textDocument/completion", nth=0, **accepting):
    """The saved file is the case's text with the offered item at the cursor, and nothing else.

    nth: which of several items, each of which says something else."""
    wire = read_wire(trial.wire_log(case))
    check(complaints(wire), [], "what the server complained of")
    offer = Offer(wire, method)
    check(offer.text, case.before + case.typed + case.after, "the text that the server knew")
    check(offer.offset, len(case.before + case.typed), "where the editor asked")
    item = sorted(offer.items, key=lambda item: item.get("sortText", ""))[nth]
    check(path.read_text(encoding="utf-8"), offer.accepted(item, **accepting), "the saved file")
    print(f"{case.name}: accepted {item.get('insertText') or item['textEdit']['newText']!r}")


def check_documents(trial, case):
    """What the client says of a document it says of one that is open."""
    open_ = set()
    for entry in read_wire(trial.wire_log(case)):
        message = entry["message"]
        params = message.get("params")
        if message.get("method") == "initialize":
            open_.clear()
        if entry["from"] == "server" or not isinstance(params, dict) or "textDocument" not in params:
            continue
        uri = params["textDocument"]["uri"]
        opens = message["method"] == "textDocument/didOpen"
        check(uri in open_, not opens, f"whether {uri} is open before {message['method']}")
        if opens:
            open_.add(uri)
        elif message["method"] == "textDocument/didClose":
            open_.remove(uri)


def check_renamed(trial, case, path):
    """The server was asked of the file under its new name, and holds none under the old one."""
    wire = trial.wire_log(case)
    asked = sent(wire, "textDocument/inlineCompletion")[-1]["textDocument"]["uri"]
    check(asked, path.as_uri(), "the document asked about")
    closed = [params["textDocument"]["uri"] for params in sent(wire, "textDocument/didClose")]
    check(trial.path(case).as_uri() in closed, True, "whether the old name was closed")


def check_followed_by_other(trial, case):
    """The other language server saw the same file grow."""
    for method in ("textDocument/didOpen", "textDocument/didChange"):
        if not sent(trial.other_wire_log(case), method):
            raise AssertionError(f"the other server was sent no {method}")


def check_looked_at(trial, case):
    """The server was told where in the file the user is."""
    places = sent(trial.wire_log(case), "hearth/didFocus")
    if not any("position" in place and "textDocument" in place for place in places):
        raise AssertionError(f"no place in the file was told: {places}")


def lines_told(trial, case):
    """The lines, from 0, at which the server was told that the user is."""
    path = trial.wire_log(case)
    places = sent(path, "hearth/didFocus") if path.exists() else []
    return [place["position"]["line"] for place in places if "position" in place]


def wait_until(holds, what):
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not after {TIMEOUT_S} s: {what()}")
        time.sleep(0.05)


def wait_for_settings(trial, case):
    """Until the server, which asked for the client's settings, has them."""

    def has_them():
        wire = [(entry["from"], entry["message"]) for entry in read_wire(trial.wire_log(case))]
        asked = [message["id"] for _, message in wire if message.get("method") == "workspace/configuration"]
        return any(origin == "client" and m.get("id") in asked and "result" in m for origin, m in wire)

    wait_until(has_them, lambda: "the settings were sent")


def check_rests(trial, case, to_end, to_start_and_back_and_to_start, to_type, last):
    """Where the cursor rests is told once: not on its way there, and not while keys are typed.

    last: the number of the line to which `to_end` goes, from 0."""

    def wait_for(line):
        wait_until(
            lambda: lines_told(trial, case)[-1:] == [line],
            lambda: f"line {line} was told last, but {lines_told(trial, case)}",
        )

    to_end()
    wait_for(last)
    told = lines_told(trial, case)
    to_start_and_back_and_to_start()
    wait_for(0)
    check(lines_told(trial, case), [*told, 0], "the lines told")
    to_type()
    time.sleep(3 * REST_S)
    check(lines_told(trial, case), [*told, 0], "the lines told after some keys")


def main(function, name=None):
    binary = os.environ["HEARTH_BINARY"]
    build = pathlib.Path(os.environ["HEARTH_BUILD_DIR"])
    name = name or pathlib.Path(sys.argv[0]).stem
    trial = Trial(pathlib.Path(binary).resolve(), build.resolve() / "tests/editors/trials" / name)
    try:
        function(trial)
    except Skip as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        trial.print_logs()
        sys.exit(1)
