"""`hearth stats` after a session with the real server: what was shown and accepted is in the workspace's store."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import lsp_client


class StatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.workspace = pathlib.Path(self.folder.name).resolve() / "project"
        self.workspace.mkdir()
        os.environ["XDG_CACHE_HOME"] = self.folder.name + "/cache"
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")

    def stats(self, *arguments):
        command = [lsp_client.binary(), "stats", str(self.workspace), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def accept_one(self):
        server = lsp_client.Server(cache=os.environ["XDG_CACHE_HOME"])
        self.addCleanup(server.stop)
        client = server.stdio()
        uri = self.workspace.as_uri() + "/shapes.py"
        client.initialize(folder=self.workspace.as_uri())
        client.open(uri, "python", lsp_client.SAMPLE)
        position = client.position_after(uri, lsp_client.BEFORE_CURSOR)
        item = client.inline_completion(uri, position)["items"][0]
        client.edit(uri, item["range"], item["insertText"])
        client.request("workspace/executeCommand", item["command"])
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(server.wait(), 0)
        return item["insertText"]

    def test_a_session_is_counted(self):
        self.assertIn("nothing was suggested", self.stats())
        text = self.accept_one() + self.accept_one()
        counted = json.loads(self.stats("--json"))
        self.assertEqual([row["language"] for row in counted["languages"]], ["python"])
        for row in (counted["languages"][0], counted["all"]):
            self.assertEqual((row["shown"], row["accepted"]), (2, 2))
            self.assertEqual(row["characters_saved"], len(text))
            self.assertEqual(row["answers"], 2)
            self.assertGreater(row["p50_ms"], 0)
            self.assertLessEqual(row["p50_ms"], row["p95_ms"])
        self.assertRegex(self.stats(), r"python +2 +2 ")
        stored = next(pathlib.Path(self.folder.name, "cache").rglob("*.db"))
        self.assertNotIn(text[:8].encode(), stored.read_bytes())


if __name__ == "__main__":
    lsp_client.main()
