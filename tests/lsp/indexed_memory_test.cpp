#include "lsp/indexed_memory.h"

#include <gtest/gtest.h>

#include "tests/support/fake_engine.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> paths_of(const std::vector<IndexedFile>& files) {
  std::vector<std::string> paths;
  for (const IndexedFile& file : files) paths.push_back(file.path);
  return paths;
}

std::vector<std::string> told_by(tests::FakeEngine& engine) {
  std::vector<std::string> names;
  for (const auto& update : engine.remembered()) names.push_back(update.document);
  return names;
}

void tell_all(IndexedMemory& memory) {
  while (memory.tell_one()) {
  }
}

TEST(NearestFiles, AreOfTheSameKindAndInTheFoldersAround) {
  std::vector<IndexedFile> files;
  for (const char* path : {"README.md", "a/b/notes.md", "a/c/far.py", "a/near.py", "a/b/beside.py", "z.py"})
    files.push_back({"/shop", path, 100, 1, 1});
  EXPECT_EQ(paths_of(nearest_files(files, "/shop/a/b/here.py", 1000)),
            (std::vector<std::string>{"a/b/beside.py", "a/near.py", "a/c/far.py", "z.py", "a/b/notes.md",
                                      "README.md"}));
  EXPECT_EQ(nearest_files(files, "/shop/a/b/here.py", 250).size(), 2u);
  EXPECT_EQ(nearest_files(files, "", 1000).size(), 6u);
}

struct Bench {
  IndexedFile file(const std::string& path, const std::string& text, std::uint64_t hash = 1) const {
    folder.file(path, text);
    return {folder.path(), path, text.size(), hash, static_cast<std::int64_t>(hash)};
  }

  testing::TemporaryFolder folder;
  tests::FakeEngine engine;
};

TEST(IndexedMemory, TellsWhatIsNewAndForgetsWhatIsGone) {
  Bench bench;
  IndexedMemory memory(bench.engine);
  const IndexedFile a = bench.file("a.py", "total = 1\n"), b = bench.file("b.py", "total = 2\n");
  memory.want({a, b});
  tell_all(memory);
  EXPECT_EQ(told_by(bench.engine), (std::vector<std::string>{a.name(), b.name()}));
  memory.want({a, bench.file("b.py", "total = 3\n", 2)});
  tell_all(memory);
  ASSERT_EQ(bench.engine.remembered().size(), 3u) << "only what has changed";
  EXPECT_EQ(bench.engine.remembered()[2].edits.at(0).text, "total = 3\n");
  EXPECT_GT(bench.engine.remembered()[2].version, bench.engine.remembered()[1].version);
  EXPECT_LT(bench.engine.remembered()[2].version, 0) << "older than what an editor has open";
  memory.want({a});
  EXPECT_EQ(bench.engine.forgotten(), (std::vector<std::string>{b.name()}));
}

TEST(IndexedMemory, TellsAgainWhatSomebodyElseHasHadForgotten) {
  Bench bench;
  IndexedMemory memory(bench.engine);
  const IndexedFile a = bench.file("a.py", "total = 1\n");
  memory.want({a});
  tell_all(memory);
  memory.release(a.name());
  memory.want({});
  EXPECT_TRUE(bench.engine.forgotten().empty()) << "it is not this one's any more";
  memory.want({a});
  tell_all(memory);
  EXPECT_EQ(bench.engine.remembered().size(), 2u);
}

TEST(IndexedMemory, TellsNoSecretAndNothingThatMayNotBeIndexed) {
  Bench bench;
  {
    IndexedMemory memory(bench.engine);
    memory.want({bench.file("a.py", "password = 'a1B2c3D4e5F6g7H8i9J0'\n"),
                 bench.file("b.py", std::string("x\0y", 3)),
                 {bench.folder.path(), "gone.py", 3, 1, 1}});
    tell_all(memory);
    ASSERT_EQ(bench.engine.remembered().size(), 1u);
    EXPECT_EQ(bench.engine.remembered()[0].edits.at(0).text.find("a1B2"), std::string::npos);
  }
  EXPECT_EQ(bench.engine.forgotten().size(), 1u) << "it takes with it what it told";
}

}  // namespace
}  // namespace hearth::lsp
