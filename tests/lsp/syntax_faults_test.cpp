#include "lsp/syntax_faults.h"

#include <gtest/gtest.h>

#include "indexer/file_analysis.h"
#include "tests/support/crashed_parsing.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

TEST(SyntaxFaults, SaysNothingOfATextThatCrashedItsGrammar) {
  const testing::TemporaryFolder folder;
  const std::string crashing = "def f(:\n";
  EXPECT_FALSE(SyntaxFaults().find("python", crashing).value().empty());
  tests::crash_parsing(folder / "stores", "insertions: python", indexer::content_hash(crashing));
  SyntaxFaults faults(std::make_shared<indexer::ParseJournal>(folder / "stores"));
  EXPECT_EQ(faults.find("python", crashing), std::nullopt);
  EXPECT_EQ(faults.find("python", "f(1)\n"), std::vector<std::string>());
}

}  // namespace
}  // namespace hearth::lsp
