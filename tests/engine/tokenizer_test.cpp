#include "engine/tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

#include "engine/pretokenizer.h"
#include "tests/support/gguf_builder.h"

namespace hearth::engine {
namespace {

using testing::GgufBuilder;

std::unique_ptr<const Tokenizer> make(const GgufBuilder& builder) {
  const std::string bytes = builder.build();
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "test.gguf");
  EXPECT_TRUE(file) << file.error().message;
  auto tokenizer = Tokenizer::from_gguf(*file);
  EXPECT_TRUE(tokenizer) << tokenizer.error().message;
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

std::string why_not(const GgufBuilder& builder) {
  const std::string bytes = builder.build();
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "test.gguf");
  EXPECT_TRUE(file) << file.error().message;
  const auto tokenizer = Tokenizer::from_gguf(*file);
  EXPECT_FALSE(tokenizer);
  return tokenizer ? "" : tokenizer.error().message;
}

enum Type : std::int32_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

// A SentencePiece vocabulary: <unk>, <s>, 256 bytes, then the pieces with falling scores.
struct SpmParts {
  std::vector<std::string> texts = {"<unk>", "<s>"};
  std::vector<std::int32_t> types = {kUnknown, kControl};
  std::vector<float> scores = {0, 0};

  explicit SpmParts(const std::vector<std::string>& pieces) {
    for (int byte = 0; byte < 256; ++byte) {
      char text[8];
      std::snprintf(text, sizeof text, "<0x%02X>", byte);
      add(text, kByte, 0);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) add(pieces[i], kNormal, -static_cast<float>(i));
  }

  void add(const std::string& text, Type type, float score) {
    texts.push_back(text);
    types.push_back(type);
    scores.push_back(score);
  }

