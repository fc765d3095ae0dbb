#include "lsp/workspace_hub.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>

#include "cache/store_location.h"
#include "tests/support/fake_engine.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;
using Context = std::shared_ptr<const PromptContext>;

constexpr std::chrono::seconds kPatience{60};  // until the test has failed

// A hub whose protocol thread is the test's.
class Hub : public ::testing::Test {
 protected:
  Hub() {
    engine::EngineStatus status = engine_.status();
    status.context_tokens = 8192;
    engine_.set_status(status);
    folder_.file("home/shop/cart.py", "class Cart:\n    def add(self, item):\n        pass\n");
    folder_.file("home/shop/main.py", "from cart import Cart\n");
    root_ = fs::canonical(folder_ / "home/shop");
    HubOptions options;
    options.stores = folder_ / "stores";
    options.home = root_.parent_path();
    options.now = [this] { return std::chrono::sys_seconds(std::chrono::seconds(seconds_)); };
    hub_ = std::make_unique<WorkspaceHub>(
        options, router_, logger_,
        [this](std::function<void()> run) {
          const std::lock_guard lock(mutex_);
          posted_.push_back(std::move(run));
          news_.notify_all();
        },
        [this](const IndexNews& news) { heard_.push_back(news); });
  }

  // Runs what is posted until it is so.
  bool until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!is_so()) {
      std::function<void()> run;
      {
        std::unique_lock lock(mutex_);
        if (!news_.wait_until(lock, deadline, [this] { return !posted_.empty(); })) return false;
        run = std::move(posted_.front());
        posted_.pop_front();
      }
      run();
    }
    return true;
  }

  bool until_heard(IndexNews::Kind kind) {
    return until([&] {
      return std::ranges::any_of(heard_, [&](const IndexNews& news) { return news.kind == kind; });
    });
  }

  Context ask(const std::string& text, const fs::path& file) {
    std::optional<Context> answer;
    const auto document = std::make_shared<const Document>("file://" + file.string(), "python", 1, text);
    hub_->ask({document, text.size(), nullptr}, [&](Context context) { answer = std::move(context); });
    EXPECT_TRUE(until([&] { return answer.has_value(); }));
    return answer.value_or(nullptr);
  }

  MenuWords ask_words(const std::string& text, const fs::path& file) {
    std::optional<MenuWords> answer;
    const auto document = std::make_shared<const Document>("file://" + file.string(), "python", 1, text);
    hub_->ask_words({document, text.size(), {{.text = "x"}}},
                    [&](MenuWords menu) { answer = std::move(menu); });
    EXPECT_TRUE(until([&] { return answer.has_value(); }));
    return answer.value_or(MenuWords());
  }

  testing::TemporaryFolder folder_;
  std::atomic<int> seconds_ = 1;
  Settings settings_{.completion_related_tokens = 400};
  fs::path root_;
  tests::FakeEngine engine_;
  JobRouter router_{engine_};
  Logger logger_{nullptr};
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> posted_;
  std::vector<IndexNews> heard_;
  std::unique_ptr<WorkspaceHub> hub_;
};

TEST_F(Hub, IndexesItsRootsAndSaysWhatTheyKnow) {
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  const Context context = ask("from cart import Cart\nCart(", root_ / "main.py");
  ASSERT_TRUE(context);
  ASSERT_EQ(1u, context->files.size());
  EXPECT_EQ("cart.py\nclass Cart:\n    def add(self, item):\n", context->files[0].text);
  EXPECT_FALSE(ask("Cart(", root_.parent_path() / "elsewhere.py"));
}

TEST_F(Hub, NotesWhichFilesAreUsed) {
  folder_.file("home/shop/other.py", "");
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  seconds_ = 9;
  hub_->opened((root_ / "main.py").string());
  ASSERT_TRUE(ask("from cart import Cart\nCart(", root_ / "main.py"));
  hub_.reset();
  const fs::path store = cache::store_path(folder_ / "stores", root_);
  auto database = cache::Database::open(store, cache::Database::Mode::kReadOnly).value();
  for (const auto& [name, used] :
       {std::pair("main.py", 9), std::pair("cart.py", 9), std::pair("other.py", 1)})
    EXPECT_EQ(used,
              database.integer("SELECT used_at FROM files WHERE path = ?", std::string_view(name)).value());
}

