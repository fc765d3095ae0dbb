#include "lsp/memory_feed.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "indexer/file_policy.h"
#include "lsp/secret_mask.h"
#include "lsp/text_shape.h"
#include "tests/support/fake_engine.h"

namespace hearth::lsp {
namespace {

const std::string kUri = "file:///project/a%20b.py";

Snapshot document(const std::string& text, const std::string& uri = kUri) {
  return std::make_shared<const Document>(uri, "python", 1, text);
}

// What an engine that heeds the updates would hold.
std::map<std::string, std::string> texts_of(tests::FakeEngine& engine) {
  std::map<std::string, std::string> texts;
  std::int64_t version = 0;
  for (const engine::MemoryUpdate& update : engine.remembered()) {
    EXPECT_GT(update.version, version) << "each is newer than the one before";
    version = update.version;
    std::string& text = texts[update.document];
    for (const engine::TextEdit& edit : update.edits) text.replace(edit.begin, edit.removed, edit.text);
  }
  return texts;
}

TEST(MemoryFeed, TellsWhatDiffers) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 5);
  std::mt19937 random(2);
  std::string text = "one\ntwo\n";
  feed.opened(document(text));
  for (int i = 0; i < 100; ++i) {
    const std::size_t begin = random() % (text.size() + 1);
    text.replace(begin, random() % 4, std::string(random() % 4, static_cast<char>('a' + random() % 2)));
    feed.changed(document(text));
    EXPECT_EQ(texts_of(engine)["/project/a b.py"], text);
  }
  EXPECT_LT(engine.remembered().back().edits.at(0).text.size(), 5u) << "not the whole text";
  const std::size_t told = engine.remembered().size();
  feed.changed(document(text));
  EXPECT_EQ(engine.remembered().size(), told);
}

TEST(MemoryFeed, TellsLinesAsPromptsHaveThem) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "line\r\n" + std::string(i % 9 == 0, '\r');
  feed.opened(document(text));
  EXPECT_EQ(texts_of(engine)["/project/a b.py"], with_lf(text));
  const std::string pieces[] = {"\r", "\n", "\r\n", "x", "", "token = 'a1B2c3D4e5F6g7H8i9J0'\r\n"};
  for (int i = 0; i < 300; ++i) {
    text.replace(random() % (text.size() + 1), random() % 4, pieces[random() % std::size(pieces)]);
    feed.changed(document(text));
    ASSERT_EQ(texts_of(engine)["/project/a b.py"], with_lf(with_secrets_masked(text)));
  }
  EXPECT_LT(engine.remembered().back().edits.at(0).text.size(), 50u) << "not the whole text";
}

TEST(MemoryFeed, KeepsWhatWasClosedLately) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  for (int i = 0; i < 20; ++i) {
    const std::string uri = "file:///" + std::to_string(i);
    feed.opened(document("x", uri));
    feed.closed(uri);
  }
  EXPECT_EQ(engine.forgotten(), (std::vector<std::string>{"/0", "/1", "/2", "/3"}));
  feed.opened(document("x", "file:///4"));
  feed.opened(document("x", "file:///20"));
  feed.closed("file:///20");
  EXPECT_EQ(engine.forgotten().size(), 4u) << "what is open again is not closed any more";
}

TEST(MemoryFeed, TellsNoSecretHoweverItIsTyped) {
  const std::string key(200, 'Q');
  const std::string pem = "-----BEGIN RSA PRIVATE KEY-----\n" + key + "\n-----END RSA PRIVATE KEY-----\n";
  std::string whole = "import os\nurl = 'https://me:hunter22@host/'\n" + pem + "total = 1\n";
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  feed.opened(document(whole));
  EXPECT_EQ(texts_of(engine)["/project/a b.py"], with_secrets_masked(whole));
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    const std::size_t begin = random() % (whole.size() + 1);
    whole.replace(begin, random() % 3, i % 3 == 0 ? "token = 'a1B2c3D4e5F6g7H8i9J0'\n" : "x");
    feed.changed(document(whole));
    EXPECT_EQ(texts_of(engine)["/project/a b.py"], with_secrets_masked(whole));
  }
}

TEST(MemoryFeed, ForgetsWhatIsNotForTheModelAnyMore) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  feed.opened(document("x"));
  feed.forget(kUri);
  EXPECT_EQ(engine.forgotten(), (std::vector<std::string>{"/project/a b.py"}));
  feed.changed(document("xy"));
  EXPECT_EQ(engine.remembered().size(), 1u);
  feed.opened(document("x", "file:///closed"));
  feed.closed("file:///closed");
  feed.forget("file:///closed");
  EXPECT_EQ(engine.forgotten().back(), "/closed");
}

TEST(MemoryFeed, TakesWhatItToldWithIt) {
  tests::FakeEngine engine;
  MemoryFeed(engine, 1).opened(document("x"));
  EXPECT_EQ(engine.forgotten(), (std::vector<std::string>{"/project/a b.py"}));
}

TEST(MemoryFeed, LeavesOutWhatIsTooLarge) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  feed.opened(document(std::string(indexer::kMaxIndexedBytes + 1, 'x')));
  EXPECT_TRUE(engine.remembered().empty());
}

TEST(MemoryFeed, TellsOfFilesOnly) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  feed.opened(document("x = 1", "untitled:1"));
  feed.changed(document("x = 2", "untitled:1"));
  EXPECT_TRUE(engine.remembered().empty());
}

TEST(MemoryFeed, ForgetsAllWhenItIsSwitchedOff) {
  tests::FakeEngine engine;
  MemoryFeed feed(engine, 1);
  feed.opened(document("x", "file:///open"));
  feed.opened(document("x", "file:///closed"));
  feed.closed("file:///closed");
  feed.set_enabled(false);
  EXPECT_EQ(engine.forgotten(), (std::vector<std::string>{"/open", "/closed"}));
  feed.changed(document("xy", "file:///open"));
  EXPECT_EQ(engine.remembered().size(), 2u);
  feed.set_enabled(true);
  EXPECT_EQ(engine.remembered().back().document, "/open");
  EXPECT_EQ(engine.remembered().back().edits.at(0).text, "xy");
}

}  // namespace
}  // namespace hearth::lsp
