"""What the model has read of a workspace outlives the server: started again, it reads next to nothing anew and
says the same. What is ignored, secret or not indexed is never kept."""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import lsp_client

CODE = "".join(
    f'''class Shape{i}:
    """Number {i} of the shapes that a drawing is made of."""

    def __init__(self, width, height):
        self.width = width
        self.height = height + {i}

    def area(self):
        return self.width * self.height


'''
    for i in range(30)
)
CURSOR = "self.height = height + 20\n\n    def area(self):\n        return self."


def options(**settings):
    return {"hearth": {**lsp_client.OPTIONS["hearth"], "reportAnswers": True, "memory.enable": False, **settings}}


class WarmStart(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(os.path.realpath(self.folder.name)) / "project"
        self.cache = pathlib.Path(self.folder.name) / "cache"
        self.root.mkdir()
        self.write("shapes.py", CODE)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.root / name).write_text(text)

    def life(self, name="shapes.py", edits=(), **settings):
        """A server from its start to its end: what it answered in a file, and what that cost."""
        server = lsp_client.Server(cache=str(self.cache))
        try:
            client = server.stdio()
            client.initialize(options(**settings), folder=self.root.as_uri())
            uri = (self.root / name).as_uri()
            client.open(uri, "python", (self.root / name).read_text())
            cursor = client.position_after(uri, CURSOR)
            client.notify("hearth/didFocus", {"textDocument": {"uri": uri}, "position": cursor})
            for text in edits:
                client.inline_completion(uri, cursor, trigger=2)
                client.insert(uri, cursor, text)
                cursor = client.position_after(uri, CURSOR + text)
            # The engine has read all when it goes on having nothing to do.
            idle = 0
            while idle < 20:
                time.sleep(0.02)
                idle = 0 if self.is_busy(client.request("hearth/status")["engine"]) else idle + 1
            items = client.inline_completion(uri, cursor)["items"]
            engine = client.request("hearth/status")["engine"]
            prompt = (client.said_by("hearth/answer") or [None])[-1]
            client.request("shutdown")
            client.notify("exit")
            self.assertEqual(server.wait(), 0)
            return {
                "texts": [item["insertText"] for item in items],
                "prompt": prompt["usage"]["promptTokens"],
                "prefilled": engine["prefilledTokens"],
                "woken": engine["wokenTokens"],
            }
        finally:
            server.stop()

    @staticmethod
    def is_busy(engine):
        read = engine["prefilledTokens"] + engine["wokenTokens"]
        return engine["jobsRunning"] + engine["jobsWaiting"] > 0 or read < 300

    def kept_pages(self):
        file = self.cache / "hearth" / "kv" / "kv.db"
        if not file.exists():
            return 0
        connection = sqlite3.connect(file)
        try:
            return connection.execute("SELECT count(*) FROM pages").fetchone()[0]
        finally:
            connection.close()

    def test_a_restart_prefills_next_to_nothing_and_changes_no_answer(self):
        first = self.life()
        self.assertGreater(first["prompt"], 400)
        self.assertGreaterEqual(first["prefilled"], first["prompt"])
        self.assertTrue(first["texts"])
        again = self.life()
        self.assertEqual(again["texts"], first["texts"])
        self.assertEqual(again["prompt"], first["prompt"])
        self.assertLessEqual(again["prefilled"], again["prompt"] / 10)
        self.assertGreater(again["woken"], again["prompt"] * 8 / 10)

    def test_another_build_wakes_nothing_of_what_this_one_computed(self):
        first = self.life()
        ours = pathlib.Path(lsp_client.binary())
        other = pathlib.Path(self.folder.name) / "other" / "bin" / ours.name
        other.parent.mkdir(parents=True)
        shutil.copy(ours, other)
        (other.parent.parent / "share").symlink_to(ours.parent.parent / "share")
        with unittest.mock.patch.dict(os.environ, HEARTH_BINARY=str(other)):
            again = self.life()
        self.assertEqual(again["woken"], 0)
        self.assertEqual(again["texts"], first["texts"])

    def test_nothing_is_kept_of_what_is_ignored_or_secret(self):
        self.write(".gitignore", "local.py\n")
        self.write(".hearthignore", "private.py\n")
        for name in ("local.py", "private.py", "credentials.json", ".env"):
            self.write(name, CODE)
            server = lsp_client.Server(cache=str(self.cache))
            try:
                client = server.stdio()
                client.initialize(options(), folder=self.root.as_uri())
                client.open((self.root / name).as_uri(), "python", CODE)
                client.inline_completion((self.root / name).as_uri(), {"line": 3, "character": 5})
                client.request("shutdown")
                client.notify("exit")
                self.assertEqual(server.wait(), 0)
            finally:
                server.stop()
            self.assertEqual(self.kept_pages(), 0, name)

    def test_nothing_is_kept_where_it_is_switched_off(self):
        for settings in ({"cache.kvMb": 0}, {"index.enabled": False}):
            self.life(**settings)
            self.assertEqual(self.kept_pages(), 0, settings)

    def test_forgetting_a_workspace_forgets_what_was_read_of_it(self):
        self.life()
        self.assertGreater(self.kept_pages(), 20)
        environment = {**os.environ, "HOME": self.folder.name, "XDG_CACHE_HOME": str(self.cache)}
        subprocess.run([lsp_client.binary(), "index", "--forget", str(self.root)], env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual(self.kept_pages(), 0)

    def test_a_broken_store_costs_time_and_nothing_else(self):
        first = self.life()
        file = self.cache / "hearth" / "kv" / "kv.db"
        whole = file.read_bytes()
        for broken in (whole[: len(whole) // 2], b"no database" * 1000, b""):
            file.write_bytes(broken)
            self.assertEqual(self.life()["texts"], first["texts"])
        self.assertLessEqual(self.life()["prefilled"], first["prompt"] / 10, "made anew")


if __name__ == "__main__":
    lsp_client.main()
