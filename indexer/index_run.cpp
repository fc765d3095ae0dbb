#include "indexer/index_run.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "indexer/file_analysis.h"
#include "indexer/manifest.h"
#include "indexer/package_map.h"
#include "indexer/read_file.h"
#include "indexer/store_error.h"
#include "indexer/unreadable_paths.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kBatchFiles = 256;  // in one transaction
constexpr std::size_t kQueuedFiles = 512;
constexpr std::size_t kTouchedAtOnce = 10'000;

// What a worker made of one file.
struct Outcome {
  enum class Kind : std::uint8_t { kAnalysed, kSameContent, kUnreadable };
  Kind kind = Kind::kUnreadable;
  cache::FileRecord record;  // of a file with the same content only its row
  std::uint64_t bytes = 0;
  bool keep = true;  // of what is unreadable: the store stays as it is
};

// From the workers to the thread that writes; a full queue holds the workers back.
class OutcomeQueue {
 public:
  explicit OutcomeQueue(int workers) : workers_(workers) {}

  void push(Outcome outcome) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return outcomes_.size() < kQueuedFiles || closed_; });
    outcomes_.push_back(std::move(outcome));
    filled_.notify_one();
  }

  void worker_done() {
    const std::lock_guard lock(mutex_);
    --workers_;
    filled_.notify_one();
  }

  // Takes what is there, waiting for something; empty when all workers are done.
  std::vector<Outcome> take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return outcomes_.size() >= kBatchFiles || workers_ == 0; });
    room_.notify_all();
    return std::exchange(outcomes_, {});
  }

  // Nobody takes any more: workers are not held back.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::vector<Outcome> outcomes_;  // guarded by mutex_, as what follows
  int workers_;
  bool closed_ = false;
};

struct Work {
  const ScannedEntry* entry = nullptr;
  std::optional<std::uint64_t> known_hash;  // of a file that is indexed, and to be read only if it changed
  bool is_indexed = false;
};

class IndexRun {
 public:
  IndexRun(const IndexOptions& options, cache::StoreReader& reader, cache::StoreWriter& writer,
           const std::function<void(const IndexProgress&)>& progress, std::stop_token stop)
      : options_(options), reader_(reader), writer_(writer), progress_(progress), stop_(std::move(stop)) {}

