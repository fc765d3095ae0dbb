#include "lsp/memory_feed.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kRememberedClosed = 16;
constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

engine::TextEdit difference(std::string_view before, std::string_view now) {
  const std::size_t shorter = std::min(before.size(), now.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && before[head] == now[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  return {head, before.size() - head - tail, std::string(now.substr(head, now.size() - head - tail))};
}

void MemoryFeed::tell(const std::string& name, engine::TextEdit edit) {
  if (!enabled_) return;
  engine_.remember({.document = name, .version = version_++, .edits = {std::move(edit)}});
}

void MemoryFeed::opened(const Snapshot& document) {
  const auto path = path_of_uri(document->uri());
  if (!path) return;
  std::erase(closed_, *path);
  open_[*path] = document;
  tell(*path, {0, kToTheEnd, document->text()});
}

void MemoryFeed::changed(const Snapshot& document) {
  const auto open = open_.find(document_name(document->uri()));
  if (open == open_.end()) return;
  engine::TextEdit edit = difference(open->second->text(), document->text());
  open->second = document;
  if (edit.removed > 0 || !edit.text.empty()) tell(open->first, std::move(edit));
}

void MemoryFeed::closed(const std::string& uri) {
  const auto open = open_.extract(document_name(uri));
  if (!open || !enabled_) return;
  closed_.push_front(open.key());
  if (closed_.size() <= kRememberedClosed) return;
  engine_.forget(std::move(closed_.back()));
  closed_.pop_back();
}

void MemoryFeed::set_enabled(bool enabled) {
  if (std::exchange(enabled_, enabled) == enabled) return;
  for (const auto& [name, document] : open_)
    enabled ? tell(name, {0, kToTheEnd, document->text()}) : engine_.forget(name);
  for (std::string& name : std::exchange(closed_, {})) engine_.forget(std::move(name));
}

}  // namespace hearth::lsp
