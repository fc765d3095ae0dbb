"""Completes a file of the sample project at some places and shows what came and how long it took:
`show_completions.py HEARTH MODEL`.

One process with a resident model answers all of it, as in an editor. At each place the rest of the line is
taken away first, as if it were being typed.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "tests" / "support" / "sample_project"
FILE = "shop/orders.py"
CURSORS = [
    "        return self.pr",
    "        self.lines.app",
    "        return sum(line.q",
    "        return not ",
    "            stock.take(",
    "    name, price, quantity = ",
    "    return max(orders, key=",
]


def requests():
    text = (PROJECT / FILE).read_text(encoding="utf-8")
    for number, cursor in enumerate(CURSORS):
        end = text.index("\n" + cursor) + 1 + len(cursor)
        line_end = text.index("\n", end)
        yield {
            "id": number,
            "path": FILE,
            "prefix": text[:end],
            "suffix": text[line_end:],
            "language": "python",
            "max_tokens": 32,
        }


def main():
    hearth, model = sys.argv[1:]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as batch:
        for request in requests():
            batch.write(json.dumps(request) + "\n")
        batch.flush()
        command = [hearth, "complete", "--batch", batch.name, "--model", model]
        answers = subprocess.run(command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print(f"{FILE}, completed by {model}; the cursor is at |")
    for cursor, line in zip(CURSORS, answers.splitlines(), strict=True):
        answer = json.loads(line)
        prompt = f"{answer['cached_tokens']} of {answer['prompt_tokens']} prompt tokens in memory"
        print(f"{answer['ms']:7.1f} ms  {cursor}|{bold}{answer['completion']}{plain}    ({prompt})")


if __name__ == "__main__":
    main()
