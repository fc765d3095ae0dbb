"""The VS Code extension without VS Code: its types hold, its settings are the server's, and its pure parts do what
their tests, in unit/, say."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import harness

UNIT = pathlib.Path(__file__).resolve().parent / "unit"
EXTENSION = harness.EXTENSION / "vscode"
MODULES = EXTENSION / "node_modules"


def test(trial):
    node = trial.require("node")
    if not MODULES.is_dir():
        raise harness.Skip("the extension's packages are not installed: npm ci --prefix extension/vscode")
    trial.run("types", [node, MODULES / "typescript/bin/tsc", "--project", EXTENSION], harness.TIMEOUT_S)
    trial.run("settings", [node, EXTENSION / "scripts/configuration.mjs"], harness.TIMEOUT_S)
    tests = sorted(UNIT.glob("*.test.ts"))
    bundle = [node, MODULES / "esbuild/bin/esbuild", *tests, "--bundle", "--platform=node", f"--outdir={trial.work}"]
    trial.run("bundle", bundle, harness.TIMEOUT_S)
    bundles = [trial.work / path.with_suffix(".js").name for path in tests]
    trial.run("node", [node, "--test", *bundles], harness.TIMEOUT_S, HEARTH_SOURCE_DIR=harness.EXTENSION.parent)


harness.main(test)
