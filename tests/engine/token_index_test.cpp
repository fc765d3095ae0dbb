#include "engine/token_index.h"

#include <gtest/gtest.h>

#include "tests/support/random_model.h"

namespace hearth::engine {
namespace {

std::unique_ptr<const Tokenizer> tokenizer() {
  const std::string bytes = testing::random_model({.n_layers = 1});
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "random.gguf");
  return std::move(*Tokenizer::from_gguf(*file));
}

TEST(TokenIndex, AllowsExactlyTheTokensOnTheWayToTheText) {
  const auto tokens = tokenizer();
  const TokenIndex index(*tokens);
  for (const std::string_view required :
       {"re", "return", " ", "  ", "val", "self.", "\n    ", "\xD0", "\xD0\xBF", "zq"}) {
    const auto allowed = index.tokens_towards(required);
    for (TokenId token = 0; token < tokens->size(); ++token) {
      const auto bytes = tokens->bytes(token);
      const bool expected = !tokens->is_control(token) && !bytes.empty() &&
                            (bytes.starts_with(required) || required.starts_with(bytes));
      EXPECT_EQ((allowed[token / 64] >> (token % 64) & 1) != 0, expected) << required << " token " << token;
    }
  }
}

}  // namespace
}  // namespace hearth::engine
