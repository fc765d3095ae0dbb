using System.Text;
using Shop.Money;

namespace Shop.Core
{
    /// <summary>
    /// What is bought.
    /// </summary>
    public class Cart<T> : Base, ICart where T : class
    {
        private int count;
        public const int Limit = 10;
        public string Name { get; set; } = "";
        public Cart(int size) { }
        /// <summary>Pays at once.</summary>
        internal async Task<int> Pay(string with, params int[] more)
        {
            void Local() { }
            return 0;
        }
        public int Size => 0;
        protected abstract void Check();
    }
    interface ICart { void Add(string item); }
    public enum State { Open, Paid = 2 }
    public record Line(string Name, int Count);
    struct Point { public int X; }
    delegate int Convert(int cents);
}
