"""A typed client: TypeScript, checked against vscode-languageserver-protocol's types and compiled,
accepts a completion and an inline completion of every case and shuts the server down."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases
import harness

FOLDER = pathlib.Path(__file__).resolve().parent
MODULES = FOLDER / "node_modules"
METHODS = {
    "completion": "textDocument/completion",
    "inline": "textDocument/inlineCompletion",
}


def compile_client(trial, node):
    # Node looks for packages beside the compiled client.
    (trial.work / "node_modules").symlink_to(MODULES)
    compiler = MODULES / "typescript/bin/tsc"
    arguments = ["--project", FOLDER, "--outDir", trial.work]
    trial.run("tsc", [node, compiler, *arguments], timeout=2 * harness.TIMEOUT_S)
    return trial.work / "client.mjs"


def accepts(trial, node, client, case, method):
    path = trial.open(case)
    trial.run(
        case.name,
        [node, client],
        timeout=harness.TIMEOUT_S,
        CASE_METHOD=method,
        CASE_FILE=path,
        CASE_LINE=case.line,
        CASE_UTF16=len(case.line_before.encode("utf-16-le")) // 2,
        CASE_TYPED=case.typed,
        CASE_SERVER=json.dumps(trial.server_command(case)),
        CASE_SETTINGS=json.dumps(harness.SETTINGS),
    )
    harness.check_accepted(trial, case, path, method=method)


def test(trial):
    node = trial.require("node")
    if not MODULES.is_dir():
        raise harness.Skip("the client's packages are not installed: npm ci --prefix tests/editors/node")
    client = compile_client(trial, node)
    for name, method in METHODS.items():
        for case in cases.BY_METHOD[method]:
            accepts(trial, node, client, case.named(f"{name}-{case.name}"), method)


harness.main(test)
