#!/usr/bin/env python3
"""hearth bench: the JSON of each subcommand has its keys and makes sense. Nothing here asserts a time."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

HEARTH = os.environ["HEARTH_BINARY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "lsp" / "settings.cpp"
TRACES = pathlib.Path(__file__).resolve().parent / "traces"
DRAFT_KEYS = {"model", "answers", "tokens", "drafted", "accepted", "tokens_per_block", "decode_ms",
              "decode_ms_without", "gain"}
SPEED_KEYS = {"model", "threads", "depth", "tokens", "tokens_per_s", "ms_per_token", "cpu", "isa", "runs", "spread"}
MEMORY_KEYS = {"documents", "tokens", "text_bytes", "bytes_per_token", "tokens_per_s", "edit_p50_ms", "edit_p95_ms",
               "find_p50_ms", "find_p95_ms"}
TYPING_KEYS = {"model", "cpu", "isa", "keystrokes", "engine_answers", "typed_through", "empty", "tokens_per_answer",
               "p50_ms", "p95_ms", "ttft_p50_ms", "reprefill_median", "reprefill_p95", "draft_acceptance",
               "chars_saved_share", "start_to_first_ms"}


def bench(*arguments, code=0):
    run = subprocess.run([HEARTH, "bench", *map(str, arguments)], capture_output=True, text=True, timeout=250)
    assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run


def figures(*arguments, threads=("--threads", 2)):
    return json.loads(bench(*arguments, "--model", "hearth-code-20m", *threads, "--json").stdout)


class Bench(unittest.TestCase):
    def test_decode_and_prefill(self):
        for command in ("decode", "prefill"):
            row = figures(command, "--depth", 40, "--tokens", 12, "--runs", 2)
            self.assertEqual(set(row), SPEED_KEYS)
            self.assertEqual((row["depth"], row["tokens"], row["runs"], row["threads"]), (40, 12, 2, 2))
            self.assertAlmostEqual(row["tokens_per_s"] * row["ms_per_token"], 1000, delta=1)

    def test_a_step_of_drafts_beside_one_row(self):
        row = figures("decode", "--depth", 40, "--tokens", 12, "--runs", 2, "--block", 4)
        self.assertEqual(set(row), SPEED_KEYS | {"block", "one_row_ms", "block_ms", "block_ratio"})
        self.assertAlmostEqual(row["block_ratio"], row["block_ms"] / row["one_row_ms"], places=6)
        self.assertEqual(figures("prefill", "--tokens", 20, "--runs", 1, "--block", 7)["block"], 7)
        run = bench("decode", "--model", "hearth-code-20m", "--tokens", 3, "--block", 4, code=1)
        self.assertIn("--block 4", run.stderr)

    def test_a_foreign_load_beside(self):
        for command in ("decode", "prefill"):
            row = figures(command, "--tokens", 12, "--runs", 1, "--foreign-load", 1)
            self.assertEqual(set(row), SPEED_KEYS | {"foreign_load", "loaded_tokens_per_s", "loaded_share"})
            self.assertAlmostEqual(row["loaded_share"], row["loaded_tokens_per_s"] / row["tokens_per_s"], places=6)

    def test_what_it_costs_to_remember(self):
        folder = pathlib.Path(__file__).parent / "quality_projects" / "tides"
        row = figures("memory", folder, threads=())
        self.assertEqual(set(row), MEMORY_KEYS)
        self.assertEqual(row["documents"], sum(path.is_file() for path in folder.rglob("*")))
        self.assertGreater(row["bytes_per_token"], 10)
        run = bench("memory", "--model", "hearth-code-20m", folder / "none", code=105)
        self.assertIn("none", run.stderr)

    def test_drafts_save_blocks_where_code_repeats_itself_and_change_nothing(self):
        rows = {}
        for trace in ("repeats", "plain"):
            rows[trace] = figures("drafts", "--trace", TRACES / f"{trace}.jsonl", "--tokens", 16)
            self.assertEqual(set(rows[trace]), DRAFT_KEYS)
            self.assertLessEqual(rows[trace]["accepted"], rows[trace]["drafted"])
        self.assertGreater(rows["repeats"]["tokens_per_block"], 1.5)
        self.assertGreater(rows["repeats"]["tokens_per_block"], rows["plain"]["tokens_per_block"])

    def test_the_first_keys_in_files_of_a_workspace_cold_and_after_a_restart(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as empty:
            for name in ("first", "second"):
                lines = [f"def {name}_{i}(value, other):\n    return value * {i} + other\n" for i in range(150)]
                pathlib.Path(folder, f"{name}.py").write_text("\n".join(lines))
            row = figures("start", folder, "--files", 2)
            self.assertIn("no indexed file", bench("start", empty, "--model", "hearth-code-20m", code=1).stderr)
        self.assertEqual(set(row), {"model", "cpu", "isa", "threads", "files", "cold", "restarted", "same_answers"})
        self.assertEqual(row["files"], 2)
        for start in ("cold", "restarted"):
            for key in ("first", "second"):
                self.assertLessEqual(row[start][key]["engine_answers"], 2)
                self.assertLessEqual(row[start][key]["p50_ms"], row[start][key]["p95_ms"])
        self.assertGreaterEqual(row["cold"]["prefilled_share"], 1)
        self.assertLess(row["restarted"]["prefilled_share"], row["cold"]["prefilled_share"])

    def test_kernels_stand_beside_the_machines_limits(self):
        row = json.loads(bench("kernels", "--threads", 1, "--json").stdout)
        self.assertEqual(row["threads"], 1)
        limits = [k for k in row["kernels"] if "share" not in k]
        held = [k for k in row["kernels"] if "share" in k]
        self.assertEqual({k["unit"] for k in limits}, {"GB/s", "GOP/s"})
        self.assertIn("Q8_0 x 1 rows", [k["kernel"] for k in held])
        for k in held:
            self.assertAlmostEqual(k["share"], k["achieved"] / k["ceiling"], places=6)

    def compared(self, *arguments, say, code=0):
        """`bench compare` against a program that prints `say` as llama-bench would."""
        with tempfile.TemporaryDirectory() as folder:
            rival = pathlib.Path(folder) / "llama-bench"
            rival.write_text(f"#!/bin/sh\necho loading >&2\necho \"$@\" >> {folder}/calls\n{say}\n")
            rival.chmod(0o755)
            run = bench("compare", "--llama-bench", rival, "--model", "hearth-code-20m", "--threads", 2, *arguments,
                        code=code)
            return run, (pathlib.Path(folder) / "calls").read_text().splitlines()

    def test_compare_takes_the_better_of_their_kernels_and_draws(self):
        plot = pathlib.Path(os.environ["HEARTH_BUILD_DIR"]) / "compare.svg"
        say = """case "$*" in *"-fa 1"*) echo '{"avg_ts": 200.5}';; *) echo '{"avg_ts": 100}';; esac"""
        run, calls = self.compared("--prompts", "32", "--depths", "0,64,9000", "--tokens", 8, "--rounds", 2, "--json",
                                   "--svg", plot, say=say)
        rows = json.loads(run.stdout)
        self.assertEqual([r["test"] for r in rows], ["pp32", "tg8", "tg8 @ d64"])  # 9,000 do not fit the context
        for r in rows:
            self.assertEqual(set(r), {"model", "test", "ours", "theirs", "ratio", "ratio_min", "ratio_max"})
            self.assertEqual(r["theirs"], 200.5)
            self.assertLessEqual(r["ratio_min"], r["ratio"])
            self.assertLessEqual(r["ratio"], r["ratio_max"])
        self.assertEqual(len(calls), 3 * 3)  # both kernels in the first round, the better one in the second
        self.assertIn("-t 2 -p 0 -n 8 -d 64", calls[-1])
        drawn = xml.etree.ElementTree.parse(plot).getroot()
        self.assertEqual(len([e for e in drawn.iter() if e.tag.endswith("circle")]), 4)

    def test_compare_quotes_a_rival_that_fails(self):
        run, _ = self.compared("--prompts", "0", "--depths", "0", say="echo out of memory >&2; exit 3", code=1)
        self.assertIn("out of memory", run.stderr)
        self.assertIn("exit code 3", run.stderr)

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
