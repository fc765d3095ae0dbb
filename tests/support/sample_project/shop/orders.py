"""Orders: lines, totals, and what they take from the stock."""

from dataclasses import dataclass, field

from shop.stock import Stock


@dataclass
class Line:
    name: str
    price: float
    quantity: int = 1

    def total(self) -> float:
        return self.price * self.quantity


@dataclass
class Order:
    customer: str
    lines: list[Line] = field(default_factory=list)

    def add(self, name: str, price: float, quantity: int = 1) -> None:
        self.lines.append(Line(name, price, quantity))

    def total(self) -> float:
        return sum(line.total() for line in self.lines)

    def count(self) -> int:
        return sum(line.quantity for line in self.lines)

    def is_empty(self) -> bool:
        return not self.lines

    def take_from(self, stock: Stock) -> None:
        for line in self.lines:
            stock.take(line.name, line.quantity)


def parse_line(text: str) -> Line:
    name, price, quantity = text.split(",")
    return Line(name.strip(), float(price), int(quantity))


def most_expensive(orders: list[Order]) -> Order:
    return max(orders, key=lambda order: order.total())
