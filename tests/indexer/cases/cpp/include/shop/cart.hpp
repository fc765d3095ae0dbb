#pragma once
#include <vector>

#include "money.hpp"

namespace shop::core {

// What is bought.
template <class Item>
class Cart : public std::vector<Item> {
 public:
  explicit Cart(int size);
  ~Cart();
  int total(Money (*convert)(int)) const { return 0; }
  static Cart empty();
  Cart& operator+=(const Item& item);
  operator bool() const;
  struct Line {
    int count = 0;
  };

 protected:
  void check();

 private:
  int size_ = 0;
};

using Cents = long;
enum class State { kOpen, kPaid };
template <class T>
concept Countable = requires(T value) {
  value.size();
};
inline constexpr int kLimit = 10;

}  // namespace shop::core
