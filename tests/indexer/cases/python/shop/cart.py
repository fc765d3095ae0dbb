import os, json as j
from decimal import Decimal

from . import prices
from .prices import Price, tax as vat
from shop.util.text import *

RATE: Decimal = Decimal("0.19")
_cache = {}


class Cart(dict):
    """Holds what is bought.

    More about it.
    """

    size = 0

    def add(self, item: str, *, count: int = 1) -> None:
        """Add an item."""

        def inner():
            pass

    @property
    async def total(self): ...

    def _check(self): return 1


# Pays at once.
# And says so.
@os.fspath
def pay(
    cart,
    price,
):
    return cart


if RATE:
    def conditional(): pass
