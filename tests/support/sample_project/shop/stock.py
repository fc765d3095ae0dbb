"""What is on the shelves."""


class OutOfStock(Exception):
    """Raised when more is taken than there is."""


class Stock:
    def __init__(self) -> None:
        self.quantities: dict[str, int] = {}

    def put(self, name: str, quantity: int) -> None:
        self.quantities[name] = self.quantities.get(name, 0) + quantity

    def take(self, name: str, quantity: int) -> None:
        if self.quantities.get(name, 0) < quantity:
            raise OutOfStock(name)
        self.quantities[name] -= quantity
