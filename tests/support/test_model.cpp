#include "tests/support/test_model.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>

#include "engine/prefix_tree.h"

namespace hearth::testing {

using engine::TokenId;

TestModel::TestModel(const RandomModelOptions& options, std::unique_ptr<kernels::Device> device)
    : bytes_(random_model(options)), device_(std::move(device)) {
  const auto file = engine::GgufFile::parse(std::as_bytes(std::span(bytes_)), "random.gguf");
  if (!file) {
    std::cerr << file.error().message << '\n';
    std::abort();
  }
  auto model = engine::Model::load(*file, *device_, [](double) { return true; });
  if (!model) {
    std::cerr << model.error().message << '\n';
    std::abort();
  }
  model_ = std::move(*model);
}

std::vector<std::vector<float>> TestModel::logits(const std::vector<TokenId>& tokens, int rows) const {
  const auto& shape = model_->description().shape;
  const int n = static_cast<int>(tokens.size());
  const auto pool = model_->make_page_pool(n / kernels::kPageTokens + 1);
  const auto workspace = device_->make_workspace(shape, rows);
  engine::PrefixTree tree(*pool);
  auto path = tree.open({});
  std::vector<TokenId> every(shape.n_vocab);
  std::iota(every.begin(), every.end(), 0);
  std::vector<std::vector<float>> logits;
  while (path.size() < n) {
    const int from = path.size();
    const int count = std::min(rows, n - from);
    if (!tree.reserve(path, count)) std::abort();
    std::vector<kernels::Row> step_rows;
    std::vector<kernels::HeadQuery> queries;
    for (int i = 0; i < count; ++i) {
      step_rows.push_back({tokens[from + i], static_cast<std::uint32_t>(from + i), 0});
      queries.push_back({.row = static_cast<std::uint32_t>(i), .ids = every});
    }
    const auto pages = path.pages();
    const auto answers =
        model_->run({step_rows, {&pages, 1}}, queries, *pool, *workspace, [] { return false; });
    for (const auto& answer : *answers) logits.push_back(answer.logits);
    tree.commit(path, std::span(tokens).subspan(from, count));
  }
  tree.close(path);
  return logits;
}

std::vector<TokenId> random_tokens(int n, std::uint32_t seed, int vocabulary) {
  std::mt19937 random(seed);
  std::vector<TokenId> tokens(n);
  for (auto& token : tokens) token = static_cast<TokenId>(random() % vocabulary);
  return tokens;
}

}  // namespace hearth::testing
