"""What lies on the shelves."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    code: str
    title: str
    grams: int
    tags: tuple = field(default=())

    def is_heavy(self, limit_grams=20_000):
        return self.grams > limit_grams

    def matches(self, words):
        lowered = self.title.lower()
        return all(word.lower() in lowered or word in self.tags for word in words)


class UnknownItem(KeyError):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def parse_item(line):
    code, title, grams, *tags = line.split(";")
    return Item(code.strip(), title.strip(), int(grams), tuple(tag.strip() for tag in tags))
