package com.shop;

import com.shop.money.Money;
import com.shop.money.*;
import static com.shop.money.Money.zero;
import java.util.List;

/**
 * What is bought.
 */
public class Cart<T> extends Base implements Comparable<Cart<T>> {
    private int x, y;
    public static final int LIMIT = 10;

    public Cart(List<T> items) {}

    /** Pays at once. */
    @Override
    protected <Q> void pay(Q with) throws Exception {
        Runnable local = new Runnable() { public void run() {} };
    }

    interface Visitor { void visit(Cart<?> cart); }
    private enum State { OPEN, PAID; int code() { return 0; } }
}
record Line(String name, int count) {}
@interface Marked { int value(); }
