// Package cart holds what is bought.
package cart

import (
	"fmt"

	money "example.com/shop/money"
)
import _ "example.com/shop"

// Cart is a cart.
type Cart[T any] struct {
	Items []T
	total money.Money
}

type (
	// Adder adds.
	Adder interface {
		Add(item string) error
	}
	alias = Adder
)

const (
	Limit = 10
	step  = 1
)

var First, second int = 1, 2

// New makes one.
func New[T any](size int) (*Cart[T], error) { return nil, fmt.Errorf("no") }

// Add adds an item.
func (c *Cart[T]) Add(item T) error {
	local := func() {}
	local()
	return nil
}