  GgufBuilder file() const {
    GgufBuilder builder;
    builder.key("tokenizer.ggml.model", std::string("llama"))
        .key("tokenizer.ggml.tokens", texts)
        .key("tokenizer.ggml.token_type", types)
        .key("tokenizer.ggml.scores", scores)
        .key("tokenizer.ggml.unknown_token_id", std::uint32_t{0})
        .key("tokenizer.ggml.bos_token_id", std::uint32_t{1});
    return builder;
  }
};

// GPT-2's characters for bytes: all that the tests' merges need.
std::string gpt2_text(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += c == ' ' ? "Ġ" : c == '\n' ? "Ċ" : std::string(1, c);
  return out;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A byte-level vocabulary: the printable ASCII characters, blank and newline, then one piece a merge.
struct BpeParts {
  std::vector<std::string> texts, merges;
  std::vector<std::int32_t> types;

  explicit BpeParts(const Pairs& pairs) {
    for (char c = '!'; c <= '~'; ++c) add(std::string(1, c), kNormal);
    add("Ġ", kNormal);
    add("Ċ", kNormal);
    for (const auto& [left, right] : pairs) {
      merges.push_back(gpt2_text(left) + " " + gpt2_text(right));
      const std::string merged = gpt2_text(left + right);
      if (std::find(texts.begin(), texts.end(), merged) == texts.end()) add(merged, kNormal);
    }
  }

  void add(const std::string& text, Type type) {
    texts.push_back(text);
    types.push_back(type);
  }

  GgufBuilder file(const std::string& pre = "gpt-2") const {
    GgufBuilder builder;
    builder.key("tokenizer.ggml.model", std::string("gpt2"))
        .key("tokenizer.ggml.pre", pre)
        .key("tokenizer.ggml.tokens", texts)
        .key("tokenizer.ggml.token_type", types)
        .key("tokenizer.ggml.merges", merges);
    return builder;
  }
};

// The text's tokens as their bytes, each followed by "|".
std::string pieces(const Tokenizer& tokenizer, std::string_view text) {
  std::string out;
  for (const TokenId token : tokenizer.encode(text)) out += std::string(tokenizer.bytes(token)) + "|";
  return out;
}

std::string random_text(std::mt19937& random, const std::string& alphabet) {
  std::string text;
  for (std::size_t n = random() % 40; n > 0; --n) text += alphabet[random() % alphabet.size()];
  return text;
}

std::string random_bytes(std::mt19937& random) {
  static const char* const kParts[] = {"int ", "x = ", "\n    ",   "é",        "日本", "😶‍🌫️",
                                       "▁",    "\xff", "\xe6\x97", "\xc0\x80", "'s"};
  std::string text;
  for (std::size_t n = random() % 30; n > 0; --n) {
    if (random() % 3 == 0)
      text += static_cast<char>(random());
    else
      text += kParts[random() % std::size(kParts)];
  }
  return text;
}

TEST(SpmTokenizer, JoinsTheHighestScoreFirstAndOfEqualOnesTheLeftmost) {
  SpmParts parts({"a", "b", "c", "bc", "ab", "abc"});
  parts.add("xx", kNormal, -2);
  parts.add("x", kNormal, -9);
  const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(pieces(*tokenizer, "abc"), "abc|");
  EXPECT_EQ(pieces(*tokenizer, "abab"), "ab|ab|");
  EXPECT_EQ(pieces(*tokenizer, "abcb"), "abc|b|");
  EXPECT_EQ(pieces(*tokenizer, "xxx"), "xx|x|");
}

TEST(SpmTokenizer, PutsASpaceFirstUnlessTheFileSaysNot) {
  const SpmParts parts({"▁", "▁a", "a", "▁▁"});
  const auto adding = make(parts.file());
  EXPECT_EQ(pieces(*adding, "a a"), " a| a|");
  EXPECT_EQ(adding->decode(adding->encode("a a")), "a a");
  EXPECT_EQ(adding->decode(adding->encode(" a")), " a");
  EXPECT_TRUE(adding->encode("").empty());
  EXPECT_TRUE(adding->special().add_bos);
  const auto plain = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(pieces(*plain, "a a"), "a| a|");
}

TEST(SpmTokenizer, HasPiecesThatReachAcrossLines) {
  const SpmParts parts({"\n", "▁", "a", ";", "▁▁", "\n▁▁", ";\n▁▁"});
  const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(pieces(*tokenizer, "a;\n  a"), "a|;\n  |a|");
}

TEST(SpmTokenizer, FallsBackToBytesAndTakesMarkersAsText) {
  SpmParts parts({"a", "<", "s", ">", "<s", "<s>"});
  const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(tokenizer->encode("é"), (std::vector<TokenId>{2 + 0xc3, 2 + 0xa9}));
  EXPECT_EQ(tokenizer->encode("<0x0A>").size(), 6u);  // its characters, not the byte token
  EXPECT_NE(tokenizer->encode("<s>").front(), 1);
  EXPECT_TRUE(tokenizer->bytes(1).empty());
  EXPECT_TRUE(tokenizer->is_control(1));
  EXPECT_TRUE(tokenizer->is_control(0));
  EXPECT_FALSE(tokenizer->is_control(2));
  EXPECT_TRUE(tokenizer->bytes(-1).empty());
  EXPECT_TRUE(tokenizer->bytes(tokenizer->size()).empty());
}

TEST(SpmTokenizer, FindsUserDefinedTokensInTextTheLongestFirst) {
  SpmParts parts({"a", "b"});
  parts.add("<x>", kUserDefined, 0);
  parts.add("<x><y>", kUserDefined, 0);
  const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(pieces(*tokenizer, "a<x><y>b<x>"), "a|<x><y>|b|<x>|");
}

TEST(SpmTokenizer, JoinsAsTheSlowWayDoes) {
  std::mt19937 random(17);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> texts = {"a", "b", "c"};  // "d" is a character of pieces only
    for (int i = 0; i < 30; ++i) {
      std::string piece;
      for (std::size_t n = 2 + random() % 3; n > 0; --n) piece += "abcd"[random() % 4];
      if (std::find(texts.begin(), texts.end(), piece) == texts.end()) texts.push_back(piece);
    }
    std::map<std::string, int> score;
    SpmParts parts({});
    for (const std::string& text : texts) {
      score[text] = static_cast<int>(random() % 12);
      parts.add(text, kNormal, static_cast<float>(score[text]));
    }
    const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", false));
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(random, "abcde");
      std::vector<std::string> symbols;
      for (const char c : text) symbols.emplace_back(1, c);
      while (true) {
        std::optional<std::size_t> best;
        const auto joined = [&](std::size_t at) { return score.find(symbols[at] + symbols[at + 1]); };
        for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
          if (joined(at) != score.end() && (!best || joined(at)->second > joined(*best)->second)) best = at;
        }
        if (!best) break;
        symbols[*best] += symbols[*best + 1];
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
      }
      std::string expected;
      for (const std::string& symbol : symbols) expected += symbol + "|";
      EXPECT_EQ(pieces(*tokenizer, text), expected) << text;
    }
  }
}

