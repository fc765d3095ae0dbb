"""`hearth complete`, one place and in batches, with the embedded model."""

import json
import os
import subprocess
import tempfile
import unittest

from lsp_client import binary, embedded_model, main

TEXT = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return \n"
CURSOR = TEXT.rindex("\n")


def run(*arguments, stdin=None, cwd=None):
    command = [binary(), "complete", *arguments]
    return subprocess.run(command, input=stdin, cwd=cwd, capture_output=True, text=True, timeout=120)


def batch_line(identity, **changes):
    line = {"id": identity, "path": "no/such/file.py", "prefix": TEXT[:CURSOR], "suffix": TEXT[CURSOR:],
            "language": "python", "max_tokens": 16}
    line.update(changes)
    return json.dumps({key: value for key, value in line.items() if value is not None})


class OnePlace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "sums.py"), "w") as file:
            file.write(TEXT)

    def complete(self, *arguments):
        return run("sums.py:6:12", "--model", embedded_model(), *arguments, cwd=self.folder)

    def test_prints_the_completion_and_names_the_model(self):
        done = self.complete()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.strip())
        self.assertIn("hearth-code-20m", done.stderr)

    def test_prints_json_that_says_the_same(self):
        said = json.loads(self.complete("--json").stdout)
        self.assertEqual(said["completion"] + "\n", self.complete().stdout)
        self.assertGreater(said["prompt_tokens"], 10)
        self.assertGreater(said["ms"], 0)

    def test_explains_the_segments_of_the_prompt(self):
        explained = json.loads(self.complete("--json", "--explain").stdout)["explain"]
        kinds = [segment["kind"] for segment in explained["segments"]]
        self.assertEqual(kinds, ["path", "suffix", "prefix", "typed"])
        self.assertEqual(explained["segments"][0]["text"], "sums.py")
        self.assertEqual(explained["segments"][1]["text"], "\n")
        text = "".join(segment["text"] for segment in explained["segments"][2:])
        self.assertEqual(text, TEXT[:CURSOR])
        self.assertTrue(all(segment["tokens"] > 0 for segment in explained["segments"]))
        shown = self.complete("--explain").stdout
        for word in ["suffix", "cached", "prefill", "insertion"]:
            self.assertIn(word, shown)

    def test_says_why_nothing_is_shown(self):
        def explained(file, text, *arguments):
            with open(os.path.join(self.folder, file), "w") as out:
                out.write(text)
            line, column = text.count("\n") + 1, len(text.rsplit("\n", 1)[-1]) + 1
            place = f"{file}:{line}:{column}"
            done = run(place, "--model", embedded_model(), "--explain", *arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done

        unsure = explained("a.py", "qzx = wkv.")
        self.assertIn("an editor shows nothing", unsure.stdout)
        self.assertIn("(hearth.completion.minConfidence)", unsure.stdout)
        said = json.loads(explained("b.py", TEXT.rstrip("\n"), "--json").stdout)["explain"]
        self.assertEqual(said["by_hand"]["code"], "suggests")
        late = explained("c.py", TEXT * 50, "--hard-ms", "1")
        self.assertIn("nothing to suggest here: The model had nothing whole after 1 ms.", late.stderr)
        self.assertIn("insertion  none: The model had nothing whole after 1 ms.", late.stdout)

    def test_ends_at_the_tokens_asked_for(self):
        said = json.loads(self.complete("--json", "--explain", "--max-tokens", "1").stdout)
        self.assertLessEqual(said["explain"]["generated_tokens"], 6)  # the healed word's tokens do not count

    def test_says_what_is_wrong(self):
        with open(os.path.join(self.folder, "latin.py"), "wb") as file:
            file.write(b"caf\xe9\n")
        cases = {
            ("gone.py:1:1",): "gone.py",
            ("sums.py:99:1",): "no line 99",
            ("sums.py:1:99",): "no column 99",
            ("sums.py:one:1",): "LINE",
            ("sums.py",): "FILE:LINE:COL",
            (".:1:1",): "directory",
            ("latin.py:1:1",): "UTF-8",
            (): "FILE:LINE:COL",
            ("sums.py:1:1", "--model", "/no/such.gguf"): "/no/such.gguf",
            ("sums.py:1:1", "--model", "sums.py"): "sums.py",
            ("--batch", "gone.jsonl"): "gone.jsonl",
            ("sums.py:1:1", "--stop", "page"): "--stop",
            ("sums.py:1:1", "--batch", "-"): "--batch",
            ("sums.py:1:1", "--plan"): "--batch",
        }
        for arguments, part in cases.items():
            done = run(*arguments, cwd=self.folder)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(part, done.stderr, arguments)
            self.assertEqual(done.stdout, "", arguments)


class InAWorkspace(unittest.TestCase):
    """What stands in another file of the store answers, unless that is switched off or is a copy of the text."""
    ROWS = [f"register_handler('{name}', {name}_{i * 7919 % 1000}, retries={i % 7})"
            for i, name in enumerate(["alpha", "ochre", "violet", "sienna", "umber", "cobalt", "madder", "sepia"])]
    MINE = "import handlers\n\nregister_handler('sienna', \n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "shop")
        self.environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder.name, "cache")}
        os.mkdir(self.folder)
        self.write("handlers.py", "\n".join(self.ROWS) + "\n")
        self.write("mine.py", self.MINE)
        self.hearth("index", self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def hearth(self, *arguments, stdin=None):
        return subprocess.run([binary(), *arguments], input=stdin, cwd=self.folder, capture_output=True, text=True,
                              timeout=120, env=self.environment, check=True).stdout.rstrip("\n")

    def complete(self, *arguments):
        return self.hearth("complete", "mine.py:3:28", "--model", embedded_model(), *arguments)

    def batch(self, prefix, suffix, *arguments):
        line = batch_line(1, path="mine.py", prefix=prefix, suffix=suffix)
        said = self.hearth("complete", "--batch", "-", "--model", embedded_model(), *arguments, stdin=line + "\n")
        return json.loads(said)["completion"]

    def test_the_store_s_files_are_remembered(self):
        rest = self.ROWS[3].removeprefix("register_handler('sienna', ")
        self.assertEqual(self.complete(), rest)
        self.assertNotEqual(self.complete("--memory", "off"), rest)
        self.assertNotEqual(self.complete("--index", "off"), rest)
        cursor = len(self.MINE) - 1
        self.assertEqual(self.batch(self.MINE[:cursor], "\n"), rest)
        self.assertNotEqual(self.batch(self.MINE[:cursor], "\n", "--memory", "off"), rest)

    def test_a_plan_is_the_prompt_with_what_the_workspace_says(self):
        self.write("handlers.py", "def register_handler(name, key, retries):\n    return name, key, retries\n")
        self.hearth("index", self.folder)
        cursor = len(self.MINE) - 1
        line = batch_line(7, path="mine.py", prefix=self.MINE[:cursor], suffix="\n")
        said = self.hearth("complete", "--batch", "-", "--plan", "--related-tokens", "200", "--model", embedded_model(),
                           stdin=line + "\n")
        answer = json.loads(said)
        self.assertEqual(answer["id"], 7)
        kinds = [segment["kind"] for segment in answer["segments"]]
        self.assertEqual([kind for kind in kinds if kind != "prefix"], ["manifests", "related", "path", "suffix", "typed"])
        text = {kind: "".join(s["text"] for s in answer["segments"] if s["kind"] == kind) for kind in kinds}
        self.assertEqual(text["related"].splitlines()[0], "handlers.py")
        self.assertIn("register_handler(name, key, retries)", text["related"])
        self.assertEqual(text["path"], "mine.py")
        self.assertEqual(text.get("prefix", "") + text["typed"], self.MINE[:cursor])

    def test_a_batch_is_not_answered_from_a_copy_of_its_text(self):
        text = "\n".join(self.ROWS)
        cursor = text.index(self.ROWS[3]) + len("register_handler('sienna', ")
        after = text[text.index("\n", cursor):]
        self.assertNotEqual(self.batch(text[:cursor], after), self.ROWS[3].removeprefix("register_handler('sienna', "))


class Batch(unittest.TestCase):
    def batch(self, *lines, arguments=()):
        done = run("--batch", "-", "--model", embedded_model(), *arguments, stdin="\n".join(lines) + "\n")
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    def test_answers_in_order_and_says_what_it_cost(self):
        done, answers = self.batch(batch_line("a"), batch_line(2), batch_line("c", prefix="import ", suffix="\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([answer["id"] for answer in answers], ["a", 2, "c"])
        for answer in answers:
            self.assertEqual(set(answer), {"id", "completion", "ms", "prompt_tokens", "cached_tokens"})
        self.assertEqual(answers[0]["completion"], answers[1]["completion"])
        self.assertLess(answers[0]["cached_tokens"], answers[1]["cached_tokens"])

    def test_goes_on_after_a_bad_line(self):
        done, answers = self.batch(batch_line("a"), "{", "", batch_line("b", prefix=None), "7", batch_line("c"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual([answer["id"] for answer in answers], ["a", None, "b", None, "c"])
        self.assertIn("line 2", answers[1]["error"])
        self.assertIn("line 4", answers[2]["error"])
        self.assertIn('"prefix"', answers[2]["error"])
        self.assertIn("line 5", answers[3]["error"])
        self.assertEqual(answers[0]["completion"], answers[4]["completion"])

    def test_answers_each_line_before_the_next_comes(self):
        process = subprocess.Popen([binary(), "complete", "--batch", "-", "--model", embedded_model()], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for identity in ["first", "second"]:
            process.stdin.write(batch_line(identity) + "\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["id"], identity)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()

    def test_completes_as_a_file_does(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sums.py"), "w") as file:
                file.write(TEXT)
            one = run("sums.py:6:12", "--json", "--model", embedded_model(), "--max-tokens", "16", cwd=folder)
        _, answers = self.batch(batch_line("a", path="sums.py"))
        self.assertEqual(json.loads(one.stdout)["completion"], answers[0]["completion"])

    def test_gives_one_line_or_a_block_as_asked(self):
        prefix = "class Stack:\n    def push(self, item):\n        "
        line = batch_line("a", prefix=prefix, suffix="\n", max_tokens=48)
        _, one_line = self.batch(line, arguments=["--stop", "line"])
        self.assertNotIn("\n", one_line[0]["completion"])
        done, block = self.batch(line, arguments=["--stop", "block"])
        self.assertEqual(done.returncode, 0)
        for row in block[0]["completion"].split("\n")[1:]:
            self.assertTrue(row == "" or row.startswith(" " * 8), row)


if __name__ == "__main__":
    main()
