package com.shop;

import com.google.guava.collect.ImmutableList;
import com.shop.money.Money;

/** What a cart costs, line by line. */
public final class Bill {
    /** Its lines, in the order of the cart. */
    public ImmutableList<Money> lines() { return ImmutableList.of(); }
}
