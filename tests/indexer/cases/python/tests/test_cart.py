import shop.cart
from shop import prices as p, Cart
import unittest.mock
