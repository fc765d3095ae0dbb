// The KV cache as a radix tree over token ids whose edges are pages: a node is one page of up to
// kPageTokens tokens, and only full nodes have children, so a page holds the same positions on every
// path through it. Matching is per token; a page that is shared in part is copied. (The idea: SGLang's
// RadixAttention, arXiv 2312.07104.)
//
// A Path is one sequence in progress. Its published nodes are shared and pinned; its tail is private
// until a page is full or the path is closed, so what a cancelled step wrote is never seen by anyone.
// Owned by the engine thread, like the pool it draws from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/tokenizer.h"
#include "kernels/device.h"

namespace hearth::engine {

class PrefixTree {
 public:
  struct Node;

  class Path {
   public:
    int size() const { return static_cast<int>(tokens_.size()); }  // tokens whose KV is in the pages
    std::span<const TokenId> tokens() const { return tokens_; }
    std::span<const kernels::PageRef> pages() const { return pages_; }  // reserved ones included

   private:
    friend class PrefixTree;
    std::vector<TokenId> tokens_;
    std::vector<kernels::PageRef> pages_;
    Node* deepest_ = nullptr;  // the last published node; pinned
    int published_ = 0;        // pages that belong to nodes
  };

  explicit PrefixTree(kernels::PagePool& pool);
  ~PrefixTree();
  PrefixTree(const PrefixTree&) = delete;
  PrefixTree& operator=(const PrefixTree&) = delete;

  // The number of leading tokens that are cached.
  int match(std::span<const TokenId> tokens) const;

  // A path over the longest cached prefix of `tokens`. A page shared in part is copied; where the pool
  // has no page for the copy, the path ends before it.
  Path open(std::span<const TokenId> tokens);

  // A second path over the same tokens. nullopt when the pool is full of pinned pages.
  std::optional<Path> fork(const Path& path);

  // Makes room for `tokens` more, evicting the least recently used unpinned leaves. False when what is
  // pinned leaves no room; the path is as it was then.
  bool reserve(Path& path, int tokens);

  // The next tokens of the path were computed into its pages. At most what was reserved.
  void commit(Path& path, std::span<const TokenId> tokens);

  // Publishes the tail and unpins. The path is empty afterwards.
  void close(Path& path);

  // The tokens that once followed the path's: the most recently used continuation, at most `limit`.
  std::vector<TokenId> continuation(const Path& path, int limit) const;

  int pages() const { return n_nodes_; }

 private:
  struct Longest;
  Longest find(std::span<const TokenId> tokens) const;
  std::optional<kernels::PageId> take_page();
  bool evict_one();
  void publish(Path& path, int count);
  void pin(Node* node, int change);
  void touch(Node* node);

  kernels::PagePool& pool_;
  std::unique_ptr<Node> root_;
  std::uint64_t clock_ = 0;
  int n_nodes_ = 0;
};

}  // namespace hearth::engine
