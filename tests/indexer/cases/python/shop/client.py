"""Talks to the shop."""
import requests
import yaml
from .cart import Cart


class Client:
    """A customer's connection."""

    def __init__(self, address: str) -> None:
        self.address = address

    def fetch(self, number: int) -> Cart:
        """The cart of that number.

        More about it.
        """
        return Cart(requests.get(f"{self.address}/{number}").json())


def read_config(path):
    # What the file says.
    return yaml.safe_load(open(path))
