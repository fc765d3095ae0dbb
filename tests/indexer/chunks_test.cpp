#include "indexer/chunks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace hearth::indexer {
namespace {

cache::SymbolRow symbol(const char* kind, std::uint32_t first, std::uint32_t last) {
  cache::SymbolRow row;
  row.kind = kind;
  row.start_line = first;
  row.end_line = last;
  return row;
}

std::string described(const std::vector<cache::ChunkRow>& chunks) {
  std::string text;
  for (const cache::ChunkRow& chunk : chunks)
    text += std::to_string(chunk.start_line) + '-' + std::to_string(chunk.end_line) + ' ';
  return text;
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line\n";
  return text;
}

TEST(Chunks, AreDefinitionsAndWindowsBetweenThem) {
  EXPECT_EQ("", described(chunks_of("", {})));
  EXPECT_EQ("", described(chunks_of("\n  \n", {})));
  EXPECT_EQ("0-39 40-79 80-99 ", described(chunks_of(lines(100), {})));
  EXPECT_EQ("0-4 5-9 10-19 ", described(chunks_of(lines(20), {symbol("function", 5, 9)})));
  EXPECT_EQ("0-9 10-19 ", described(chunks_of(lines(20), {symbol("class", 0, 9), symbol("method", 2, 3)})));
  EXPECT_EQ("0-1 2-9 10-19 20-39 40-79 80-99 ",
            described(chunks_of(lines(100), {symbol("class", 0, 99), symbol("field", 0, 1),
                                             symbol("method", 2, 9), symbol("method", 20, 39)})));
}

TEST(Chunks, CoverEveryLineThatSaysSomethingOnce) {
  std::minstd_rand random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    const int count = static_cast<int>(random() % 200);
    for (int i = 0; i < count; ++i) text += random() % 4 == 0 ? "\n" : "some text\n";
    std::vector<cache::SymbolRow> symbols;
    for (int i = 0; i < 6 && count > 0; ++i) {
      const std::uint32_t first = random() % static_cast<unsigned>(count);
      symbols.push_back(symbol("function", first, first + random() % 80));
    }
    std::ranges::sort(symbols, {}, &cache::SymbolRow::start_line);
    std::string rest = text;
    std::uint32_t done = 0;
    for (const cache::ChunkRow& chunk : chunks_of(text, symbols)) {
      ASSERT_GE(chunk.start_byte, done);
      ASSERT_LE(chunk.end_byte, text.size());
      EXPECT_LE(chunk.end_line - chunk.start_line + 1, kMaxChunkLines);
      for (std::uint32_t at = chunk.start_byte; at < chunk.end_byte; ++at) rest[at] = ' ';
      done = chunk.end_byte;
    }
    EXPECT_EQ(std::string::npos, rest.find_first_not_of(" \n"));
  }
}

}  // namespace
}  // namespace hearth::indexer
