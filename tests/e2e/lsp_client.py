"""A plain LSP client for tests: frames over any pair of binary files, one reader thread, no dependencies."""

import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

# Where it ends in BEFORE_CURSOR the embedded model has something to say.
SAMPLE = '''import math


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius * self.radius


class Square:
    def __init__(self, side):
        self.
'''
BEFORE_CURSOR = "side):\n        self."

# No deadline that a busy machine could miss.
OPTIONS = {"hearth": {"completion": {"softMs": 60_000, "hardMs": 60_000, "minConfidence": 0}}}
PATIENCE = 120  # seconds until a test that waits has failed; nothing is timed by it
SKIPPED = 77


def binary():
    path = os.environ.get("HEARTH_BINARY", "")
    if not os.path.exists(path):
        print("skipped: HEARTH_BINARY names no built `hearth`")
        sys.exit(SKIPPED)
    return path


def embedded_model():
    """The small model that ships beside the binary; a test without it is skipped."""
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(binary())))
    path = os.path.join(prefix, "share", "hearth", "models", "hearth-code-20m.gguf")
    if not os.path.exists(path):
        print(f"skipped: the embedded model is not at {path}")
        sys.exit(SKIPPED)
    return path


def main():
    embedded_model()
    unittest.main()


def frame(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Closed(Exception):
    pass


class Client:
    """Requests wait for their answers; what else the server says is kept in `said`."""

    def __init__(self, reader, writer):
        self.writer = writer
        self.reader = reader
        self.last_id = 0
        self.said = []
        self.versions = {}
        self.texts = {}
        self.inbox = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while True:
                length = None
                while True:
                    line = self.reader.readline()
                    if not line:
                        return
                    if line == b"\r\n":
                        break
                    name, value = line.split(b":", 1)
                    if name.lower() == b"content-length":
                        length = int(value)
                self.inbox.put(json.loads(self.reader.read(length)))
        except (OSError, ValueError):
            pass
        finally:
            self.inbox.put(None)

    def send_bytes(self, data):
        self.writer.write(data)
        self.writer.flush()

    def send(self, message):
        self.send_bytes(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    def ask(self, method, params=None):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def next_message(self):
        message = self.inbox.get(timeout=PATIENCE)
        if message is None:
            raise Closed
        if "method" in message:
            self.said.append(message)
            if "id" in message:  # a request of the server's
                self.send({"id": message["id"], "result": None})
        return message

    def answer(self, request_id):
        while True:
            message = self.next_message()
            if "method" not in message and message.get("id") == request_id:
                return message

    def wait_for(self, method, accept=lambda params: True):
        seen = 0
        while True:
            for message in self.said[seen:]:
                if message["method"] == method and accept(message["params"]):
                    return message["params"]
            seen = len(self.said)
            self.next_message()

    def request(self, method, params=None):
        message = self.answer(self.ask(method, params))
        if "error" in message:
            raise AssertionError(f"{method}: {message['error']}")
        return message["result"]

    def error_of(self, method, params=None):
        return self.answer(self.ask(method, params))["error"]["code"]

    def said_by(self, method):
        return [message["params"] for message in self.said if message["method"] == method]

    # Documents, mirrored here as the protocol has it (UTF-16 columns).

    def initialize(self, options=OPTIONS, capabilities=None, process=None, folder="file:///project"):
        result = self.request(
            "initialize",
            {
                "processId": process,
                "rootUri": folder,
                "capabilities": capabilities or {},
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, uri, language, text):
        self.versions[uri], self.texts[uri] = 1, text
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )

    def edit(self, uri, edit_range, text):
        begin, end = (self.offset(uri, edit_range[side]) for side in ("start", "end"))
        old = self.texts[uri]
        self.texts[uri] = old[:begin] + text + old[end:]
        self.versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": self.versions[uri]},
                "contentChanges": [{"range": edit_range, "text": text}],
            },
        )

    def insert(self, uri, position, text):
        self.edit(uri, {"start": position, "end": position}, text)

    def offset(self, uri, position):
        line = self.texts[uri].split("\n")[position["line"]]
        before = "\n".join(self.texts[uri].split("\n")[: position["line"]])
        column = len(line.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le"))
        return len(before) + (1 if position["line"] else 0) + column

    def position_after(self, uri, marker):
        before = self.texts[uri].split(marker)[0] + marker
        lines = before.split("\n")
        return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}

    def inline_completion(self, uri, position, trigger=0):
        return self.request(
            "textDocument/inlineCompletion",
            {"textDocument": {"uri": uri}, "position": position, "context": {"triggerKind": trigger}},
        )

    def completion(self, uri, position):
        return self.request(
            "textDocument/completion",
            {"textDocument": {"uri": uri}, "position": position, "context": {"triggerKind": 1}},
        )


class Server:
    """`hearth lsp` with a home of its own, so that only the embedded model is there."""

    def __init__(self, *arguments, cache=None):
        self.home = tempfile.TemporaryDirectory()
        self.log = tempfile.TemporaryFile()
        environment = {**os.environ, "HOME": self.home.name, "XDG_DATA_HOME": self.home.name,
                       "XDG_CACHE_HOME": cache or self.home.name}
        self.process = subprocess.Popen(
            [binary(), "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment,
        )

    def stdio(self):
        return Client(self.process.stdout, self.process.stdin)

    def log_text(self):
        self.log.flush()
        return os.pread(self.log.fileno(), 1 << 20, 0).decode()

    def wait(self):
        return self.process.wait(timeout=PATIENCE)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.wait()
        for file in (self.process.stdin, self.process.stdout, self.log):
            try:
                file.close()
            except BrokenPipeError:
                pass
        self.home.cleanup()


def connect(family, address):
    connection = socket.socket(family)
    connection.settimeout(PATIENCE)
    connection.connect(address)
    stream = connection.makefile("rwb", buffering=0)
    return Client(connection.makefile("rb"), stream)
