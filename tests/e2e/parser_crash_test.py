"""A grammar that crashes: it costs the text that it crashed at, not the run, and the server once."""

import ctypes
import json
import os
import platform
import signal
import struct
import time
from pathlib import Path

from index_command_test import Workspace
from lsp_client import PATIENCE, Server, main

SYS_TGKILL = 234 if platform.machine() == "x86_64" else 131
# Takes a parser long enough to be caught in the act.
SLOW_LINE = "template <class A, class B = decltype(a < b > (c)) > (( [] { x<y>(z); }\n"
SLOW = SLOW_LINE * 14_000


class Crash(Workspace):
    def crash_parsing(self, process, path):
        """A fatal signal for the thread that parses this file, if one does."""
        name = os.fsencode(path)
        for journal in (Path(self.environment["XDG_CACHE_HOME"]) / "hearth/workspaces").glob("parsing-*"):
            try:
                # The bytes of the name, whether it crashed, the thread and the hash, then the name (parse_journal.cpp).
                kept = journal.read_bytes()
            except FileNotFoundError:
                continue
            for at in range(0, len(kept), 4096):
                size, crashed, thread = struct.unpack_from("<III", kept, at)
                if size == 0 or crashed or kept[at + 24:at + 24 + size] != name:
                    continue
                libc = ctypes.CDLL(None)
                return libc.syscall(SYS_TGKILL, process, thread, signal.SIGSEGV) == 0
        return False

    def test_loses_the_file_that_crashes_its_parser_and_not_the_run(self):
        self.write("slow.cpp", SLOW)
        process = self.start("index", "--json")
        crashed = set()
        while process.poll() is None:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            if children and self.crash_parsing(int(children[0]), self.root / "slow.cpp"):
                crashed.add(children[0])
        out, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(len(crashed), 1)
        self.assertIn("crashed", said)
        self.assertEqual(json.loads(out.splitlines()[-1])["files"], 5)
        why = json.loads(self.run_hearth("doctor", "slow.cpp", "--json").stdout)["why"]
        self.assertEqual(why, "its parser crashed")

    def serve(self):
        server = Server(cache=self.environment["XDG_CACHE_HOME"])
        self.addCleanup(server.stop)
        client = server.stdio()
        client.initialize(folder=self.root.as_uri())
        return server, client

    def crash(self, server, path, meanwhile=lambda: None):
        deadline = time.monotonic() + PATIENCE
        while not self.crash_parsing(server.process.pid, path):
            self.assertLess(time.monotonic(), deadline, f"{path} was never parsed")
            meanwhile()
        self.assertEqual(server.wait(), -signal.SIGSEGV)

    def why(self, name):
        return json.loads(self.run_hearth("doctor", name, "--json").stdout)["why"]

    def test_costs_the_language_server_the_file_that_it_indexes(self):
        self.write("slow.cpp", SLOW)
        server, _ = self.serve()
        self.crash(server, self.root / "slow.cpp")
        server, client = self.serve()
        while [root["state"] for root in client.request("hearth/status")["index"]] != ["indexed"]:
            pass
        self.assertEqual(self.why("slow.cpp"), "its parser crashed")
        self.assertEqual(self.why("main.py"), "")

    def test_costs_the_language_server_the_text_that_is_open(self):
        self.write("open.cpp", "int saved;\n")
        self.run_hearth("index")
        uri = (self.root / "open.cpp").as_uri()
        text = SLOW_LINE * 4000 + "int price_total;\nint x = price"
        end = {"line": 4001, "character": len("int x = price")}

        def open_in(client):
            client.open(uri, "cpp", text)
            return {"textDocument": {"uri": uri}, "position": end, "context": {"triggerKind": 1}}

        server, client = self.serve()
        place = open_in(client)
        self.crash(server, self.root / "open.cpp", lambda: client.ask("textDocument/completion", place))
        server, client = self.serve()
        client.request("textDocument/completion", open_in(client))
        client.insert(uri, end, "_")
        client.request("textDocument/completion", place)
        self.assertIn("open.cpp: its parser crashed", server.log_text())
        self.assertIn("its parser crashed", self.why("open.cpp"))


if __name__ == "__main__":
    main()
