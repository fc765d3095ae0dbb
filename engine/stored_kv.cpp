#include "engine/stored_kv.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearth::engine {

namespace {

using kernels::kPageTokens;

constexpr std::chrono::seconds kUnchanged(60);
constexpr std::chrono::seconds kLeft(1);  // memory holds few documents' pages
constexpr int kPagesAtOnce = 4;           // a tenth of a millisecond each
constexpr std::chrono::seconds kPatienceAtTheEnd(5);
constexpr std::size_t kBatch = 16;  // pages of one transaction

cache::KvKey hashed(const void* data, std::size_t size, std::uint64_t seed = 0) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return {hash.high64, hash.low64};
}

}  // namespace

// The thread that writes. Its calls return at once.
class StoredKv::Writer {
 public:
  explicit Writer(const StoredKvOptions& options) : options_(options), thread_([this] { main(); }) {}

  ~Writer() {  // everything that was given is written first
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    news_.notify_one();
    thread_.join();
  }

  void put(cache::KvPage page, const std::string& workspace) { add(Put{std::move(page), workspace}); }
  void use(std::vector<cache::KvKey> keys) { add(Use{std::move(keys)}); }
  void remove(const cache::KvKey& key) { add(Remove{key}); }

  bool prepared(std::chrono::milliseconds patience = {}) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return prepared_; });
  }
  void wait_until_written() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || (tasks_.empty() && !running_); });
  }

 private:
  struct Put {
    cache::KvPage page;
    std::string workspace;
  };
  struct Use {
    std::vector<cache::KvKey> keys;
  };
  struct Remove {
    cache::KvKey key;
  };
  using Task = std::variant<Put, Use, Remove>;

  void add(Task task) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    tasks_.push_back(std::move(task));
    news_.notify_one();
  }

  std::optional<cache::KvWriter> open() {
    const auto prepared = cache::prepare_kv_store(options_.store);
    std::optional<cache::KvWriter> writer;
    if (prepared) {
      auto opened = cache::KvWriter::open(options_.store, {options_.limit_bytes, options_.wall_clock});
      if (opened) writer.emplace(std::move(*opened));
    }
    const std::lock_guard lock(mutex_);
    prepared_ = true;
    changed_.notify_all();
    return writer;
  }

  void main() {
    std::optional<cache::KvWriter> writer = open();
    std::unique_lock lock(mutex_);
    while (writer && !writer->stopped()) {
      news_.wait(lock, [this] { return !tasks_.empty() || stopping_; });
      if (tasks_.empty()) break;
      std::vector<Task> tasks;
      while (!tasks_.empty() && tasks.size() < kBatch) {
        tasks.push_back(std::move(tasks_.front()));
        tasks_.pop_front();
      }
      running_ = true;
      lock.unlock();
      const bool done = run(*writer, tasks);
      lock.lock();
      running_ = false;
      if (!done) tasks_.clear();  // another process keeps the file to itself
      changed_.notify_all();
    }
    closed_ = true;
    tasks_.clear();
    changed_.notify_all();
    if (writer && writer->stopped() && writer->stopped()->code == cache::ErrorCode::kCorrupt)
      cache::mark_corrupt(options_.store);
  }

  // Pages of one workspace in a row are one transaction.
  static bool run(cache::KvWriter& writer, std::vector<Task>& tasks) {
    bool done = true;
    std::vector<cache::KvPage> pages;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (auto* put = std::get_if<Put>(&tasks[i])) {
        pages.push_back(std::move(put->page));
        const auto* next = i + 1 < tasks.size() ? std::get_if<Put>(&tasks[i + 1]) : nullptr;
        if (next != nullptr && next->workspace == put->workspace) continue;
        done = done && writer.put(pages, put->workspace);
        pages.clear();
      } else if (const auto* use = std::get_if<Use>(&tasks[i])) {
        done = done && writer.use(use->keys);
      } else {
        done = done && writer.remove(std::get<Remove>(tasks[i]).key);
      }
    }
    return done;
  }

  const StoredKvOptions& options_;
  std::mutex mutex_;                 // guards what follows
  std::condition_variable news_;     // for the thread
  std::condition_variable changed_;  // for who waits for it
  std::deque<Task> tasks_;
  bool running_ = false;  // a batch
  bool prepared_ = false;
  bool closed_ = false;  // nothing more is written
  bool stopping_ = false;

  std::thread thread_;
};

StoredKv::StoredKv(StoredKvOptions options, PrefixTree& tree, kernels::PagePool& pool)
    : options_(std::move(options)),
      tree_(tree),
      pool_(pool),
      root_(hashed(options_.computed_by.data(), options_.computed_by.size(),
                   2 * pool.page_bytes() + static_cast<std::size_t>(pool.format()))),
      writer_(std::make_unique<Writer>(options_)) {}

StoredKv::~StoredKv() {
  wait_until_open(kPatienceAtTheEnd);
  while (writing_) write_page();
  for (auto& [document, kept] : kept_) {
    if (!kept.written) begin_writing(kept);
    while (writing_) write_page();
  }
}

