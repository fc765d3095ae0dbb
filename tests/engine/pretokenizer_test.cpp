#include "engine/pretokenizer.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

#include "engine/unicode_category.h"

namespace hearth::engine {
namespace {

struct Case {
  PreTokenizer pre_tokenizer;
  const char* words;  // the expected words, each followed by "|"
};

// What the patterns give by hand; the vectors and Hugging Face's library check them at large.
constexpr Case kCases[] = {
    {PreTokenizer::kGpt2, "def| f|(|x|):|\n   | return| 1234|.|5|"},
    {PreTokenizer::kGpt2, "I|'ll| don|'t| '|RE|"},
    {PreTokenizer::kGpt2, "  | x|  |"},
    {PreTokenizer::kGpt2, "a|\n\n|"},
    {PreTokenizer::kGpt2, "a|\n\n| b|"},
    {PreTokenizer::kGpt2, "né| Δx|½²|"},
    {PreTokenizer::kStarcoder, "x|1|2|3| |4|.|"},
    {PreTokenizer::kStarcoder, "a|  |7|b|"},
    {PreTokenizer::kQwen2, "I|'LL| x|=|1|2|3|;\n\n|    |\treturn|"},
    {PreTokenizer::kQwen2, "(foo|.bar|);\r\n|  | baz|"},
    {PreTokenizer::kQwen2, "a| \n \n|  | b|"},
    {PreTokenizer::kLlamaBpe, "x|123|456|7|  | y|"},
    {PreTokenizer::kDeepseekCoder, "if| a| ==| b|\n|1|2|日本|"},
    {PreTokenizer::kDeepseekLlm, "if| a| ==| b|\n|12|日本|  |"},
    {PreTokenizer::kDefault, "a|==|b| |123|4|"},
};

TEST(PreTokenizer, CutsAsThePatternsDo) {
  for (const Case& c : kCases) {
    std::string text;
    std::vector<std::string> expected = {""};
    for (const char* at = c.words; *at != '\0'; ++at) {
      if (*at == '|') {
        expected.emplace_back();
      } else {
        text += *at;
        expected.back() += *at;
      }
    }
    expected.pop_back();
    std::vector<std::string_view> words;
    cut_words(c.pre_tokenizer, text, words);
    EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), expected) << text;
  }
}

TEST(PreTokenizer, CoversEveryByteWhateverTheText) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = round % 50; i > 0; --i) {
      static const char* const kParts[] = {" ",  "\n",   "a",        "'",  "7", "é",
                                           "日", "\xff", "\xe6\x97", "、", "=", "\u3000"};
      text += kParts[random() % std::size(kParts)];
    }
    for (const auto pre_tokenizer :
         {PreTokenizer::kDefault, PreTokenizer::kGpt2, PreTokenizer::kStarcoder, PreTokenizer::kQwen2,
          PreTokenizer::kLlamaBpe, PreTokenizer::kDeepseekLlm, PreTokenizer::kDeepseekCoder}) {
      std::vector<std::string_view> words;
      cut_words(pre_tokenizer, text, words);
      std::string joined;
      for (const std::string_view word : words) {
        EXPECT_FALSE(word.empty());
        joined += word;
      }
      EXPECT_EQ(joined, text);
    }
  }
}

TEST(PreTokenizer, IsKnownByTheNamesFilesUse) {
  EXPECT_EQ(pre_tokenizer_named("smollm"), PreTokenizer::kStarcoder);
  EXPECT_EQ(pre_tokenizer_named("llama-bpe"), PreTokenizer::kLlamaBpe);
  EXPECT_EQ(pre_tokenizer_named("none of these"), std::nullopt);
}

TEST(Unicode, KnowsCategories) {
  const std::pair<char32_t, Category> cases[] = {
      {U'a', kLetter},        {U'7', kNumber},
      {U' ', kSpace},         {U'_', kPunctuation},
      {U'=', kOtherCategory}, {0xe9, kLetter},
      {0xb2, kNumber},        {0xa0, kSpace},
      {0x3001, kPunctuation}, {0x301, kOtherCategory},
      {0x65e5, kLetter},      {0x1f600, kOtherCategory},
      {0x1d7ce, kNumber},     {0x10ffff, kOtherCategory},
      {0x1c, kOtherCategory},
  };
  for (const auto& [value, category] : cases) {
    EXPECT_EQ(category_of(value), category) << std::hex << static_cast<unsigned>(value);
  }
}

TEST(Unicode, ReadsCodePointsAndRefusesWhatIsNone) {
  const std::pair<const char*, char32_t> good[] = {
      {"a", U'a'},        {"\u00e9", 0xe9},        {"\u0800", 0x800},
      {"\uffff", 0xffff}, {"\U00010000", 0x10000}, {"\U0010ffff", 0x10ffff}};
  for (const auto& [text, value] : good) {
    const CodePoint point = read_code_point(text);
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, value);
    EXPECT_EQ(static_cast<std::size_t>(point.bytes), std::string_view(text).size());
  }
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe6\x97", "\xf0\x9f\x98", "\xc3(", "\xff"}) {
    const CodePoint point = read_code_point(text);
    EXPECT_FALSE(point.valid);
    EXPECT_EQ(point.bytes, 1);
  }
}

}  // namespace
}  // namespace hearth::engine