TEST(BpeTokenizer, JoinsTheLowestRankFirst) {
  const BpeParts parts({{"b", "c"}, {"a", "b"}, {"a", "bc"}, {" ", "a"}});
  const auto tokenizer = make(parts.file());
  EXPECT_EQ(pieces(*tokenizer, "abc"), "abc|");
  EXPECT_EQ(pieces(*tokenizer, "abab a"), "ab|ab| a|");
  EXPECT_FALSE(tokenizer->special().add_bos);
}

TEST(BpeTokenizer, JoinsAsTheSlowWayDoes) {
  std::mt19937 random(23);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> known = {"a", "b", "c", "d"};
    Pairs pairs;
    for (int i = 0; i < 25; ++i) {
      const auto pair = std::pair(known[random() % known.size()], known[random() % known.size()]);
      if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) continue;
      pairs.push_back(pair);
      known.push_back(pair.first + pair.second);
    }
    const auto tokenizer = make(BpeParts(pairs).file());
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(random, "abcd");
      std::vector<std::string> symbols;
      for (const char c : text) symbols.emplace_back(1, c);
      bool joined = true;
      while (joined) {
        joined = false;
        for (const auto& [left, right] : pairs) {
          for (std::size_t at = 0; at + 1 < symbols.size() && !joined; ++at) {
            if (symbols[at] != left || symbols[at + 1] != right) continue;
            symbols[at] += right;
            symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            joined = true;
          }
          if (joined) break;
        }
      }
      std::string expected;
      for (const std::string& symbol : symbols) expected += symbol + "|";
      EXPECT_EQ(pieces(*tokenizer, text), expected) << text;
      EXPECT_EQ(pieces(*tokenizer, text), expected) << "remembered: " << text;
    }
  }
}

TEST(BpeTokenizer, PutsWholeWordsBeforeMergesWhereTheModelDoes) {
  BpeParts parts(Pairs{{"a", "b"}});
  parts.add("abc", kNormal);  // no merge leads to it
  EXPECT_EQ(pieces(*make(parts.file("gpt-2")), "abc"), "ab|c|");
  const auto llama = make(parts.file("llama-bpe"));
  EXPECT_EQ(pieces(*llama, "abc"), "abc|");
  EXPECT_TRUE(llama->special().add_bos);
}

TEST(BpeTokenizer, FindsUserDefinedTokensButNoMarkers) {
  BpeParts parts(Pairs{{"a", "b"}});
  parts.add("<tool>", kUserDefined);
  parts.add("<|endoftext|>", kControl);
  parts.add("<|fim_prefix|>", kUserDefined);  // some files have their markers so
  const auto tokenizer = make(parts.file());
  EXPECT_EQ(pieces(*tokenizer, "ab<tool>ab"), "ab|<tool>|ab|");
  EXPECT_EQ(tokenizer->encode("<|endoftext|>").size(), 13u);
  EXPECT_EQ(tokenizer->encode("<|fim_prefix|>").size(), 14u);
  const auto prefix = tokenizer->special().fim_prefix;
  ASSERT_TRUE(prefix);
  EXPECT_TRUE(tokenizer->is_control(*prefix));
  EXPECT_TRUE(tokenizer->ends_generation(*prefix));
  EXPECT_TRUE(tokenizer->ends_generation(tokenizer->special().eot.value()));
  EXPECT_FALSE(tokenizer->ends_generation(tokenizer->encode("<tool>").front()));
}

TEST(Tokenizer, TakesMarkersFromTheirKeysFirst) {
  BpeParts parts(Pairs{{"a", "b"}});
  parts.add("<fim_prefix>", kControl);
  parts.add("<extra>", kControl);
  const auto extra = static_cast<std::uint32_t>(parts.texts.size() - 1);
  const auto tokenizer = make(parts.file().key("tokenizer.ggml.fim_pre_token_id", extra));
  EXPECT_EQ(tokenizer->special().fim_prefix, static_cast<TokenId>(extra));
  EXPECT_EQ(tokenizer->special().fim_suffix, std::nullopt);
}

