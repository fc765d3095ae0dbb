#include "engine/workspace_memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "tests/support/test_model.h"

namespace hearth::engine {
namespace {

using testing::TestModel;

constexpr std::uint64_t kWhole = ~std::uint64_t{0};

struct Bench {
  explicit Bench(std::uint64_t limit = 64 << 20)
      : pool(1), model({}, kernels::make_cpu_device(pool)), memory(model.model().tokenizer(), limit) {}

  void remember(const std::string& document, std::int64_t version, std::vector<TextEdit> edits) {
    memory.remember({document, version, std::move(edits)});
    while (memory.work(WorkspaceMemory::Urgency::kAll)) {
    }
  }

  // Texts that followed, of each place of the longest match.
  std::vector<std::string> followers(const std::string& before, const std::string& own = {},
                                     const std::vector<std::string>& masked = {}, std::size_t bytes = 4) {
    const auto& tokenizer = model.model().tokenizer();
    std::vector<WorkspaceMemory::Occurrence> found;
    memory.find(tokenizer.encode(before), memory.view(own, masked), found);
    int longest = 0;
    for (const auto& occurrence : found) longest = std::max(longest, occurrence.length);
    std::vector<std::string> texts;
    for (const auto& occurrence : found) {
      if (occurrence.length == longest)
        texts.push_back(tokenizer.decode(occurrence.following).substr(0, bytes));
    }
    return texts;
  }

