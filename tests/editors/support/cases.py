"""What the editors are asked to complete: files whose cursor stands at a CURSOR.

Each asks for something that the embedded model always has an answer to, but
none says what the answer is: machines differ in their arithmetic, so an editor's
buffer is compared with what the same server offered.
"""

from dataclasses import dataclass, replace

CURSOR = "‸"


@dataclass(frozen=True)
class Case:
    name: str
    file: str
    marked: str
    # A character that the editor types at the cursor, in insert mode, before it asks.
    typed: str = ""

    def named(self, name):
        return replace(self, name=name)

    def without_typing(self):
        """The same, with the typed keys already in the file."""
        return replace(self, marked=self.before + self.typed + CURSOR + self.after, typed="")

    @property
    def before(self):
        return self.marked.split(CURSOR)[0]

    @property
    def after(self):
        return self.marked.split(CURSOR)[1]

    @property
    def text(self):
        """The file before the editor opens it."""
        return self.before + self.after

    @property
    def line(self):
        """Of the cursor, from 0."""
        return self.before.count("\n")

    @property
    def line_before(self):
        """The text between the line's start and the cursor."""
        return self.before.rsplit("\n", 1)[-1]


LINE = Case(
    "line",
    "shapes.py",
    f'''import math


def circle_area(radius):
    """Return the area of a circle."""
    return math.pi * radius * radius


def rectangle_area(width, height):
    """Return the area of a rectangle."""
    return {CURSOR}


def square_area(side):
    """Return the area of a square."""
    return rectangle_area(side, side)
''',
)

TYPED = Case(
    "typed",
    "points.py",
    f'''class Point:
    def __init__(self, x, y):
        self.x = x
        self.{CURSOR}

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)
''',
    typed="y",
)

ASTRAL = Case(
    "astral",
    "faces.py",
    f'''faces = {{"😀": "grinning", "😢": "crying", "é": "accented"}}

for face, name in faces.items():
    print("😀 é →", face, name)

for face, name in faces.items():
    print("😀 é →", {CURSOR})
''',
)

# The place for several lines, which inline completions have and menus don't.
BLOCK = Case(
    "block",
    "boxes.py",
    f'''class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Size:
    def __init__(self, width, height):{CURSOR}


class Box:
    def __init__(self, point, size):
        self.point = point
        self.size = size
''',
)

MENU = (LINE, TYPED, ASTRAL)
INLINE = (*MENU, BLOCK)
BY_METHOD = {
    "textDocument/completion": MENU,
    "textDocument/inlineCompletion": INLINE,
}
