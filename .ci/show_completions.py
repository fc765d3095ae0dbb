"""Completes a file of the sample project at some places and shows what came and how long it took:
`show_completions.py HEARTH MODEL`.

One process with a resident model answers all of it, as in an editor. At each place the rest of the line is
taken away first, as if it were being typed, and two requests are made: one character early, which is the jump
to that place, and at the cursor, which is the keystroke.
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
        suffix = text[text.index("\n", end) :]
        for step, stop in (("jump", end - 1), ("key", end)):
            yield {
                "id": f"{number} {step}",
                "path": FILE,
                "prefix": text[:stop],
                "suffix": suffix,
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
        ended = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}")
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print(f"{FILE}, the cursor at |\n    jump ms    key ms  tokens prefilled at the key")
    for cursor, jump, key in zip(CURSORS, answers[0::2], answers[1::2], strict=True):
        prefilled = key["prompt_tokens"] - key["cached_tokens"]
        print(f"{jump['ms']:11.1f}{key['ms']:10.1f}{prefilled:5}  {cursor}|{bold}{key['completion']}{plain}")


if __name__ == "__main__":
    main()
