"""`hearth index`, `search`, `doctor FILE` and `complete` in an indexed workspace, with the embedded model."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from lsp_client import PATIENCE, Server, binary, embedded_model, main

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests>=2.31"]\n',
    "shop/__init__.py": "",
    "shop/prices.py": "import requests\n\n\ndef price_of(item, currency):\n    \"\"\"What it costs.\"\"\"\n"
                      "    return requests.get(item)\n",
    "main.py": "from shop.prices import price_of\n\n\ndef total(items):\n    return sum(price_of(\n",
    ".env": "TOKEN=1\n",
    "notes.txt": "plain\n",
}


class Workspace(unittest.TestCase):
    def setUp(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        self.root = (folder / "home" / "shop").resolve()
        self.environment = dict(os.environ, HOME=str(folder / "home"), XDG_CACHE_HOME=str(folder / "cache"))
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_hearth(self, *arguments, code=0, **options):
        done = subprocess.run([binary(), *arguments], cwd=self.root, env=self.environment, capture_output=True,
                              text=True, timeout=PATIENCE, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json_lines(self, *arguments, code=0):
        return [json.loads(line) for line in self.run_hearth(*arguments, code=code).stdout.splitlines()]

    def start(self, *arguments):
        process = subprocess.Popen([binary(), *arguments], cwd=self.root, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def watch(self):
        return self.start("index", "--watch", "--json")

    def next_event(self, process, name):
        while True:
            event = json.loads(process.stdout.readline())
            if event["event"] == name:
                return event

    def complete(self, *arguments):
        done = self.run_hearth("complete", "main.py:5:25", "--json", "--explain", *arguments)
        return json.loads(done.stdout)["explain"]["segments"], done.stderr


class Index(Workspace):
    def test_reads_a_workspace_and_then_only_what_changed(self):
        done = self.json_lines("index", "--json")[-1]
        self.assertEqual((done["files"], done["left_out"], done["analysed"]), (5, 1, 5))
        self.write("main.py", "x = 1\n")
        self.assertEqual(self.json_lines("index", "--json")[-1]["analysed"], 1)

    def test_checks_the_store_against_the_disk(self):
        self.run_hearth("index", "--check", code=1)  # there is none
        self.run_hearth("index")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)
        self.write("main.py", "x = 1\n")
        faults = self.json_lines("index", "--check", "--json", code=1)
        self.assertEqual(faults[0], {"event": "fault", "path": "main.py", "what": "changed since it was indexed"})
        self.assertEqual(faults[-1], {"event": "checked", "files": 6, "faults": 1})

    def test_follows_changes_until_it_is_stopped(self):
        process = self.watch()
        self.next_event(process, "watching")
        self.write("shop/new.py", "def brand_new():\n    pass\n")
        self.assertEqual(self.next_event(process, "done")["files"], 6)
        self.write("shop/deep/er/more.py", "")
        self.assertEqual(self.next_event(process, "done")["files"], 7)
        self.assertEqual(self.json_lines("search", "brand new", "--json")[0]["path"], "shop/new.py")
        busy = self.run_hearth("index", code=1)
        self.assertIn("process", busy.stderr)
        process.terminate()
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        self.run_hearth("index")

    def test_measures_itself_beside_the_parser(self):
        figures = self.json_lines("index", "--bench", "--json")[0]
        self.assertEqual(figures["files"], 5)
        self.assertGreater(figures["ratio"], 0)
        self.run_hearth("index", "--check", code=1)  # it left no store behind

    def test_refuses_the_home_folder_and_what_is_not_there(self):
        for folder in [self.environment["HOME"], "/", "no/such/folder"]:
            self.assertIn(folder, self.run_hearth("index", folder, code=1).stderr)


class Search(Workspace):
    def test_finds_symbols_by_their_words(self):
        self.run_hearth("search", "price", code=1)
        self.run_hearth("index")
        first = self.json_lines("search", "priceOf", "--json")[0]
        self.assertEqual(first["path"], "shop/prices.py")
        self.assertEqual(first["symbols"][0]["line"], 4)
        self.assertIn("def price_of", self.run_hearth("search", "price of").stdout)


class Doctor(Workspace):
    def test_says_why_a_file_is_not_indexed(self):
        why = lambda name: json.loads(self.run_hearth("doctor", name, "--json").stdout)
        self.assertEqual(why("main.py")["state"], "not indexed")
        self.run_hearth("index")
        self.assertEqual(why(".env")["why"], "may hold secrets")
        self.assertIn("no such file", why("shop/none.py")["why"])
        self.write("late.py", "")
        self.assertIn("hearth index", why("late.py")["why"])

    def test_shows_a_summary_and_what_the_file_leans_on(self):
        self.run_hearth("index")
        main_file = json.loads(self.run_hearth("doctor", "main.py", "--json").stdout)
        self.assertEqual([file["path"] for file in main_file["leans_on"]], ["shop/prices.py"])
        prices = json.loads(self.run_hearth("doctor", "shop/prices.py", "--json").stdout)
        self.assertEqual(prices["summary"], "import requests  # >=2.31\n"
                                            "def price_of(item, currency):  # What it costs.\n")
        self.assertEqual(prices["imported_by"], ["main.py"])


class Complete(Workspace):
    def test_says_nothing_of_a_workspace_without_a_store(self):
        segments, _ = self.complete("--model", embedded_model())
        self.assertNotIn("manifests", [segment["kind"] for segment in segments])

    def test_says_what_the_place_leans_on_where_there_are_tokens_for_it(self):
        self.run_hearth("index")
        model = ("--model", embedded_model())
        segments, _ = self.complete(*model, "--related-tokens", "300")
        self.assertEqual([segment["kind"] for segment in segments[:3]], ["manifests", "related", "path"])
        self.assertEqual(segments[0]["text"], "shop\nlanguages: python, toml\npypi: requests >=2.31\n")
        self.assertEqual(segments[1]["text"], "shop/prices.py\nimport requests  # >=2.31\n"
                                              "def price_of(item, currency):  # What it costs.\n")
        self.assertTrue(all(segment["taken"] for segment in segments))
        for nothing in [("--related-tokens", "300", "--index", "off"), ("--related-tokens", "0"), ()]:
            self.assertEqual(self.complete(*model, *nothing)[0][0]["kind"], "path")

    def test_takes_nothing_from_the_file_nor_from_its_copies_in_a_batch(self):
        self.write("copy.py", FILES["shop/prices.py"])
        self.run_hearth("index")
        text = "from shop.prices import price_of\nfrom copy import price_of\n" + FILES["shop/prices.py"]
        line = json.dumps({"id": 1, "path": "main.py", "prefix": text, "suffix": "\n", "max_tokens": 1})
        said = {}
        for tokens in ["0", "300"]:
            done = self.run_hearth("complete", "--batch", "-", "--model", embedded_model(), "--workspace", ".",
                                   "--related-tokens", tokens, input=line)
            said[tokens] = json.loads(done.stdout)["prompt_tokens"]
        # Only the manifests could be said: both files say what the text says.
        self.assertLess(said["300"] - said["0"], 60)

    def test_does_not_complete_secrets(self):
        done = self.run_hearth("complete", ".env:1:7", "--model", embedded_model(), code=1)
        self.assertIn(".env", done.stderr)

    def test_indexes_a_workspace_that_was_named(self):
        done = self.run_hearth("complete", "main.py:5:25", "--model", embedded_model(), "--workspace", ".")
        self.assertIn("not indexed yet", done.stderr)
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)


class LanguageServer(Workspace):
    def test_indexes_the_folder_that_is_open_and_lets_go_of_it(self):
        server = Server(cache=self.environment["XDG_CACHE_HOME"])
        self.addCleanup(server.stop)
        client = server.stdio()
        client.initialize(folder=self.root.as_uri())
        while [root["state"] for root in client.request("hearth/status")["index"]] != ["indexed"]:
            client.request("hearth/status")
        self.assertIn("0 differ", self.run_hearth("index", "--check").stdout)
        self.assertIn("process", self.run_hearth("index", code=1).stderr)
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(server.wait(), 0)
        self.run_hearth("index")


if __name__ == "__main__":
    main()
