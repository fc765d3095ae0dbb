#include "shop/cart.h"
#include <shop/price.h>

static int count = 0;
const char *cart_name = "cart";

static struct price *find(cart_t *cart) { return cart->prices[0]; }

int cart_add(cart_t *cart, const struct price *price) {
  int local = count;
  return local;
}

int (*chooser(void))(int) { return 0; }
