"""How many of each item there are, and where."""

from collections import defaultdict

from shelves.items import Item, UnknownItem, parse_item


class Stock:
    def __init__(self):
        self._items = {}
        self._counts = defaultdict(int)

    def add_item(self, item: Item, count=0):
        self._items[item.code] = item
        self._counts[item.code] += count

    def item(self, code):
        if code not in self._items:
            raise UnknownItem(code)
        return self._items[code]

    def count(self, code):
        if code not in self._items:
            raise UnknownItem(code)
        return self._counts[code]

    def take(self, code, count):
        if self.count(code) < count:
            raise ValueError(f"only {self.count(code)} of {code} are left")
        self._counts[code] -= count

    def search(self, words):
        return [item for item in self._items.values() if item.matches(words)]

    def total_grams(self):
        return sum(item.grams * self._counts[code] for code, item in self._items.items())


def read_stock(lines):
    stock = Stock()
    for line in lines:
        if line.strip() and not line.startswith("#"):
            stock.add_item(parse_item(line), count=1)
    return stock
