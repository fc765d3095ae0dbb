#!/usr/bin/env python3
"""hearth bench quality on the small projects beside this file, and on one where copying must be right."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HEARTH = os.environ["HEARTH_BINARY"]
PROJECTS = pathlib.Path(__file__).resolve().parent / "quality_projects"
SCORE_KEYS = {"lines", "exact_match", "edit_similarity", "chars_saved_share", "first_identifier", "cross_file"}


def quality(*arguments, code=0):
    run = subprocess.run([HEARTH, "bench", "quality", "--model", "hearth-code-20m", "--threads", "2",
                          *map(str, arguments)], capture_output=True, text=True, timeout=250)
    assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run


def figures(*arguments):
    return json.loads(quality("--json", *arguments).stdout)


class BenchQuality(unittest.TestCase):
    def test_the_small_projects(self):
        with tempfile.TemporaryDirectory() as folder:
            places = pathlib.Path(folder) / "places.jsonl"
            out = figures("--projects", PROJECTS, "--lines", 24, "--blocks", 1, "--places", places)
            lines = [json.loads(line) for line in places.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(lines), 24)
        self.assertEqual(SCORE_KEYS, set(out["without"]))
        for name, row in out["rows"].items():
            self.assertEqual(SCORE_KEYS | {"ci95", "blocks"}, set(row), name)
            self.assertEqual(row["lines"], 24)
            self.assertLessEqual(row["ci95"][0], row["exact_match"])
            self.assertGreaterEqual(row["ci95"][1], row["exact_match"])
            right = [line["answers"][name]["text"].rstrip() == line["truth"].rstrip() for line in lines]
            self.assertAlmostEqual(row["exact_match"], sum(right) / 24, places=9, msg=name)
        self.assertEqual({"copy", "model", "memory"}, set(out["rows"]))
        self.assertGreaterEqual(out["shown"]["share"], out["shown"]["right"] * out["shown"]["share"])
        self.assertGreater(out["rows"]["model"]["cross_file"]["lines"], 0)
        for line in lines:
            text = (PROJECTS / line["project"] / line["path"]).read_text(encoding="utf-8")
            self.assertTrue(text.encode()[line["offset"]:].decode().startswith(line["truth"]))
        uses_others = {line["truth"] for line in lines if line["cross_file"]}
        self.assertTrue(uses_others)

    def test_the_seed_decides_the_places(self):
        def places(seed):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "places.jsonl"
                quality("--projects", PROJECTS, "--lines", 5, "--seed", seed, "--places", out)
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
            half = figures("--projects", folder, "--lines", 16)["rows"]["copy"]["exact_match"]
            (project / "b.py").write_text("\n".join(body[:29]) + "\n")  # all of it stands in a.py, too
            none = figures("--projects", folder, "--lines", 16)["rows"]["copy"]["exact_match"]
        self.assertGreater(half, none)

    def test_without_the_memory_there_is_no_row_of_it(self):
        rows = figures("--projects", PROJECTS, "--lines", 5, "--memory", "off")["rows"]
        self.assertEqual({"copy", "model"}, set(rows))

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
