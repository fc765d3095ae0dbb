#include "engine/prefix_tree.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace hearth::engine {

using kernels::kPageTokens;
using kernels::PageId;
using kernels::PageRef;

struct PrefixTree::Node {
  Node* parent = nullptr;
  PageId page = -1;
  int count = 0;
  std::array<TokenId, kPageTokens> tokens{};
  std::vector<std::unique_ptr<Node>> children;  // of full nodes only
  int pins = 0;
  std::uint64_t last_use = 0;

  std::span<const TokenId> held() const { return {tokens.data(), static_cast<std::size_t>(count)}; }
};

struct PrefixTree::Longest {
  Node* full = nullptr;     // the last node that matches whole; the root where none does
  Node* partial = nullptr;  // a child of it that shares `shared` tokens
  int full_tokens = 0;
  int shared = 0;
};

namespace {

int common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<int>(end - a.begin());
}

PageRef page_ref(PageId page, int index) {
  return {.page = page, .first_position = static_cast<std::uint32_t>(index * kPageTokens)};
}

}  // namespace

PrefixTree::PrefixTree(kernels::PagePool& pool) : pool_(pool), root_(std::make_unique<Node>()) {
  root_->count = kPageTokens;
}

PrefixTree::~PrefixTree() = default;

PrefixTree::Longest PrefixTree::find(std::span<const TokenId> tokens) const {
  Longest longest{.full = root_.get()};
  while (true) {
    longest.partial = nullptr;
    longest.shared = 0;
    const auto rest = tokens.subspan(longest.full_tokens);
    for (const auto& child : longest.full->children) {
      const int shared = common_prefix(child->held(), rest);
      if (shared > longest.shared ||
          (shared > 0 && shared == longest.shared && child->last_use > longest.partial->last_use)) {
        longest.partial = child.get();
        longest.shared = shared;
      }
    }
    if (longest.shared < kPageTokens) return longest;
    longest.full = longest.partial;
    longest.full_tokens += kPageTokens;
  }
}

int PrefixTree::match(std::span<const TokenId> tokens) const {
  const Longest longest = find(tokens);
  return longest.full_tokens + longest.shared;
}

PrefixTree::Path PrefixTree::open(std::span<const TokenId> tokens) {
  const Longest longest = find(tokens);
  Path path;
  path.deepest_ = longest.full;
  pin(longest.full, +1);
  touch(longest.full);
  path.published_ = longest.full_tokens / kPageTokens;
  path.pages_.resize(path.published_);
  const Node* node = longest.full;
  for (int i = path.published_ - 1; i >= 0; --i, node = node->parent)
    path.pages_[i] = page_ref(node->page, i);
  int cached = longest.full_tokens;
  if (longest.shared > 0) {
    pin(longest.partial, +1);
    if (const auto page = take_page()) {
      pool_.copy(longest.partial->page, *page, longest.shared);
      path.pages_.push_back(page_ref(*page, path.published_));
      cached += longest.shared;
      touch(longest.partial);
    }
    pin(longest.partial, -1);
  }
  path.tokens_.assign(tokens.begin(), tokens.begin() + cached);
  return path;
}

std::optional<PrefixTree::Path> PrefixTree::fork(const Path& path) {
  Path copy;
  copy.deepest_ = path.deepest_;
  copy.published_ = path.published_;
  copy.tokens_ = path.tokens_;
  copy.pages_.assign(path.pages_.begin(), path.pages_.begin() + path.published_);
  pin(copy.deepest_, +1);
  const int tail = path.size() - path.published_ * kPageTokens;
  if (tail > 0) {
    const auto page = take_page();
    if (!page) {
      pin(copy.deepest_, -1);
      return std::nullopt;
    }
    pool_.copy(path.pages_[path.published_].page, *page, tail);
    copy.pages_.push_back(page_ref(*page, path.published_));
  }
  return copy;
}

bool PrefixTree::reserve(Path& path, int tokens) {
  const std::size_t before = path.pages_.size();
  const std::size_t needed = (path.size() + tokens + kPageTokens - 1) / kPageTokens;
  while (path.pages_.size() < needed) {
    const auto page = take_page();
    if (!page) {
      for (; path.pages_.size() > before; path.pages_.pop_back()) pool_.release(path.pages_.back().page);
      return false;
    }
    path.pages_.push_back(page_ref(*page, static_cast<int>(path.pages_.size())));
  }
  return true;
}