TEST(Tokenizer, SaysWhatIsWrongWithAVocabulary) {
  const SpmParts spm({"a"});
  const BpeParts bpe(Pairs{{"a", "b"}});
  const auto expect_named = [](const GgufBuilder& builder, std::initializer_list<const char*> names) {
    const std::string message = why_not(builder);
    for (const char* name : names)
      EXPECT_NE(message.find(name), std::string::npos) << message << " lacks " << name;
  };
  expect_named(GgufBuilder(), {"test.gguf", "tokenizer.ggml.model"});
  expect_named(GgufBuilder().key("tokenizer.ggml.model", std::string("bert")),
               {"tokenizer.ggml.model", "bert"});
  expect_named(GgufBuilder().key("tokenizer.ggml.model", std::string("gpt2")), {"tokenizer.ggml.tokens"});
  expect_named(bpe.file("strange"), {"tokenizer.ggml.pre", "strange"});
  expect_named(bpe.file().key("tokenizer.ggml.bos_token_id", std::uint32_t{5000}), {"bos_token_id", "5000"});
  expect_named(spm.file().key("tokenizer.ggml.remove_extra_whitespaces", true), {"remove_extra_whitespaces"});

  BpeParts lost = bpe;
  lost.merges.push_back("x yz");
  expect_named(lost.file(), {"tokenizer.ggml.merges", "element 1", "x yz"});
  lost.merges.back() = "xyz";
  expect_named(lost.file(), {"tokenizer.ggml.merges", "xyz"});
  lost.merges.clear();
  expect_named(lost.file(), {"tokenizer.ggml.merges"});

  SpmParts odd = spm;
  odd.types.back() = 9;
  expect_named(odd.file(), {"token_type", "9"});
  odd.types.pop_back();
  expect_named(odd.file(), {"token_type", "258", "259"});
  odd = spm;
  odd.texts[2] = "<0xZZ>";
  expect_named(odd.file(), {"tokenizer.ggml.tokens", "<0xZZ>"});
  odd = spm;
  odd.scores.back() = std::numeric_limits<float>::quiet_NaN();
  expect_named(odd.file(), {"tokenizer.ggml.scores", "258"});
}

TEST(Tokenizer, GivesTheSameTokensToThreadsThatShareIt) {
  const auto tokenizer = make(BpeParts({{"a", "b"}, {"ab", "ab"}, {" ", "a"}}).file());
  std::string text;
  for (int i = 0; i < 500; ++i) text += " abab ba" + std::string(static_cast<std::size_t>(i % 7), 'a');
  const auto expected = tokenizer->encode(text);
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int& count : same) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) count += tokenizer->encode(text) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 20));
}

TEST(Tokenizer, GivesAnyBytesBack) {
  const SpmParts parts({"a", "▁", "i", "n", "t", "in", "int", "▁▁", "é", "\n", "\n▁▁▁▁", "x"});
  std::mt19937 random(29);
  for (const bool adds_space : {false, true}) {
    const auto tokenizer = make(parts.file().key("tokenizer.ggml.add_space_prefix", adds_space));
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_bytes(random);
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    }
  }
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TokenizerVectors : public ::testing::TestWithParam<const char*> {
 protected:
  // Null, and the test skipped, where the vectors are not there.
  std::unique_ptr<const Tokenizer> open() {
    path_ = std::string(HEARTH_SOURCE_DIR "/../shared/vectors/tokenizers/ggml-vocab-") + GetParam() + ".gguf";
    if (!std::filesystem::exists(path_)) return nullptr;
    const auto file = GgufFile::open(path_);
    EXPECT_TRUE(file) << file.error().message;
    auto tokenizer = Tokenizer::from_gguf(*file);
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    return std::move(*tokenizer);
  }

  std::string path_;
};

TEST_P(TokenizerVectors, AreReproducedAndDecodedBack) {
  const auto tokenizer = open();
  if (tokenizer == nullptr) GTEST_SKIP() << "no " << path_;
  const std::string separator = "\n__ggml_vocab_test__\n";
  const std::string texts = read_file(path_ + ".inp");
  std::istringstream lines(read_file(path_ + ".out"));
  int cases = 0;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = std::min(texts.find(separator, at), texts.size());
    const std::string text = texts.substr(at, end - at);
    at = end + separator.size();
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream words(line);
    const std::vector<TokenId> expected{std::istream_iterator<TokenId>(words), {}};
    EXPECT_EQ(tokenizer->encode(text), expected) << text;
    EXPECT_EQ(tokenizer->decode(expected), text);
    ++cases;
  }
  EXPECT_GT(cases, 40);
  std::string line;
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_P(TokenizerVectors, GiveBackAnyBytesTheirVocabularyHas) {
  const auto tokenizer = open();
  if (tokenizer == nullptr) GTEST_SKIP() << "no " << path_;
  std::mt19937 random(31);
  for (int i = 0; i < 1000; ++i) {
    std::string text = random_bytes(random);
    std::erase_if(text, [&](char byte) { return tokenizer->encode({&byte, 1}).empty(); });
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerVectors,
                         ::testing::Values("llama-spm", "gpt-2", "starcoder", "refact", "deepseek-coder",
                                           "deepseek-llm", "qwen2", "llama-bpe"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hearth::engine