  Result<IndexReport> run() {
    if (const Result<void> scanned = scan_all(); !scanned) return scanned.error();
    if (const Result<void> known = read_known(); !known) return known.error();
    keep_what_cannot_be_seen();
    const WorkspacePaths paths(paths_to_index());
    const ImportResolver resolver(paths, read_package_map(options_.root, paths));
    plan();
    for (const auto& step : {&IndexRun::write_left_out, &IndexRun::remove_gone}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    if (const Result<void> analysed = analyse_all(resolver); !analysed) return analysed.error();
    if (const Result<void> resolved = resolve_again(resolver); !resolved) return resolved.error();
    const auto evicted = writer_.evict();
    if (!evicted) return store_error(evicted.error());
    report_.evicted = *evicted;
    return count();
  }

 private:
  Result<void> scan_all() {
    if (options_.only) return scan_only(*options_.only);
    return scan(
        {.root = options_.root, .global_excludes = options_.global_excludes, .enter = {}},
        [this](ScannedEntry entry) { entries_.push_back(std::move(entry)); }, stop_);
  }

  Result<void> scan_only(const std::vector<std::string>& paths) {
    struct stat status {};
    if (::stat(options_.root.c_str(), &status) != 0)
      return Error{ErrorCode::kUnreadable, options_.root.string() + ": " + std::strerror(errno)};
    const ScanOptions options{
        .root = options_.root, .global_excludes = options_.global_excludes, .enter = {}};
    for (const std::string& path : paths) {
      if (::lstat((options_.root / path).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue;
      std::optional<ScannedEntry> entry = scan_one(options, path);
      if (entry) entries_.push_back(std::move(*entry));
    }
    return {};
  }

  Result<void> read_known() {
    std::unordered_set<std::string_view> looked_at;
    if (options_.only) looked_at.insert(options_.only->begin(), options_.only->end());
    const auto read = reader_.each_file([&](const cache::FileRow& file) {
      if (!options_.only || looked_at.contains(file.path)) {
        known_.emplace(file.path, file);
      } else if (file.left_out.empty()) {
        others_.push_back(file.path);
        if (!file.language.empty()) unchanged_.push_back(file);
      }
      return true;
    });
    if (!read) return store_error(read.error());
    return {};
  }

  // Rows of what lies in folders that cannot be read now, and of files of which nothing more is told.
  void keep_what_cannot_be_seen() {
    UnreadablePaths unreadable;
    for (const ScannedEntry& entry : entries_) {
      if (entry.left_out != LeftOut::kUnreadable) continue;
      note_unreadable(entry.path);
      unreadable.add(entry.path);
    }
    if (unreadable.empty()) return;
    std::unordered_set<std::string> kept;
    for (auto& [path, row] : known_) {
      const bool was_read = row.left_out.empty();
      if (!unreadable.hide(path) && !(was_read && unreadable.contains(path))) continue;
      kept.insert(path);
      if (was_read) others_.push_back(path);
      if (was_read && !row.language.empty()) unchanged_.push_back(std::move(row));
    }
    std::erase_if(known_, [&](const auto& known) { return kept.contains(known.first); });
    std::erase_if(entries_, [&](const ScannedEntry& entry) { return kept.contains(entry.path); });
  }

  void note_unreadable(const std::string& path) {
    ++report_.unreadable;
    if (report_.first_unreadable.size() < kNamedUnreadable) report_.first_unreadable.push_back(path);
  }

  std::vector<std::string> paths_to_index() const {
    std::vector<std::string> paths = others_;
    for (const ScannedEntry& entry : entries_) {
      if (entry.left_out == LeftOut::kNot) paths.push_back(entry.path);
    }
    return paths;
  }

  static bool is_unchanged(const ScannedEntry& entry, const cache::FileRow& row) {
    if (entry.size != row.size || entry.mtime_ns != row.mtime_ns) return false;
    if (entry.left_out != LeftOut::kNot) return row.left_out == reason(entry.left_out);
    // Only what was read has a hash; the rest was left out by rules that may have changed.
    return row.left_out.empty() || row.hash != 0;
  }

  // What each entry needs. Whatever stays in known_ is gone from the disk.
  void plan() {
    bool lock_changed = false;
    for (const ScannedEntry& entry : entries_) {
      const auto known = known_.find(entry.path);
      const bool unchanged = known != known_.end() && is_unchanged(entry, known->second);
      lock_changed |= !unchanged && is_lock_file(entry.path);
      paths_changed_ |= known == known_.end();
    }
    for (const ScannedEntry& entry : entries_) {
      const auto known = known_.find(entry.path);
      const bool unchanged = known != known_.end() && is_unchanged(entry, known->second);
      const bool again = lock_changed && manifest_format(entry.path) != nullptr;
      if (entry.left_out != LeftOut::kNot) {
        if (!unchanged) left_out_.push_back(left_out_record(entry));
      } else if (!unchanged || again) {
        Work work{&entry, std::nullopt, known != known_.end() && known->second.left_out.empty()};
        if (work.is_indexed && !again) work.known_hash = known->second.hash;
        work_.push_back(work);
        totals_.all_bytes += entry.size;
      } else if (!known->second.language.empty() && known->second.left_out.empty()) {
        unchanged_.push_back(std::move(known->second));
      }
      if (known != known_.end()) known_.erase(known);
    }
    totals_.all_files = work_.size();
  }

  Result<void> write_left_out() {
    for (std::size_t at = 0; at < left_out_.size(); at += kTouchedAtOnce) {
      const auto part = std::span(left_out_).subspan(at, std::min(kTouchedAtOnce, left_out_.size() - at));
      if (const auto put = writer_.put(part); !put) return store_error(put.error());
    }
    return {};
  }

  Result<void> remove_gone() {
    std::vector<std::string> gone;
    for (const auto& [path, row] : known_) gone.push_back(path);
    paths_changed_ |= !gone.empty();
    report_.removed = static_cast<std::int64_t>(gone.size());
    if (gone.empty()) return {};
    if (const auto removed = writer_.remove(gone); !removed) return store_error(removed.error());
    return {};
  }

  // No hash says that nothing was read. What was read before stays, and what is gone is the next run's.
  Outcome unreadable(const Work& work) const {
    Outcome outcome;
    outcome.record = left_out_record(*work.entry);
    outcome.record.file.left_out = reason(LeftOut::kUnreadable);
    outcome.keep = work.is_indexed || ::access((options_.root / work.entry->path).c_str(), F_OK) != 0;
    return outcome;
  }

  // With the journal told, but for what it says crashes its parser.
  Result<cache::FileRecord> record_of(FileAnalyser& analyser, const ScannedEntry& entry,
                                      std::string_view text, const ImportResolver& resolver) {
    const auto parsing = ParseJournal::enter(options_.journal, whole_path(entry), text);
    if (!parsing.is_refused()) return analyser.analyse(entry, text, resolver, stop_);
    cache::FileRecord record = left_out_record(entry);
    record.file.hash = content_hash(text);
    record.file.left_out = reason(LeftOut::kParserCrashed);
    return record;
  }

  std::string whole_path(const ScannedEntry& entry) const { return (options_.root / entry.path).string(); }

  Outcome analyse(FileAnalyser& analyser, const Work& work, const ImportResolver& resolver) {
    Outcome outcome;
    const Result<std::string> text = read_file(options_.root / work.entry->path, kMaxIndexedBytes);
    if (!text) return unreadable(work);
    outcome.bytes = text->size();
    if (work.known_hash && *work.known_hash == content_hash(*text)) {
      outcome.kind = Outcome::Kind::kSameContent;
      outcome.record = left_out_record(*work.entry);
      return outcome;
    }
    Result<cache::FileRecord> record = record_of(analyser, *work.entry, *text, resolver);
    if (!record) {
      const std::lock_guard lock(failure_mutex_);
      failure_ = record.error();
      return outcome;
    }
    outcome.kind = Outcome::Kind::kAnalysed;
    outcome.record = std::move(*record);
    // The size on the disk, so that the next look finds it unchanged.
    outcome.record.file.size = work.entry->size;
    return outcome;
  }

  void work(OutcomeQueue& queue, const ImportResolver& resolver, const std::atomic<bool>& give_up) {
    FileAnalyser analyser(options_.root, queries_);
    while (!stop_.stop_requested() && !give_up) {
      const std::size_t next = next_work_++;
      if (next >= work_.size()) break;
      queue.push(analyse(analyser, work_[next], resolver));
    }
    queue.worker_done();
  }

  // One by one, before there is any other file to blame.
  Result<void> analyse_suspects(const ImportResolver& resolver) {
    if (!options_.journal) return {};
    const auto others = std::stable_partition(work_.begin(), work_.end(), [&](const Work& work) {
      return options_.journal->suspected(whole_path(*work.entry));
    });
    FileAnalyser analyser(options_.root, queries_);
    for (auto suspect = work_.begin(); suspect != others && !stop_.stop_requested(); ++suspect) {
      std::vector<Outcome> batch(1, analyse(analyser, *suspect, resolver));
      if (const Result<void> written = write(std::move(batch)); !written) return written;
      ++next_work_;
    }
    return {};
  }

  Result<void> analyse_all(const ImportResolver& resolver) {
    const int count = std::clamp(static_cast<int>(work_.size()), 1, std::max(1, options_.threads));
    if (const Result<void> done = analyse_suspects(resolver); !done) return done;
    OutcomeQueue queue(count);
    std::atomic<bool> give_up = false;
    Result<void> written = {};
    {
      std::vector<std::jthread> workers;
      for (int i = 0; i < count; ++i) workers.emplace_back([&] { work(queue, resolver, give_up); });
      for (std::vector<Outcome> batch = queue.take(); !batch.empty(); batch = queue.take()) {
        written = write(std::move(batch));
        if (!written) break;
        progress_(totals_);
      }
      give_up = true;
      queue.close();
    }
    if (!written) return written;
    if (failure_) return *failure_;
    if (stop_.stop_requested())
      return Error{ErrorCode::kInvalid, options_.root.string() + ": indexing was stopped"};
    return {};
  }

  Result<void> write(std::vector<Outcome> batch) {
    std::vector<cache::FileRecord> records;
    std::vector<cache::FileRow> same;
    for (Outcome& outcome : batch) {
      ++totals_.files;
      totals_.bytes += outcome.bytes;
      report_.bytes += outcome.bytes;
      switch (outcome.kind) {
        case Outcome::Kind::kUnreadable:
          note_unreadable(outcome.record.file.path);
          if (!outcome.keep) records.push_back(std::move(outcome.record));
          break;
        case Outcome::Kind::kSameContent: same.push_back(std::move(outcome.record.file)); break;
        case Outcome::Kind::kAnalysed:
          ++report_.analysed;
          records.push_back(std::move(outcome.record));
          break;
      }
    }
    if (const auto put = writer_.put(records); !put) return store_error(put.error());
    if (same.empty()) return {};
    if (const auto touched = writer_.touch(same); !touched) return store_error(touched.error());
    return {};
  }

  // Of files that were not analysed now, where an import may mean another file than before.
  Result<void> resolve_again(const ImportResolver& resolver) {
    if (!paths_changed_) return {};
    for (const cache::FileRow& file : unchanged_) {
      const Language* language = language_named(file.language);
      if (language == nullptr || language->imports == ImportRule::kNone) continue;
      const auto before = reader_.imports(file.path);
      if (!before) return store_error(before.error());
      if (before->empty()) continue;
      const std::vector<cache::ImportRow> now = resolver.resolve(language->imports, file.path, *before);
      if (now == *before) continue;
      if (const auto put = writer_.put_imports(file.path, now); !put) return store_error(put.error());
    }
    return {};
  }

  Result<IndexReport> count() {
    const auto counts = reader_.counts();
    if (!counts) return store_error(counts.error());
    report_.files = counts->files - counts->left_out;
    report_.left_out = counts->left_out;
    return report_;
  }

  const IndexOptions& options_;
  cache::StoreReader& reader_;
  cache::StoreWriter& writer_;
  const std::function<void(const IndexProgress&)>& progress_;
  std::stop_token stop_;

  std::vector<ScannedEntry> entries_;
  std::unordered_map<std::string, cache::FileRow> known_;
  std::vector<Work> work_;
  std::vector<cache::FileRecord> left_out_;
  std::vector<cache::FileRow> unchanged_;
  std::vector<std::string> others_;  // indexed, and not looked at
  bool paths_changed_ = false;
  std::atomic<std::size_t> next_work_ = 0;
  const std::shared_ptr<OutlineQueries> queries_ = std::make_shared<OutlineQueries>();
  std::mutex failure_mutex_;
  std::optional<Error> failure_;  // guarded by failure_mutex_ while workers run
  IndexProgress totals_;
  IndexReport report_;
};

}  // namespace

Result<IndexReport> index_workspace(const IndexOptions& options, cache::StoreReader& reader,
                                    cache::StoreWriter& writer,
                                    const std::function<void(const IndexProgress&)>& progress,
                                    std::stop_token stop) {
  return IndexRun(options, reader, writer, progress, std::move(stop)).run();
}

}  // namespace hearth::indexer
