"""Stands between an editor and its language server and writes down what they say.

    wire_tap.py LOG SERVER [ARG...]

Bytes pass unchanged in both directions. Each whole message is appended to LOG
as one line of JSON, {"at": seconds, "from": "client" | "server", "message": ...},
before it is handed on: what an editor acts upon is already in the log. The server's standard
error goes to LOG.stderr. The tap ends when the server does, with its exit status.
"""

import json
import os
import subprocess
import sys
import threading
import time


class Log:
    """Appends messages from both directions' threads."""

    def __init__(self, path):
        self.file_ = open(path, "a", encoding="utf-8")
        self.lock_ = threading.Lock()
        self.start_ = time.monotonic()

    def write(self, origin, body):
        at = round(time.monotonic() - self.start_, 3)
        line = json.dumps({"at": at, "from": origin, "message": json.loads(body)})
        with self.lock_:
            self.file_.write(line + "\n")
            self.file_.flush()


def forward(source, target, origin, log):
    """Copies framed messages from source to target until source ends."""
    try:
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = source.readline()
                if not line:
                    return
                head += line
            length = next(
                int(field.split(b":")[1])
                for field in head.split(b"\r\n")
                if field.lower().startswith(b"content-length:")
            )
            body = source.read(length)
            log.write(origin, body)
            target.write(head + body)
            target.flush()
    except BrokenPipeError:
        pass
    finally:
        try:
            target.close()
        except BrokenPipeError:
            pass


def main(log_path, command):
    log = Log(log_path)
    with open(log_path + ".stderr", "ab") as errors:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    threading.Thread(
        target=forward,
        args=(sys.stdin.buffer, server.stdin, "client", log),
        daemon=True,
    ).start()
    forward(server.stdout, sys.stdout.buffer, "server", log)
    status = server.wait()
    # Not sys.exit: the other thread may hold standard input's lock in a blocking read.
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
