#include "shop/cart.hpp"

#include <shop/money.hpp>

namespace shop {
namespace {
int hidden() { return 1; }
}  // namespace

static int counter = 0;

/// Adds two of them.
Money Money::plus(Money other) const {
  int local(counter);
  return other;
}

template <class T>
T* pointer(T& of) {
  return &of;
}

extern "C" void exported();
}  // namespace shop
