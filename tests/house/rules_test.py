"""The rules of the house that a machine can hold, one class each: `rules_test.py Includes`.

Every rule is a function from files to faults, so that each is also shown to find what it is for.
"""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__"}
SOURCES = {".h", ".cpp", ".py", ".sh", ".lua", ".el", ".vim", ".ts", ".js", ".mjs"}
CODE_FOLDERS = ("kernels", "engine", "cache", "indexer", "lsp")

MAY_INCLUDE = {
    "kernels": {"kernels"},
    "cache": {"cache"},
    "engine": {"engine", "kernels", "cache"},
    "indexer": {"indexer", "cache"},
    "lsp": {"lsp", "indexer", "engine", "cache"},
}
WIRING = re.compile(r"lsp/(main\.cpp|commands/.*)")
MAX_LINES = 500
MAX_TREE_BYTES = 60_000_000

# Put together here, so that this file does not hold what it looks for.
FORBIDDEN = re.compile(
    r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"
    r"|registry\.npm" r"js|pypi\.o" r"rg|python" r"hosted|deb\.deb" r"ian|crates\.i" r"o\b|hugging" r"face\.co/"
    r"|/wo" r"rk/|/ro" r"ot/|bash_" r"jobs|\.pye" r"nv"
)


def tree():
    """Every file of the checkout, as (path from the root, absolute path)."""
    found = []
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        if path.is_file() and not SKIPPED_FOLDERS.intersection(name.parts):
            found.append((name.as_posix(), path))
    return found


def texts(files):
    for name, path in files:
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            yield name, data.decode("utf-8", errors="replace")


def is_source(name):
    return Path(name).suffix in SOURCES or name in ("bootstrap", ".ci/run")


def is_code(name):
    return name.split("/")[0] in CODE_FOLDERS and name.endswith((".h", ".cpp", ".cu", ".cuh"))


def include_faults(name, text):
    folder = name.split("/")[0]
    if not is_code(name) or WIRING.fullmatch(name):
        return []
    faults = []
    for line, included in re.findall(r"^(\s*#\s*include\s*[\"<]([^\">]+)[\">])", text, re.MULTILINE):
        target = included.split("/")[0]
        quoted = '"' in line
        if quoted and target not in CODE_FOLDERS:
            faults.append(f"{name}: \"{included}\" is not a path from the root")
        elif target in CODE_FOLDERS and "/" in included and target not in MAY_INCLUDE[folder]:
            faults.append(f"{name}: {folder} may not include {included}")
    return faults


def length_faults(name, text):
    lines = text.count("\n")
    return [f"{name}: {lines} lines, of {MAX_LINES} at most"] if is_source(name) and lines > MAX_LINES else []


def header_faults(name, text):
    if not is_code(name) or not name.endswith(".h"):
        return []
    faults = []
    if not text.startswith("//"):
        faults.append(f"{name}: a header opens with what it is about")
    if "#pragma once" not in text:
        faults.append(f"{name}: no #pragma once")
    return faults


def first_include_faults(name, text):
    """A source first includes its own header, which so is shown to stand alone, or one of its folder."""
    if not is_code(name) or not name.endswith(".cpp") or WIRING.fullmatch(name):
        return []
    first = re.search(r"^#include (.*)$", text, re.MULTILINE)
    if first and first.group(1).rsplit("/", 1)[0] == '"' + name.rsplit("/", 1)[0]:
        own = name[: -len(".cpp")] + ".h"
        if first.group(1) == f'"{own}"' or not (ROOT / own).exists():
            return []
    return [f"{name}: the first include is not its header"]


def forbidden_faults(name, text):
    return [
        f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found.group()}" for found in FORBIDDEN.finditer(text)
    ]


class Rule(unittest.TestCase):
    maxDiff = None

    def assert_no_faults(self, rule):
        faults = [fault for name, text in texts(tree()) for fault in rule(name, text)]
        self.assertEqual([], faults)


class Includes(Rule):
    def test_includes_point_down(self):
        self.assert_no_faults(include_faults)

    def test_an_include_that_points_up_is_found(self):
        for name, included, faulty in [
            ("kernels/cpu/a.cpp", '"kernels/device.h"', False),
            ("kernels/cpu/a.cpp", '"engine/model.h"', True),
            ("kernels/cpu/a.cpp", "<engine/model.h>", True),
            ("engine/a.h", '"cache/store.h"', False),
            ("engine/a.h", '"lsp/server.h"', True),
            ("indexer/a.cpp", '"engine/job.h"', True),
            ("lsp/a.cpp", '"kernels/device.h"', True),
            ("lsp/a.cpp", '"a.h"', True),
            ("lsp/commands/a.cpp", '"kernels/device.h"', False),
            ("tests/lsp/a_test.cpp", '"kernels/device.h"', False),
        ]:
            with self.subTest(name=name, included=included):
                self.assertEqual(faulty, bool(include_faults(name, f"#include {included}\n")))


class Sizes(Rule):
    def test_no_source_is_longer_than_one_concept(self):
        self.assert_no_faults(length_faults)

    def test_the_checkout_stays_small(self):
        self.assertLess(sum(path.stat().st_size for _, path in tree()), MAX_TREE_BYTES)

    def test_a_long_source_is_found(self):
        self.assertEqual([], length_faults("engine/a.cpp", "\n" * MAX_LINES))
        self.assertEqual(1, len(length_faults("engine/a.cpp", "\n" * (MAX_LINES + 1))))


class Headers(Rule):
    def test_headers_open_with_their_subject(self):
        self.assert_no_faults(header_faults)

    def test_sources_include_their_header_first(self):
        self.assert_no_faults(first_include_faults)

    def test_a_bare_header_and_a_lone_source_are_found(self):
        self.assertEqual(2, len(header_faults("engine/a.h", "#include <string>\n")))
        for included, faulty in [('"engine/gguf.h"', False), ('"engine/job.h"', True), ("<string>", True)]:
            with self.subTest(included=included):
                self.assertEqual(faulty, bool(first_include_faults("engine/gguf.cpp", f"#include {included}\n")))


class ForbiddenWords(Rule):
    def test_nothing_names_a_registry_host_a_machine_or_work_left_undone(self):
        self.assert_no_faults(forbidden_faults)

    def test_such_words_are_found(self):
        for word in ["TO" + "DO", "https://py" + "pi.org/simple", "/wo" + "rk/main", "/ro" + "ot/.cache"]:
            with self.subTest(word=word):
                self.assertEqual([f"a.md:2: "], [fault[:8] for fault in forbidden_faults("a.md", f"x\n{word}\n")])


class Format(Rule):
    def setUp(self):
        self.formatter = shutil.which("clang-format-14")
        if not self.formatter:
            self.skipTest("clang-format-14 is not installed")

    def check(self, *arguments, **options):
        command = [self.formatter, "--dry-run", "--Werror", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, **options)

    def test_sources_are_formatted(self):
        names = [name for name, _ in tree() if name.endswith((".h", ".cpp", ".cu", ".cuh"))]
        result = self.check(*names)
        faults = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", result.stderr, re.MULTILINE)))
        self.assertEqual([], faults)
        self.assertEqual(0, result.returncode, result.stderr)

    def test_an_unformatted_source_is_found(self):
        self.assertNotEqual(0, self.check("--assume-filename=a.cpp", input="int  a ;\n").returncode)


if __name__ == "__main__":
    program = unittest.main(exit=False)
    if program.result.skipped and program.result.wasSuccessful():
        print(*(f"skipped: {reason}" for _, reason in program.result.skipped), sep="\n")
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
