#include "lsp/commands/bench_forward.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace hearth::commands {

using engine::TokenId;

BenchModel::BenchModel(const std::string& path, int threads, engine::KvType kv_type)
    : threads_(threads), device_(kernels::make_cpu_device(threads_)) {
  auto model = engine::Model::load(
      path, *device_, [](double) { return true; }, kv_type);
  if (!model) throw std::runtime_error(model.error().message);
  model_ = std::move(*model);
}

std::vector<TokenId> BenchModel::random_tokens(int count) const {
  std::mt19937 random(1);
  std::vector<TokenId> tokens(count);
  for (auto& token : tokens) token = static_cast<TokenId>(random() % model_->tokenizer().size());
  return tokens;
}

// Twice the room: tokens that are computed again have pages of their own until they are published.
Forward::Forward(const engine::Model& model, int room)
    : model_(model),
      pool_(model.make_page_pool(2 * (room / kernels::kPageTokens + 2))),
      workspace_(model.device().make_workspace(model.description().shape, kPrefillRows)),
      tree_(*pool_),
      path_(tree_.open({})) {}

void Forward::rewind(std::span<const TokenId> context) {
  tree_.close(path_);
  path_ = tree_.open(context);
  compute(context.subspan(path_.size()), kPrefillRows);
}

void Forward::compute(std::span<const TokenId> tokens, int rows) {
  while (!tokens.empty()) {
    const auto part = tokens.first(std::min<std::size_t>(rows, tokens.size()));
    tokens = tokens.subspan(part.size());
    step(part, rows == 1 || tokens.empty() ? Ask::kLast : Ask::kNothing);
    tree_.commit(path_, part);
  }
}

void Forward::verify(std::span<const TokenId> tokens) { step(tokens, Ask::kEveryRow); }

void Forward::step(std::span<const TokenId> tokens, Ask ask) {
  tree_.reserve(path_, static_cast<int>(tokens.size()));
  std::vector<kernels::Row> rows;
  std::vector<kernels::HeadQuery> queries;
  for (const TokenId token : tokens) {
    const auto row = static_cast<std::uint32_t>(rows.size());
    rows.push_back({token, static_cast<std::uint32_t>(path_.size()) + row, 0});
    const bool is_last = row + 1 == tokens.size();
    if (ask == Ask::kEveryRow || (ask == Ask::kLast && is_last)) queries.push_back({.row = row});
  }
  const auto pages = path_.pages();
  model_.run({rows, {&pages, 1}}, queries, *pool_, *workspace_, [] { return false; });
}

}  // namespace hearth::commands
