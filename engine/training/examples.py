"""Cuts fill-in examples out of files: where a user's cursor stands, and where a completion should end.

Pure functions of a random generator and a text. Four kinds: the rest of a line from any column;
half a line, whose rest then opens the suffix; a few lines; the body of a block.
"""

import random
from dataclasses import dataclass, replace

KINDS = {"rest_of_line": 0.60, "half_line": 0.08, "lines": 0.18, "body": 0.14}
CLOSERS = set(")]}\"'`,;: \t>")
MAX_BODY_LINES, MAX_MIDDLE = 20, 900


@dataclass(frozen=True)
class Window:
    """How many characters around the cursor an example keeps, at most."""

    prefix: int
    suffix: int


@dataclass(frozen=True)
class Example:
    path: str
    prefix: str
    middle: str
    suffix: str  # begins with the newline that ends the cursor's line, or with the rest of that line

    def within(self, window: Window) -> "Example":
        return replace(self, prefix=_prefix(self.prefix, window.prefix), suffix=_suffix(self.suffix, window.suffix))


LONG = Window(4500, 1500)


def random_window(rng: random.Random, long_share: float) -> Window:
    if rng.random() < long_share:
        return Window(rng.randint(2000, LONG.prefix), rng.randint(300, LONG.suffix))
    return Window(rng.choice((300, 600, 900, 1300)), rng.choice((0, 150, 300, 450, 600)))


def cut_example(rng: random.Random, path: str, text: str, kind: str | None = None) -> Example | None:
    """The whole text around a random place of it, or None when the place does not suit the kind."""
    lines = text.split("\n")[:-1]
    row = rng.randrange(len(lines))
    start = sum(len(line) + 1 for line in lines[:row])
    kind = kind or rng.choices(list(KINDS), list(KINDS.values()))[0]
    span = _CUTTERS[kind](rng, lines, row)
    if span is None:
        return None
    column, length = span
    cursor = start + column
    middle = text[cursor:cursor + length]
    if not middle.strip() or len(middle) > MAX_MIDDLE:
        return None
    return Example(path, text[:cursor], middle, text[cursor + length:])


def _rest_of_line(rng: random.Random, lines: list[str], row: int) -> tuple[int, int] | None:
    line = lines[row]
    indentation = len(line) - len(line.lstrip())
    if len(line.strip()) < 4:
        return None
    where = rng.random()
    if where < 0.05:
        column = 0
    elif where < 0.35:
        column = indentation
    else:
        column = rng.randint(indentation, len(line) - 1)
    return column, len(line) - column


def _half_line(rng: random.Random, lines: list[str], row: int) -> tuple[int, int] | None:
    line = lines[row]
    indentation = len(line) - len(line.lstrip())
    if len(line.strip()) < 12:
        return None
    column = rng.randint(indentation, len(line) - 6)
    end = rng.randint(column + 2, len(line) - 2)
    return None if set(line[end:]) <= CLOSERS else (column, end - column)


def _lines(rng: random.Random, lines: list[str], row: int) -> tuple[int, int] | None:
    first = _rest_of_line(rng, lines, row)
    last = min(row + rng.randint(1, 5), len(lines) - 1)
    while last > row and not lines[last].strip():
        last -= 1
    if first is None or last == row:
        return None
    column, length = first
    return column, length + sum(1 + len(line) for line in lines[row + 1:last + 1])


def _body(rng: random.Random, lines: list[str], row: int) -> tuple[int, int] | None:
    header = lines[row]
    if not header.rstrip().endswith((":", "{", "(", "=>", "[")) or row + 1 >= len(lines):
        return None
    depth = len(header) - len(header.lstrip())
    end = row + 1
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > depth):
        end += 1
    while end > row + 1 and not lines[end - 1].strip():
        end -= 1
    if end == row + 1 or end - row > MAX_BODY_LINES:
        return None
    length = sum(1 + len(line) for line in lines[row + 1:end])
    skipped = 1 + _depth(lines[row + 1]) if rng.random() < 0.5 else 0  # the cursor stands on the body's first line
    return len(header) + skipped, length - skipped


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


_CUTTERS = {"rest_of_line": _rest_of_line, "half_line": _half_line, "lines": _lines, "body": _body}


def _prefix(text: str, limit: int) -> str:
    """The end of the text, from the start of a line."""
    if len(text) <= limit:
        return text
    start = text.find("\n", len(text) - limit)
    return text[start + 1:] if start >= 0 else text[-limit:]


def _suffix(text: str, limit: int) -> str:
    """The start of the text, to the end of a line."""
    if len(text) <= limit:
        return text
    return text[:max(text.rfind("\n", 0, limit), 0)]
