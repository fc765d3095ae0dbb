// C and C++ wrap a declared name in what its type adds to it: `*f(int)`, `(*callback)(int)`, `a[3]`,
// `A::b()`. Names of other languages are their nodes' text. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <tree_sitter/api.h>

namespace hearth::indexer {

struct DeclaredName {
  std::string name;
  std::string container;     // what qualifies the name: `A::B::c` is `c` in "A.B"
  bool is_function = false;  // a function's declarator, not that of a pointer to one
  bool is_function_pointer = false;
};

DeclaredName declared_name(TSNode node, std::string_view text);

// `A::B<C>::d` as `A.B.d`.
std::string dotted(std::string_view qualified);

// A type's own name: `Server` of `*Server[T]`, of `Server<T>` and of `&'a mut Server`.
std::string bare_type(std::string_view type);

}  // namespace hearth::indexer
