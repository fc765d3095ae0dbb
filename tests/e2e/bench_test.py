#!/usr/bin/env python3
"""hearth bench: the JSON of each subcommand has its keys and makes sense. Nothing here asserts a time."""
import json
import os
import pathlib
import subprocess
import unittest

HEARTH = os.environ["HEARTH_BINARY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "lsp" / "settings.cpp"
SPEED_KEYS = {"model", "threads", "depth", "tokens", "tokens_per_s", "ms_per_token", "cpu", "isa", "runs", "spread"}
TYPING_KEYS = {"model", "cpu", "isa", "keystrokes", "engine_answers", "typed_through", "empty", "tokens_per_answer",
               "p50_ms", "p95_ms", "ttft_p50_ms", "reprefill_median", "reprefill_p95", "draft_acceptance",
               "chars_saved_share", "start_to_first_ms"}


def bench(*arguments, code=0):
    run = subprocess.run([HEARTH, "bench", *map(str, arguments)], capture_output=True, text=True, timeout=250)
    assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run


def figures(*arguments):
    return json.loads(bench(*arguments, "--model", "hearth-code-20m", "--threads", 2, "--json").stdout)


class Bench(unittest.TestCase):
    def test_decode_and_prefill(self):
        for command in ("decode", "prefill"):
            row = figures(command, "--depth", 40, "--tokens", 12, "--runs", 2)
            self.assertEqual(set(row), SPEED_KEYS)
            self.assertEqual((row["depth"], row["tokens"], row["runs"], row["threads"]), (40, 12, 2, 2))
            self.assertAlmostEqual(row["tokens_per_s"] * row["ms_per_token"], 1000, delta=1)

    def test_more_tokens_than_the_context_has(self):
        run = bench("decode", "--model", "hearth-code-20m", "--depth", 5000, code=1)
        self.assertIn("1024", run.stderr)

    def test_typing(self):
        row = figures("typing", "--source", SOURCE, "--keys", 60, "--passages", 2)
        self.assertLessEqual(TYPING_KEYS, set(row))
        self.assertEqual(row["keystrokes"], 60)
        self.assertEqual(row["tokens_per_answer"] >= 16, True)  # those that heal the cursor's word come on top
        self.assertEqual(row["engine_answers"] + row["typed_through"], 60)
        self.assertLessEqual(row["reprefill_median"], 3)

    def test_a_written_trace_plays_as_the_generated_one(self):
        trace = pathlib.Path(os.environ["HEARTH_BUILD_DIR"]) / "bench_test.trace"
        bench("typing", "--source", SOURCE, "--keys", 30, "--write-trace", trace)
        counts = ("keystrokes", "engine_answers", "typed_through", "empty", "chars_saved_share")
        played = figures("typing", "--trace", trace)
        generated = figures("typing", "--source", SOURCE, "--keys", 30)
        self.assertEqual([played[c] for c in counts], [generated[c] for c in counts])

    def test_a_broken_trace_names_its_line(self):
        trace = pathlib.Path(os.environ["HEARTH_BUILD_DIR"]) / "broken.trace"
        trace.write_text('{"path":"a.py","language":"python","text":"x"}\n{"key":"dance","text":"","ahead":"","cursor":0}\n')
        run = subprocess.run([HEARTH, "bench", "typing", "--trace", trace], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("line 2", run.stderr)

    def test_cancel(self):
        row = figures("cancel")
        self.assertLessEqual({"p50_ms", "p95_ms"}, set(row))
        self.assertGreater(row["cancels"], 10)


if __name__ == "__main__":
    unittest.main()