TEST_F(Hub, SaysNothingThatThePromptHasNoRoomFor) {
  settings_.completion_related_tokens = 0;
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  EXPECT_FALSE(ask("from cart import Cart\nCart(", root_ / "main.py"));
}

TEST_F(Hub, FollowsWhatChangesOnTheDisk) {
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  folder_.file("home/shop/prices.py", "def price_of(item):\n    pass\n");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  Context context;
  while ((!context || context->files.empty()) && std::chrono::steady_clock::now() < deadline)
    context = ask("price_of(", root_ / "main.py");
  ASSERT_TRUE(context && !context->files.empty());
  EXPECT_EQ("prices.py", context->files[0].path);
}

TEST_F(Hub, NamesNothingOfAFileThatIsGoneAndWhatIsRenamedUnderItsNewName) {
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  const auto where_is_cart = [&] {
    const MenuWords menu = ask_words("Car", root_ / "new.py");
    return menu.words.empty() ? std::string("nowhere") : menu.words[0].path;
  };
  const auto until_cart_is = [&](const std::string& path) {
    for (heard_.clear(); where_is_cart() != path; heard_.clear()) {
      if (!until_heard(IndexNews::Kind::kFollowed)) break;
    }
    return where_is_cart();
  };
  EXPECT_EQ(where_is_cart(), "cart.py");
  fs::rename(root_ / "cart.py", root_ / "basket.py");
  EXPECT_EQ(until_cart_is("basket.py"), "basket.py");
  fs::remove(root_ / "basket.py");
  EXPECT_EQ(until_cart_is("nowhere"), "nowhere");
}

TEST_F(Hub, TellsTheMemoryWhatStandsInTheWorkspaceUntilItIsSwitchedOff) {
  hub_->serve({root_.string()}, settings_);
  const auto holds = [&](std::size_t told, std::size_t forgotten) {
    return engine_.remembered().size() == told && engine_.forgotten().size() == forgotten;
  };
  const auto until_it_holds = [&](std::size_t told, std::size_t forgotten) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!holds(told, forgotten) && std::chrono::steady_clock::now() < deadline)
      ask("Cart(", root_ / "main.py");  // what waits for the reading thread gets its turn in between
    return holds(told, forgotten);
  };
  ASSERT_TRUE(until_it_holds(2, 0));
  EXPECT_EQ(engine_.remembered()[0].document, (root_ / "cart.py").string());
  folder_.file("home/shop/prices.py", "def price_of(item):\n    pass\n");
  ASSERT_TRUE(until_it_holds(3, 0));
  EXPECT_EQ(engine_.remembered()[2].document, (root_ / "prices.py").string());
  hub_->opened((root_ / "main.py").string());
  hub_->forgotten((root_ / "main.py").string());
  ASSERT_TRUE(until_it_holds(4, 0)) << "told anew once its editor has let it go";
  settings_.memory_enable = false;
  hub_->serve({root_.string()}, settings_);
  EXPECT_TRUE(until_it_holds(4, 3));
}

TEST_F(Hub, NamesWhatTheIndexKnowsInTheOrderThatTheModelGives) {
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  engine_.set_score([](const std::string& candidate) { return candidate == "Cart" ? -1.0 : -2.0; });
  const MenuWords menu = ask_words("card = 1\ncar", root_ / "main.py");
  ASSERT_EQ(menu.words.size(), 2u);
  EXPECT_EQ(menu.words[0], (MenuWord{"Cart", "class", "class Cart", "", "cart.py", 0}));
  EXPECT_EQ(menu.words[1].name, "card");
  EXPECT_TRUE(menu.whole);
  EXPECT_TRUE(ask_words("card = 1\n# car", root_ / "main.py").words.empty()) << "in a comment";
}

