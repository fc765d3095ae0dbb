#include "engine/text_edit.h"

#include <algorithm>

namespace hearth::engine {

TextEdit difference(std::string_view before, std::string_view now) {
  const std::size_t shorter = std::min(before.size(), now.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && before[head] == now[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  return {head, before.size() - head - tail, std::string(now.substr(head, now.size() - head - tail))};
}

}  // namespace hearth::engine
