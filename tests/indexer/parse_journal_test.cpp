#include "indexer/parse_journal.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "indexer/document_outliner.h"
#include "indexer/file_analysis.h"
#include "tests/support/crashed_parsing.h"
#include "tests/support/indexed_workspace.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

using tests::crash_parsing;
using tests::die;

// As from outside, or by another thread's fault.
void die_parsing(const fs::path& folder, const std::string& file, std::uint64_t hash) {
  die([&] {
    ParseJournal journal(folder);
    const auto parsing = journal.begin(file, hash);
    ::kill(::getpid(), SIGKILL);
  });
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(ParseJournal, BlamesATextForOneCrashOfItsParser) {
  const testing::TemporaryFolder folder;
  die([&] {
    ParseJournal journal(folder / "stores");
    std::atomic<bool> begun = false;
    const auto beside = std::jthread([&] {
      const auto parsing = journal.begin("/beside.py", 1);
      begun = true;
      begun.notify_one();
      while (true) ::pause();
    });
    begun.wait(false);
    { const auto done = journal.begin("/done.py", 1); }
    const auto parsing = journal.begin("/a.py", 1);
    std::abort();
  });
  const ParseJournal journal(folder / "stores");
  EXPECT_TRUE(journal.crashed("/a.py", 1));
  EXPECT_TRUE(journal.ever_crashed("/a.py"));
  EXPECT_FALSE(journal.crashed("/a.py", 2));
  EXPECT_FALSE(journal.crashed("/beside.py", 1) || journal.ever_crashed("/beside.py"));
  EXPECT_TRUE(journal.suspected("/beside.py"));
  EXPECT_FALSE(journal.suspected("/done.py"));
}

int overrun(const volatile int* levels) {
  const volatile int left[1024] = {*levels - 1};
  return left[0] > 0 ? overrun(left) + left[1] : 0;
}

TEST(ParseJournal, BlamesATextForOneOverrunOfTheStack) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer handles the signal";
#endif
  const testing::TemporaryFolder folder;
  die([&] {
    ParseJournal journal(folder / "stores");
    std::jthread([&] {
      const auto parsing = journal.begin("/deep.py", 1);
      const volatile int levels = 1 << 20;  // 4 GiB
      overrun(&levels);
    }).join();
  });
  EXPECT_TRUE(ParseJournal(folder / "stores").crashed("/deep.py", 1));
}

TEST(ParseJournal, BlamesATextForTheSecondDeathThatSomethingElseMayHaveCaused) {
  const testing::TemporaryFolder folder;
  die_parsing(folder / "stores", "/a.py", 1);
  EXPECT_FALSE(ParseJournal(folder / "stores").crashed("/a.py", 1));
  die_parsing(folder / "stores", "/a.py", 2);
  EXPECT_FALSE(ParseJournal(folder / "stores").crashed("/a.py", 1));
  die_parsing(folder / "stores", "/a.py", 1);
  EXPECT_TRUE(ParseJournal(folder / "stores").crashed("/a.py", 1));
}

TEST(ParseJournal, LeavesAFileAloneOfWhichTwoTextsCrash) {
  const testing::TemporaryFolder folder;
  for (const std::uint64_t hash : {1, 2}) {
    EXPECT_FALSE(ParseJournal(folder / "stores").crashed("/a.py", 3));
    crash_parsing(folder / "stores", "/a.py", hash);
  }
  EXPECT_TRUE(ParseJournal(folder / "stores").crashed("/a.py", 3));
}

TEST(ParseJournal, LeavesNothingAfterAGoodEndAndAfterAWeek) {
  const testing::TemporaryFolder folder;
  const fs::path stores = folder / "stores";
  { ParseJournal(stores).begin("/a.py", 1); }
  EXPECT_EQ(0U, files_in(stores));
  die([&] { ParseJournal journal(stores); });
  { const ParseJournal next(stores); }
  EXPECT_EQ(0U, files_in(stores));
  crash_parsing(stores, "/a.py", 1);
  for (const fs::path& left : fs::directory_iterator(stores))
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(8 * 24));
  EXPECT_FALSE(ParseJournal(stores).crashed("/a.py", 1));
  EXPECT_EQ(0U, files_in(stores));
}