TEST_F(Hub, NamesOfSeveralRootsWhatStandsInTheInnermostOfTheDocument) {
  folder_.file("home/shop/stall/pyproject.toml", "[project]\nname = \"stall\"\n");
  folder_.file("home/shop/stall/ride.py", "class Carousel:\n    pass\n");
  folder_.file("home/fair/wheel.py", "class Carriage:\n    pass\n");
  const fs::path fair = root_.parent_path() / "fair";
  hub_->serve({root_.string(), (root_ / "stall").string(), fair.string()}, settings_);
  ASSERT_TRUE(
      until([&] { return std::ranges::count(heard_, IndexNews::Kind::kDone, &IndexNews::kind) == 3; }));
  const auto named = [&](const fs::path& file) {
    std::vector<std::string> names;
    for (const MenuWord& word : ask_words("Car", file).words) names.push_back(word.name);
    return names;
  };
  EXPECT_EQ(named(root_ / "stall/new.py"), std::vector<std::string>{"Carousel"});
  EXPECT_EQ(named(fair / "new.py"), std::vector<std::string>{"Carriage"});
  const std::vector<std::string> of_all = named(root_ / "new.py");
  EXPECT_EQ(std::ranges::count(of_all, "Carriage"), 0);
  EXPECT_EQ(std::ranges::count(of_all, "Cart"), 1);
}

TEST_F(Hub, NamesWhatTheDocumentHoldsWithoutAnyIndexOrModel) {
  engine_.set_state("loading");
  const MenuWords menu = ask_words("def carry(cargo):\n    return car", root_.parent_path() / "elsewhere.py");
  ASSERT_EQ(menu.words.size(), 2u);
  EXPECT_EQ(menu.words[0].name, "cargo");
  EXPECT_EQ(menu.words[1].kind, "function");
}

TEST_F(Hub, AnswersWhoeverAskedForWordsThoughANewerQueryCame) {
  const auto document = std::make_shared<const Document>("file:///a.py", "python", 1, "card\ncar");
  int answers = 0;
  for (int i = 0; i < 20; ++i) {
    hub_->ask_words({document, document->text().size(), {}}, [&](const MenuWords&) { ++answers; });
  }
  EXPECT_TRUE(until([&] { return answers == 20; }));
}

TEST_F(Hub, TellsTheMemoryNothingWhileTheEngineHasJobs) {
  const engine::JobId job = router_.submit({}, [](const engine::Final&) {});
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  for (int i = 0; i < 20; ++i) ask("Cart(", root_ / "main.py");
  EXPECT_TRUE(engine_.remembered().empty());
  router_.cancel(job);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (engine_.remembered().size() < 2 && std::chrono::steady_clock::now() < deadline)
    ask("Cart(", root_ / "main.py");
  EXPECT_EQ(engine_.remembered().size(), 2u);
}

TEST_F(Hub, SaysNothingBeforeThereIsAStoreOrAModel) {
  EXPECT_FALSE(ask("Cart(", root_ / "main.py"));
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  engine::EngineStatus status = engine_.status();
  status.context_tokens = 0;
  engine_.set_status(status);
  EXPECT_FALSE(ask("Cart(", root_ / "main.py"));
}

TEST_F(Hub, NeverIndexesAHomeFolderNorWhatIsSwitchedOff) {
  hub_->serve({root_.parent_path().string(), "/"}, {});
  Settings off;
  off.index_enabled = false;
  hub_->serve({root_.string()}, off);
  EXPECT_FALSE(ask("Cart(", root_ / "main.py"));
  EXPECT_TRUE(heard_.empty());
  EXPECT_FALSE(fs::exists(folder_ / "stores"));
}

TEST_F(Hub, LeavesARootToTheProcessThatIndexesItAndReadsItsStore) {
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kDone));
  hub_->serve({}, {});  // the lease is free again
  const fs::path store = cache::store_path(folder_ / "stores", root_);
  cache::WriterOptions options;
  // A process of this machine that cannot be seen from here.
  const std::string mark = cache::own_identity().mark;
  options.owner = {1, mark.substr(0, mark.find(' ')) + " elsewhere 1"};
  options.now = [] { return std::chrono::sys_seconds(std::chrono::seconds(1)); };
  const auto writer = cache::StoreWriter::open(store, options);
  ASSERT_TRUE(writer) << writer.error().message;
  hub_->serve({root_.string()}, settings_);
  ASSERT_TRUE(until_heard(IndexNews::Kind::kElsewhere));
  EXPECT_TRUE(ask("from cart import Cart\nCart(", root_ / "main.py"));
}

}  // namespace
}  // namespace hearth::lsp
