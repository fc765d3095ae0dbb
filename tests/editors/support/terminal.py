"""An editor in a terminal that real keys are sent to."""

import pathlib
import shlex
import subprocess
import tempfile

import harness


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
        """Runs a command, after which "ended" is signalled."""
        settings = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        ended = shlex.join([str(self.tmux_), "-S", str(self.socket), "wait-for", "-S", "ended"])
        shell = f"{shlex.join(str(part) for part in command)}; {ended}; cat"
        self.run_("new-session", "-d", "-x", "120", "-y", "40", *settings, shell)

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
