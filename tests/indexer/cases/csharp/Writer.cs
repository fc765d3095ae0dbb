using Newtonsoft.Json;

/// <summary>Carts as JSON.</summary>
public static class Writer
{
    public static string Write(object cart) => JsonConvert.SerializeObject(cart);
}
