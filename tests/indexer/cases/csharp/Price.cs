namespace Shop.Money;

public static class Price
{
    public static int Zero() => 0;
}