void PrefixTree::commit(Path& path, std::span<const TokenId> tokens) {
  path.tokens_.insert(path.tokens_.end(), tokens.begin(), tokens.end());
  assert(path.pages_.size() * kPageTokens >= path.tokens_.size());
  while (path.size() - path.published_ * kPageTokens >= kPageTokens) publish(path, kPageTokens);
}

void PrefixTree::close(Path& path) {
  if (path.deepest_ == nullptr) return;
  const int tail = path.size() - path.published_ * kPageTokens;
  if (tail > 0) publish(path, tail);
  for (std::size_t i = path.published_; i < path.pages_.size(); ++i) pool_.release(path.pages_[i].page);
  pin(path.deepest_, -1);
  path = Path();
}

// The path's first private page becomes a node, or gives way to one that holds the same tokens. A full
// page becomes the path's deepest node; a shorter one is published only by `close`.
void PrefixTree::publish(Path& path, int count) {
  Node* parent = path.deepest_;
  const auto held = path.tokens().subspan(path.published_ * kPageTokens, count);
  const PageId page = path.pages_[path.published_].page;
  Node* node = nullptr;
  for (auto child = parent->children.begin(); child != parent->children.end();) {
    const int shared = common_prefix((*child)->held(), held);
    if (shared == count) {  // the child holds all of it, and perhaps more
      node = child->get();
      pool_.release(page);
      break;
    }
    if (shared == (*child)->count && (*child)->pins == 0) {  // ours holds all of the child's, and more
      pool_.release((*child)->page);
      child = parent->children.erase(child);
      --n_nodes_;
      continue;
    }
    ++child;
  }
  if (node == nullptr) {
    auto fresh = std::make_unique<Node>();
    fresh->parent = parent;
    fresh->page = page;
    fresh->count = count;
    std::copy(held.begin(), held.end(), fresh->tokens.begin());
    node = fresh.get();
    parent->children.push_back(std::move(fresh));
    ++n_nodes_;
  }
  touch(node);
  path.pages_[path.published_].page = node->page;
  ++path.published_;
  if (count == kPageTokens) {
    pin(node, +1);
    pin(parent, -1);
    path.deepest_ = node;
  }
}

std::vector<TokenId> PrefixTree::continuation(const Path& path, int limit) const {
  std::vector<TokenId> tokens;
  const Node* node = path.deepest_;
  auto known = path.tokens().subspan(path.published_ * kPageTokens);
  while (node != nullptr && static_cast<int>(tokens.size()) < limit) {
    const Node* next = nullptr;
    for (const auto& child : node->children) {
      const bool extends = common_prefix(child->held(), known) == static_cast<int>(known.size()) &&
                           (child->count > static_cast<int>(known.size()));
      if (extends && (next == nullptr || child->last_use > next->last_use)) next = child.get();
    }
    if (next == nullptr) break;
    const auto more = next->held().subspan(known.size());
    tokens.insert(tokens.end(), more.begin(), more.end());
    known = {};
    node = next->count == kPageTokens ? next : nullptr;
  }
  if (static_cast<int>(tokens.size()) > limit) tokens.resize(limit);
  return tokens;
}

std::optional<PageId> PrefixTree::take_page() {
  while (true) {
    if (const auto page = pool_.allocate()) return page;
    if (!evict_one()) return std::nullopt;
  }
}

bool PrefixTree::evict_one() {
  Node* oldest = nullptr;
  std::vector<Node*> open{root_.get()};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    for (const auto& child : node->children) open.push_back(child.get());
    if (node == root_.get() || !node->children.empty() || node->pins > 0) continue;
    if (oldest == nullptr || node->last_use < oldest->last_use) oldest = node;
  }
  if (oldest == nullptr) return false;
  pool_.release(oldest->page);
  auto& siblings = oldest->parent->children;
  siblings.erase(
      std::find_if(siblings.begin(), siblings.end(), [&](const auto& c) { return c.get() == oldest; }));
  --n_nodes_;
  return true;
}

void PrefixTree::pin(Node* node, int change) { node->pins += change; }

void PrefixTree::touch(Node* node) {
  ++clock_;
  for (; node != nullptr; node = node->parent) node->last_use = clock_;
}

}  // namespace hearth::engine
