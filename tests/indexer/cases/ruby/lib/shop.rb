require 'json'
require 'shop/cart'
require_relative 'shop/money'

# A shop.
module Shop
  LIMIT = 10

  class Cart < Hash
    attr_reader :items, :total

    # Adds an item.
    def add(item, count: 1)
      helper = ->(x) { x }
    end

    def self.empty = new
    def size; end

    private

    def check; end

    class << self
      def build; end
    end
  end
end