TEST(ParseJournal, IsForgottenWithItsWorkspace) {
  const testing::TemporaryFolder folder;
  const fs::path stores = folder / "stores";
  crash_parsing(stores, "/shop/a.py", 1);
  crash_parsing(stores, "/shopping/a.py", 1);
  ParseJournal::forget(stores, "/shop");
  const ParseJournal journal(stores);
  EXPECT_FALSE(journal.crashed("/shop/a.py", 1));
  EXPECT_TRUE(journal.crashed("/shopping/a.py", 1));
}

TEST(ParseJournal, TakesNothingFromAProcessThatIsStillThere) {
  const testing::TemporaryFolder folder;
  ParseJournal alive(folder / "stores");
  const auto parsing = alive.begin("/a.py", 1);
  EXPECT_FALSE(ParseJournal(folder / "stores").suspected("/a.py"));
  EXPECT_EQ(1U, files_in(folder / "stores"));
}

TEST(ParseJournal, TakesMoreTextsAtOnceThanItHasRoomFor) {
  const testing::TemporaryFolder folder;
  die([&] {
    ParseJournal journal(folder / "stores");
    const std::function<void(int)> nest = [&](int depth) {
      if (depth == 100) ::kill(::getpid(), SIGKILL);
      const auto parsing = journal.begin("/" + std::to_string(depth), 1);
      nest(depth + 1);
    };
    nest(0);
  });
  const ParseJournal journal(folder / "stores");
  EXPECT_TRUE(journal.suspected("/0"));
  EXPECT_FALSE(journal.suspected("/99"));
}

TEST(ParseJournal, IsDoneWithoutWhereItCannotBeKept) {
  ParseJournal journal("/proc/no/such/folder");
  const auto parsing = journal.begin("/a.py", 1);
  EXPECT_FALSE(journal.crashed("/a.py", 1));
}

TEST(ParseJournal, TakesAJournalThatIsBroken) {
  const testing::TemporaryFolder folder;
  folder.file("stores/parsing-broken", std::string(5000, '\xff'));
  EXPECT_FALSE(ParseJournal(folder / "stores").crashed(std::string(10, '\xff'), ~0ULL));
}

TEST(ParseJournal, KeepsAFileOutOfTheIndexUntilItChanges) {
  const testing::IndexedWorkspace workspace;
  const std::string bad = "BAD = 1\n";
  workspace.write("bad.py", bad);
  workspace.write("good.py", "GOOD = 1\n");
  crash_parsing(workspace.store().parent_path(), workspace.root() / "bad.py", content_hash(bad));
  EXPECT_EQ(1, workspace.index().files);
  const auto why = [&] { return workspace.view().reader().file("bad.py").value()->left_out; };
  EXPECT_EQ("its parser crashed", why());
  EXPECT_EQ(1, workspace.index().files);  // it stays out
  workspace.write("bad.py", "BETTER = 1\n");
  EXPECT_EQ(2, workspace.index().files);
  EXPECT_EQ("", why());
}

// A language whose grammar crashes whenever it is asked for.
Language crashing() {
  Language language = *language_named("python");
  language.grammar = []() -> const TSLanguage* { std::abort(); };
  return language;
}

TEST(ParseJournal, KeepsAnOpenDocumentFromCrashingTwice) {
  const testing::TemporaryFolder folder;
  const Language language = crashing();
  const auto outline = [&](const std::string& text) {
    DocumentOutliner outliner(std::make_shared<ParseJournal>(folder / "stores"));
    return outliner.outline("/a.py", language, text, std::chrono::seconds(1), {});
  };
  die([&] { (void)outline("x = 1\n"); });
  const auto again = outline("x = 1\n");
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  die([&] { (void)outline("x = 12\n"); });
  const auto typed_on = outline("x = 123\n");
  ASSERT_TRUE(typed_on);
  EXPECT_FALSE(*typed_on);
}

}  // namespace
}  // namespace hearth::indexer