void StoredKv::wait_until_open(std::chrono::milliseconds patience) {
  static_cast<void>(writer_->prepared(patience));
}

void StoredKv::wait_until_written() { writer_->wait_until_written(); }

std::vector<cache::KvKey> StoredKv::keys_of(std::span<const TokenId> tokens) const {
  std::vector<cache::KvKey> keys;
  struct {
    cache::KvKey before;
    std::array<TokenId, kPageTokens> tokens;
  } link{root_, {}};
  for (; tokens.size() >= kPageTokens; tokens = tokens.subspan(kPageTokens)) {
    std::copy_n(tokens.begin(), kPageTokens, link.tokens.begin());
    link.before = hashed(&link, sizeof link);
    keys.push_back(link.before);
  }
  return keys;
}

// A file that is not there, or cannot be read yet, may be once it is prepared.
cache::KvReader* StoredKv::reader() {
  if (!reader_ && !reader_failed_) {
    const bool prepared = writer_->prepared();
    auto opened = cache::KvReader::open(options_.store);
    if (opened) {
      reader_.emplace(std::move(*opened));
    } else if (prepared) {
      close_after(opened.error());
    }
  }
  return reader_ ? &*reader_ : nullptr;
}

void StoredKv::close_after(const cache::Error& error) {
  if (error.code == cache::ErrorCode::kBusy) return;  // another time
  if (error.code == cache::ErrorCode::kCorrupt) cache::mark_corrupt(options_.store);
  reader_failed_ = true;
  reader_.reset();
}

int StoredKv::wake(std::span<const TokenId> tokens) {
  cache::KvReader* const store = reader();
  const std::size_t whole = tokens.size() / kPageTokens;
  const std::size_t cached = static_cast<std::size_t>(tree_.match(tokens)) / kPageTokens;
  if (store == nullptr || cached >= whole) return 0;
  const std::vector<cache::KvKey> keys = keys_of(tokens);
  const auto there = store->holds(keys[cached]);
  if (!there) close_after(there.error());
  if (!there || !*there) return 0;
  std::vector<std::byte> bytes(pool_.page_bytes());
  auto path = tree_.open(tokens.first(cached * kPageTokens));
  std::size_t next = cached;
  for (; next < whole; ++next) {
    const auto found = store->read(keys[next], bytes);
    if (!found) close_after(found.error());
    if (found && *found == cache::KvReader::Found::kBroken) writer_->remove(keys[next]);
    if (!found || *found != cache::KvReader::Found::kPage || !tree_.reserve(path, kPageTokens)) break;
    pool_.write(path.pages()[next].page, bytes);
    tree_.commit(path, tokens.subspan(next * kPageTokens, kPageTokens));
  }
  tree_.close(path);
  writer_->use({keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(next)});
  const auto woken = static_cast<int>(next - cached) * kPageTokens;
  woken_tokens_ += static_cast<std::uint64_t>(woken);
  return woken;
}

void StoredKv::keep(const std::string& document, const std::string& workspace, std::vector<TokenId> tokens,
                    TimePoint now) {
  tokens.resize(tokens.size() / kPageTokens * kPageTokens);
  if (tokens.empty()) {
    kept_.erase(document);
    return;
  }
  Kept& kept = kept_[document];
  if (kept.tokens == tokens && kept.workspace == workspace) return;
  for (auto& [other, left] : kept_) left.due = std::min(left.due, now + kLeft);
  kept = {workspace, std::move(tokens), now + kUnchanged};
}

std::optional<StoredKv::TimePoint> StoredKv::due() const {
  if (writing_) return TimePoint::min();
  std::optional<TimePoint> due;
  for (const auto& [document, kept] : kept_) {
    if (!kept.written && (!due || kept.due < *due)) due = kept.due;
  }
  return due;
}

void StoredKv::work(TimePoint now) {
  for (auto kept = kept_.begin(); kept != kept_.end() && !writing_; ++kept) {
    if (!kept->second.written && kept->second.due <= now) begin_writing(kept->second);
  }
  for (int i = 0; i < kPagesAtOnce && writing_; ++i) write_page();
}

// What the tree has lost of it stays out.
void StoredKv::begin_writing(Kept& kept) {
  kept.written = true;
  auto path = tree_.open(kept.tokens);
  std::vector<cache::KvKey> keys = keys_of(path.tokens());
  writing_ = {kept.workspace, std::move(path), 0, std::move(keys)};
}

void StoredKv::write_page() {
  Writing& writing = *writing_;
  cache::KvReader* const store = reader();
  if (store == nullptr || writing.next == writing.keys.size()) {
    writer_->use(std::move(writing.keys));
    tree_.close(writing.path);
    writing_.reset();
    return;
  }
  const std::size_t at = writing.next++;
  const auto there = store->holds(writing.keys[at]);
  if (!there) return close_after(there.error());
  if (*there) return;
  cache::KvPage page{writing.keys[at], static_cast<std::uint32_t>(at),
                     std::vector<std::byte>(pool_.page_bytes())};
  pool_.read(writing.path.pages()[at].page, page.bytes);
  writer_->put(std::move(page), writing.workspace);
}

}  // namespace hearth::engine
