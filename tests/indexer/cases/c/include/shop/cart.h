#ifndef SHOP_CART_H
#define SHOP_CART_H
#include <stddef.h>

#include "shop/price.h"

#define CART_MAX 10
#define CART_EACH(cart, i) for (size_t i = 0; i < (cart)->count; ++i)

typedef struct cart {
  size_t count; /* how many */
  struct price* prices[CART_MAX];
} cart_t;
typedef int (*compare_t)(const void*, const void*);
enum state { OPEN, PAID = 2 };
union value {
  int i;
  double d;
};

/* Adds a price.
   Returns 0 when it fits. */
int cart_add(cart_t* cart, const struct price* price);
extern const char* cart_name;
#endif
