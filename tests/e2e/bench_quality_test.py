#!/usr/bin/env python3
"""hearth bench quality on the small projects beside this file, and on one where copying must be right."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HEARTH = os.environ["HEARTH_BINARY"]
PROJECTS = pathlib.Path(__file__).resolve().parent / "quality_projects"
SETTINGS = PROJECTS.parents[2] / "extension" / "SETTINGS.md"
SCORE_KEYS = {"lines", "exact_match", "edit_similarity", "chars_saved_share", "first_identifier", "cross_file"}


STORES = tempfile.TemporaryDirectory()


def quality(*arguments, code=0, cwd=None):
    environment = {**os.environ, "XDG_CACHE_HOME": STORES.name}
    run = subprocess.run([HEARTH, "bench", "quality", "--model", "hearth-code-20m", "--threads", "2",
                          *map(str, arguments)], capture_output=True, text=True, timeout=250, cwd=cwd,
                         env=environment)
    assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run


def figures(*arguments, cwd=None):
    return json.loads(quality("--json", *arguments, cwd=cwd).stdout)


def least_confidence():
    row = re.search(r"completion\.minConfidence` \| [^|]* \| `(\d+)`", SETTINGS.read_text(encoding="utf-8"))
    return int(row[1]) / 100


class BenchRanking(unittest.TestCase):
    def test_tells_what_each_signal_is_worth(self):
        environment = {**os.environ, "XDG_CACHE_HOME": STORES.name}
        run = subprocess.run([HEARTH, "bench", "ranking", "--projects", PROJECTS, "--lines", "200", "--json"],
                             capture_output=True, text=True, timeout=250, env=environment, check=True)
        out = json.loads(run.stdout)
        found = {row["without"]: row["recall_at_1"] for row in out["rows"]}
        self.assertGreater(out["lines"], 10)
        self.assertEqual(len(found), 6)
        self.assertGreater(found["none"], 0.5)
        self.assertLess(found["definitions of names at the cursor"], found["none"])


class BenchInsertions(unittest.TestCase):
    def test_right_answers_stand(self):
        run = subprocess.run([HEARTH, "bench", "insertions", "--projects", PROJECTS, "--lines", "200", "--json"],
                             capture_output=True, text=True, timeout=250, check=True)
        out = json.loads(run.stdout)
        self.assertEqual(sum(row["lines"] for row in out.values()), 200)
        self.assertGreater(len(out), 2)
        for language, row in out.items():
            self.assertGreaterEqual(row["stand"], 0.97, language)


class BenchQuality(unittest.TestCase):
    def test_the_small_projects(self):
        with tempfile.TemporaryDirectory() as folder:
            places = pathlib.Path(folder) / "places.jsonl"
            out = figures("--projects", PROJECTS, "--lines", 24, "--blocks", 1, "--places", places)
            lines = [json.loads(line) for line in places.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(lines), 24)
        self.assertEqual(SCORE_KEYS, set(out["without"]))
        self.assertEqual(SCORE_KEYS, set(out["with_workspace"]))
        self.assertEqual(out["with_workspace"]["exact_match"], out["rows"]["all"]["exact_match"])
        self.assertEqual(out["without"]["exact_match"], out["rows"]["model"]["exact_match"])
        for name, row in out["rows"].items():
            self.assertEqual(SCORE_KEYS | {"ci95", "blocks"}, set(row), name)
            self.assertEqual(row["lines"], 24)
            self.assertLessEqual(row["ci95"][0], row["exact_match"])
            self.assertGreaterEqual(row["ci95"][1], row["exact_match"])
            right = [line["answers"][name]["text"].rstrip() == line["truth"].rstrip() for line in lines]
            self.assertAlmostEqual(row["exact_match"], sum(right) / 24, places=9, msg=name)
        self.assertEqual({"copy", "model", "workspace", "memory", "all"}, set(out["rows"]))
        shown = [line for line in lines if line["answers"]["all"]["text"]
                 and line["answers"]["all"]["confidence"] >= least_confidence()]
        right = [line for line in shown if line["answers"]["all"]["text"].rstrip() == line["truth"].rstrip()]
        self.assertAlmostEqual(out["shown"]["share"], len(shown) / 24)
        self.assertAlmostEqual(out["shown"]["right"], len(right) / max(len(shown), 1))
        self.assert_recall_is_what_was_planned(out, [line for line in lines if line["definers"]])
        self.assertGreater(out["rows"]["model"]["cross_file"]["lines"], 0)
        for line in lines:
            text = (PROJECTS / line["project"] / line["path"]).read_text(encoding="utf-8")
            self.assertTrue(text.encode()[line["offset"]:].decode().startswith(line["truth"]))
        uses_others = {line["truth"] for line in lines if line["cross_file"]}
        self.assertTrue(uses_others)

    def assert_recall_is_what_was_planned(self, out, lines):
        def recall(first):
            return sum(sum(bool(set(names) & set(line["planned"][:first])) for names in line["definers"])
                       / len(line["definers"]) for line in lines) / len(lines)
        self.assertAlmostEqual(out["recall_at_1"], recall(1))
        self.assertAlmostEqual(out["recall_at_5"], recall(5))
        self.assertGreater(out["recall_at_5"], 0)

    def test_one_workspace_named_or_stood_in(self):
        named = figures("--workspace", PROJECTS / "ledger", "--lines", 4, "--memory", "off")
        stood_in = figures("--lines", 4, "--memory", "off", cwd=PROJECTS / "ledger" / "src")
        self.assertEqual(named["rows"], stood_in["rows"])
        self.assertIn("--projects", quality("--projects", PROJECTS, "--workspace", PROJECTS, code=108).stderr)

    def test_the_seed_decides_the_places(self):
        def places(seed):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "places.jsonl"
                quality("--projects", PROJECTS, "--lines", 5, "--seed", seed, "--index", "off", "--places", out)
                return out.read_text(encoding="utf-8")
        self.assertEqual(places(7), places(7))
        self.assertNotEqual(places(7), places(8))

    def test_copying_is_right_where_lines_repeat_and_never_from_a_copy_of_the_file(self):
        body = [f"value_{i} = measure_{i}(left_{i}, right_{i})" for i in range(30)]
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "twice"
            project.mkdir()
            (project / "a.py").write_text("\n".join(body + [f"other_{i} = {i}" for i in range(30)]) + "\n")
            (project / "b.py").write_text("\n".join(body + [f"third_{i} = {i} * 2" for i in range(30)]) + "\n")
            half = figures("--projects", folder, "--lines", 16, "--index", "off")["rows"]["copy"]["exact_match"]
            (project / "b.py").write_text("\n".join(body[:29]) + "\n")  # all of it stands in a.py, too
            none = figures("--projects", folder, "--lines", 16, "--index", "off")["rows"]["copy"]["exact_match"]
        self.assertGreater(half, none)

    def test_without_memory_and_index_all_is_the_model(self):
        out = figures("--projects", PROJECTS, "--lines", 5, "--memory", "off", "--index", "off")
        self.assertEqual({"copy", "model", "all"}, set(out["rows"]))
        self.assertEqual(out["rows"]["model"], out["rows"]["all"])
        self.assertIsNone(out["recall_at_5"])

    def test_the_memory_never_answers_from_the_file_nor_from_a_copy_of_it(self):
        unique = [f"name_{i * 7919 % 1000} = value_{i * 104729 % 1000}({i})" for i in range(60)]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "project").mkdir()
            for name in ("a.py", "b.py", "c.py"):
                (pathlib.Path(folder) / "project" / name).write_text("\n".join(unique) + "\n")
            rows = figures("--projects", folder, "--lines", 12)["rows"]
        self.assertLess(rows["memory"]["exact_match"], 0.5)

    def test_a_folder_without_projects(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn(folder, quality("--projects", folder, code=1).stderr)
            self.assertIn("missing", quality("--projects", pathlib.Path(folder) / "missing", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
