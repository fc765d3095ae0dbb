package order

import (
	"github.com/google/uuid"

	"example.com/shop/cart"
)

// Order is a cart with a number.
type Order struct {
	ID   uuid.UUID
	Cart *cart.Cart[string]
}

// Number makes a new order.
func Number(of *cart.Cart[string]) Order { return Order{uuid.New(), of} }
