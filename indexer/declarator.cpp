#include "indexer/declarator.h"

#include <algorithm>

#include "indexer/outline_query.h"
#include "indexer/symbol_text.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxName = 200;

std::string_view type_of(TSNode node) { return ts_node_type(node); }

TSNode declarator_in(TSNode node) {
  constexpr std::string_view kField = "declarator";
  const TSNode inner = ts_node_child_by_field_name(node, kField.data(), kField.size());
  if (!ts_node_is_null(inner)) return inner;
  const std::string_view type = type_of(node);
  if (type == "parenthesized_declarator" || type == "reference_declarator")
    return ts_node_named_child(node, 0);
  return {};
}

// The end of the qualifier's last separator, outside of any template argument.
std::size_t qualifier_end(std::string_view name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>') ++depth;
    if (name[at] == '<') --depth;
    if (depth == 0 && at > 0 && (name[at] == ':' || name[at] == '.')) return at + 1;
  }
  return 0;
}

}  // namespace

DeclaredName declared_name(TSNode node, std::string_view text) {
  DeclaredName declared;
  bool outermost = true;
  for (TSNode inner = declarator_in(node); !ts_node_is_null(inner); inner = declarator_in(node)) {
    if (type_of(node) == "operator_cast") break;
    if (type_of(node) == "function_declarator") {
      declared.is_function_pointer = type_of(inner) == "parenthesized_declarator" && outermost;
      declared.is_function = !declared.is_function_pointer;
      outermost = false;
    }
    node = inner;
  }
  std::string_view name = text_of(node, text);
  const std::string_view type = type_of(node);
  if (type == "operator_cast") {
    declared.is_function = true;
    name = name.substr(0, name.find('('));
  }
  const bool qualified = type == "qualified_identifier" || type == "dot_index_expression" ||
                         type == "method_index_expression" || type == "scope_resolution";
  if (qualified) {
    const std::size_t split = name.find("operator") == std::string_view::npos
                                  ? qualifier_end(name)
                                  : qualifier_end(name.substr(0, name.find("operator")));
    declared.container = dotted(name.substr(0, split));
    name.remove_prefix(split);
  }
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front())
    name = name.substr(1, name.size() - 2);
  if (type == "inline") {  // a heading may be closed as it is opened: `## Title ##`
    while (name.ends_with('#') || name.ends_with(' ')) name.remove_suffix(1);
  }
  if (type == "simple_symbol" && name.starts_with(':')) name.remove_prefix(1);
  declared.name = one_line(name, kMaxName);
  return declared;
}

std::string dotted(std::string_view qualified) {
  std::string container;
  int depth = 0;
  for (const char c : qualified) {
    if (c == '<') ++depth;
    if (depth == 0) {
      const bool separates = c == ':' || c == '.';
      if (!separates)
        container += c;
      else if (!container.empty() && container.back() != '.')
        container += '.';
    }
    if (c == '>') --depth;
  }
  while (container.ends_with('.')) container.pop_back();
  return container;
}

std::string bare_type(std::string_view type) {
  for (const std::string_view mark : {"&", "*", "mut ", "dyn ", "'"}) {
    while (true) {
      while (type.starts_with(' ')) type.remove_prefix(1);
      if (!type.starts_with(mark)) break;
      type.remove_prefix(mark.size());
      if (mark == "'") type.remove_prefix(std::min(type.find(' '), type.size()));
    }
  }
  type = type.substr(0, type.find_first_of("<[( \n"));
  return std::string(type.substr(type.rfind(':') + 1));
}

}  // namespace hearth::indexer
