#include "lsp/memory_feed.h"

#include <algorithm>
#include <utility>

#include "engine/text_edit.h"
#include "indexer/file_policy.h"
#include "lsp/secret_mask.h"
#include "lsp/text_shape.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kRememberedClosed = 16;
constexpr std::size_t kSecretReach = 8192;  // bytes: more than a private key has

std::string as_told(std::string_view text) { return with_lf(with_secrets_masked(text)); }

// The size of `as_told`.
std::size_t told_size(std::string_view text) {
  std::size_t size = text.size();
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n", at + 2))
    --size;
  return size;
}

bool is_inside_line_end(std::string_view text, std::size_t at) {
  return at > 0 && text.substr(at - 1, 2) == "\r\n";
}

}  // namespace

void MemoryFeed::tell(const std::string& name, engine::TextEdit edit) {
  if (!enabled_) return;
  engine_.remember({.document = name, .version = version_++, .edits = {std::move(edit)}});
}

MemoryFeed::~MemoryFeed() { set_enabled(false); }

void MemoryFeed::opened(const Snapshot& document) {
  const auto path = path_of_uri(document->uri());
  if (!path || document->text().size() > indexer::kMaxIndexedBytes) return;
  std::erase(closed_, *path);
  Open& open = open_[*path] = {document, as_told(document->text())};
  tell(*path, {0, engine::kToTheEnd, open.told});
}

void MemoryFeed::changed(const Snapshot& document) {
  const auto found = open_.find(document_name(document->uri()));
  if (found == open_.end()) return;
  Open& open = found->second;
  const std::string_view before = open.document->text(), now = document->text();
  const engine::TextEdit edit = engine::difference(before, now);
  // Masked anew are the lines around, as far as an edit can make a secret of them or end one.
  std::size_t begin = line_start(now, edit.begin - std::min<std::size_t>(edit.begin, kSecretReach));
  if (is_inside_line_end(now, begin)) --begin;
  const std::size_t changed_end = edit.begin + edit.text.size();
  std::size_t end = line_end(now, std::min(now.size(), changed_end + kSecretReach));
  if (is_inside_line_end(now, end)) ++end;
  const std::size_t old_length = end - begin + edit.removed - edit.text.size();
  const std::size_t told_begin = told_size(now.substr(0, begin));
  const std::size_t told_length = told_size(before.substr(begin, old_length));
  const std::string again = as_told(now.substr(begin, end - begin));
  engine::TextEdit told =
      engine::difference(std::string_view(open.told).substr(told_begin, told_length), again);
  told.begin += told_begin;
  open.told.replace(told_begin, told_length, again);
  open.document = document;
  if (told.removed > 0 || !told.text.empty()) tell(found->first, std::move(told));
}

std::optional<std::string> MemoryFeed::closed(const std::string& uri) {
  const auto open = open_.extract(document_name(uri));
  if (!open || !enabled_) return std::nullopt;
  closed_.push_front(open.key());
  if (closed_.size() <= kRememberedClosed) return std::nullopt;
  std::string oldest = std::move(closed_.back());
  closed_.pop_back();
  engine_.forget(oldest);
  return oldest;
}

void MemoryFeed::forget(const std::string& uri) {
  const std::string name = document_name(uri);
  if (open_.erase(name) + std::erase(closed_, name) > 0) engine_.forget(name);
}

void MemoryFeed::set_enabled(bool enabled) {
  if (std::exchange(enabled_, enabled) == enabled) return;
  for (const auto& [name, open] : open_)
    enabled ? tell(name, {0, engine::kToTheEnd, open.told}) : engine_.forget(name);
  for (std::string& name : std::exchange(closed_, {})) engine_.forget(std::move(name));
}

}  // namespace hearth::lsp