  kernels::ThreadPool pool;
  TestModel model;
  WorkspaceMemory memory;
};

std::string random_lines(std::mt19937& random, int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    for (int n = static_cast<int>(random() % 12); n > 0; --n)
      text += std::vector<std::string>{"return ", "self.", "def ", "x1", " = ", "(", "é", "\t"}[random() % 8];
    text += random() % 9 == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST(WorkspaceMemory, HoldsTheTextThatTheEditsMake) {
  Bench bench;
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    const std::string name = "d" + std::to_string(round);
    std::string text = random_lines(random, static_cast<int>(random() % 300));
    bench.remember(name, 1, {{0, 0, text}});
    for (int version = 2; version < 30; ++version) {
      std::vector<TextEdit> edits;
      for (int n = static_cast<int>(random() % 3); n >= 0; --n) {
        const std::size_t begin = random() % (text.size() + 1);
        const std::size_t removed = random() % 8 == 0 ? random() % (text.size() - begin + 1) : random() % 3;
        edits.push_back({begin, removed, random_lines(random, static_cast<int>(random() % 3))});
        text.replace(begin, std::min(removed, text.size() - begin), edits.back().text);
      }
      bench.remember(name, version, edits);
      ASSERT_EQ(bench.memory.text(name), text);
    }
  }
}

TEST(WorkspaceMemory, AnswersFromEveryDocumentButTheMasked) {
  Bench bench;
  bench.remember("a", 1, {{0, 0, "total = first_value(self)\n"}});
  bench.remember("b", 1, {{0, 0, "total = other_value(self)\n"}});
  EXPECT_EQ(bench.followers("total = "), (std::vector<std::string>{"othe", "firs"}));
  EXPECT_EQ(bench.followers("total = ", {}, {"b"}), (std::vector<std::string>{"firs"}));
  EXPECT_TRUE(bench.followers("total = ", {}, {"a", "b", "unknown"}).empty());
}

TEST(WorkspaceMemory, DoesNotAnswerFromThePlaceThatIsAskedAbout) {
  Bench bench;
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += "row_" + std::to_string(i) + " = " + std::to_string(i * 7) + "\n";
  bench.remember("a", 1, {{0, 0, lines + "total = self\n"}});
  EXPECT_EQ(bench.followers(lines + "total = ", "b"), (std::vector<std::string>{"self"}));
  const auto own = bench.followers(lines + "total = ", "a");
  EXPECT_EQ(std::ranges::count(own, "self"), 0);
}

// Files repeat themselves for longer than matches are compared.
TEST(WorkspaceMemory, AnswersFromALongRepetitionInTheSameDocument) {
  Bench bench;
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += "row_" + std::to_string(i) + " = " + std::to_string(i * 7) + "\n";
  const std::string before = "first = 1\n" + rows + "total = self\nsecond = 2\n" + rows;
  bench.remember("a", 1, {{0, 0, before + "total = \nother = 3\n"}});
  EXPECT_EQ(bench.followers(before + "total = ", "a"), (std::vector<std::string>{"self"}));
}

TEST(WorkspaceMemory, TakesAWholeTextForWhatHasChangedInIt) {
  Bench bench;
  std::string rows;
  for (int i = 0; i < 9000; ++i) rows += "row_" + std::to_string(i) + " = " + std::to_string(i * 7) + "\n";
  bench.remember("a", 1, {{0, 0, rows}});
  std::string changed = rows;
  changed.replace(rows.size() / 2, 3, "other");
  bench.memory.remember({"a", 2, {{0, kWhole, changed}}});
  EXPECT_LE(bench.memory.pending(), 4u);
  EXPECT_EQ(bench.memory.text("a"), changed);
  bench.memory.remember({"a", 3, {{0, kWhole, changed}}});
  EXPECT_LE(bench.memory.pending(), 4u);
  while (bench.memory.work(WorkspaceMemory::Urgency::kEdits)) {
  }
  EXPECT_EQ(bench.memory.pending(), 0u);
  std::ranges::reverse(changed);
  bench.memory.remember({"a", 4, {{0, kWhole, changed}}});
  EXPECT_GT(bench.memory.pending(), 50u);
  EXPECT_FALSE(bench.memory.work(WorkspaceMemory::Urgency::kEdits)) << "much that is new waits";
}

TEST(WorkspaceMemory, HoldsNoDocumentThatIsLargerThanAll) {
  Bench bench(1 << 20);
  bench.remember("small", 1, {{0, 0, "total = first_value(self)\n"}});
  bench.remember("large", 1, {{0, 0, std::string(1 << 20, '\n')}});
  EXPECT_EQ(bench.memory.documents(), 1u);
  EXPECT_EQ(bench.followers("total = "), (std::vector<std::string>{"firs"}));
}

TEST(WorkspaceMemory, ForgetsOldVersionsAndDocuments) {
  Bench bench;
  bench.remember("a", 1, {{0, 0, "total = first_value(self)\n"}});
  bench.remember("a", 2, {{8, 5, "second"}});
  EXPECT_EQ(bench.memory.text("a"), "total = second_value(self)\n");
  EXPECT_EQ(bench.followers("total = "), (std::vector<std::string>{"seco"}));
  bench.remember("a", 2, {{0, kWhole, "of an old version"}});
  EXPECT_EQ(bench.memory.text("a"), "total = second_value(self)\n");
  bench.remember("a", 3, {{0, kWhole, "total = third_value(self)\n"}});
  EXPECT_EQ(bench.followers("total = "), (std::vector<std::string>{"thir"}));
  bench.memory.forget("a");
  EXPECT_TRUE(bench.followers("total = ").empty());
  EXPECT_EQ(bench.memory.documents(), 0u);
  bench.remember("a", 4, {{8, 5, "fourth"}});
  bench.remember("a", 5, {{8, 0, "f"}});
  EXPECT_EQ(bench.memory.documents(), 0u) << "of a text that is not known any more";
}

// Words that hardly come twice side by side, so that there are fewer places than are looked at.
std::string random_rows(std::mt19937& random, int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    for (int n = 0; n < 5; ++n) text += std::to_string(random() % 100000) + (n == 4 ? "\n" : " = ");
  }
  return text;
}

// Random documents come, change and go; what is found is what a memory that never saw the old versions finds.
TEST(WorkspaceMemory, FindsWhatAFreshMemoryOfTheSameTextsFinds) {
  Bench bench;
  std::mt19937 random(8);
  std::map<std::string, std::string> texts;
  for (int version = 1; version < 400; ++version) {
    const std::string name = "d" + std::to_string(random() % 5);
    if (random() % 20 == 0) {
      bench.memory.forget(name);
      texts.erase(name);
      continue;
    }
    const std::string text = random_rows(random, 60 + static_cast<int>(random() % 60));
    bench.remember(name, version, {{0, kWhole, text}});
    texts[name] = text;
  }
  Bench fresh;
  for (const auto& [name, text] : texts) fresh.remember(name, 1, {{0, 0, text}});
  for (const auto& [name, text] : texts) {
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = text.find('\n', random() % text.size());
      if (at == std::string::npos || at < 60) continue;
      const std::string before = text.substr(at - 50, 45);
      auto seen = bench.followers(before), expected = fresh.followers(before);
      std::ranges::sort(seen);
      std::ranges::sort(expected);
      EXPECT_EQ(seen, expected);
    }
  }
  EXPECT_LT(bench.memory.bytes(), 4 * fresh.memory.bytes()) << "what is gone is given back";
}

TEST(WorkspaceMemory, KeepsWithinItsLimitByForgettingWhatWasUsedLongestAgo) {
  Bench bench(1 << 20);
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i)
    bench.remember("d" + std::to_string(i), 1, {{0, 0, random_lines(random, 400)}});
  EXPECT_LT(bench.memory.documents(), 90u);
  EXPECT_TRUE(bench.memory.knows("d99"));
  EXPECT_FALSE(bench.memory.knows("d0"));
}

TEST(WorkspaceMemory, WorksAtEditsBeforeWhatIsNew) {
  Bench bench;
  bench.remember("a", 1, {{0, 0, "total = first_value(self)\n"}});
  bench.memory.remember({"b", 1, {{0, 0, "total = other_value(self)\n"}}});
  bench.memory.remember({"a", 2, {{8, 5, "second"}}});
  while (bench.memory.work(WorkspaceMemory::Urgency::kEdits)) {
  }
  EXPECT_EQ(bench.memory.pending(), 1u);
  EXPECT_EQ(bench.followers("total = "), (std::vector<std::string>{"seco"}));
}

}  // namespace
}  // namespace hearth::engine
