"""Orders, and what it takes to pack them."""

from shelves.items import UnknownItem
from shelves.stock import Stock


class Order:
    def __init__(self, number):
        self.number = number
        self.lines = []

    def add(self, code, count=1):
        self.lines.append((code, count))

    def grams(self, stock: Stock):
        return sum(stock.item(code).grams * count for code, count in self.lines)

    def heavy_lines(self, stock: Stock):
        return [(code, count) for code, count in self.lines if stock.item(code).is_heavy()]


def missing_lines(order, stock: Stock):
    missing = []
    for code, count in order.lines:
        try:
            if stock.count(code) < count:
                missing.append((code, count - stock.count(code)))
        except UnknownItem:
            missing.append((code, count))
    return missing


def pack(order, stock: Stock):
    missing = missing_lines(order, stock)
    if missing:
        raise ValueError(f"order {order.number} lacks {missing}")
    for code, count in order.lines:
        stock.take(code, count)
    return order.grams(stock)
