#include "indexer/folder_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace hearth::indexer {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kQuiet{200};     // without an event: what was being written is written
constexpr milliseconds kLongest{2000};  // that a stream of events is waited for
constexpr std::size_t kAssumedLimit = 8192;
constexpr std::size_t kOwnShare = 4;  // one part in so many of the user's watches
constexpr std::uint32_t kEvents = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE |
                                  IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW |
                                  IN_EXCL_UNLINK;

}  // namespace

std::size_t watch_budget() {
  std::ifstream file("/proc/sys/fs/inotify/max_user_watches");
  std::size_t limit = 0;
  if (!(file >> limit)) limit = kAssumedLimit;
  return limit / kOwnShare;
}

Result<FolderWatch> FolderWatch::open(ScanOptions options, std::size_t budget, std::stop_token stop) {
  FolderWatch watch(std::move(options), budget);
  watch.wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (watch.wake_ < 0)
    return Error{ErrorCode::kUnreadable,
                 watch.options_.root.string() + ": cannot be watched: " + std::strerror(errno)};
  if (const Result<void> done = watch.watch_folders(std::move(stop)); !done) return done.error();
  return watch;
}

FolderWatch::FolderWatch(FolderWatch&& other) noexcept
    : options_(std::move(other.options_)),
      budget_(other.budget_),
      inotify_(std::exchange(other.inotify_, -1)),
      wake_(std::exchange(other.wake_, -1)),
      partial_(other.partial_),
      folders_(std::move(other.folders_)) {}

FolderWatch::~FolderWatch() {
  if (inotify_ >= 0) ::close(inotify_);
  if (wake_ >= 0) ::close(wake_);
}

Result<void> FolderWatch::watch_folders(std::stop_token stop) {
  if (inotify_ < 0) inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  partial_ = false;
  ScanOptions options = options_;
  options.enter = [this](const std::string& folder) {
    if (!watch_one(folder)) partial_ = true;
  };
  return scan(
      options, [](const ScannedEntry&) {}, std::move(stop));
}

bool FolderWatch::watch_one(const std::string& folder) {
  const std::string prefix = folder.empty() ? "" : folder + '/';
  if (inotify_ < 0) return false;
  // Adding a folder again gives its old descriptor, so only what is new can exceed the budget.
  if (folders_.size() >= budget_) {
    const auto same = [&](const auto& watched) { return watched.second == prefix; };
    return std::ranges::any_of(folders_, same);
  }
  const int watch = ::inotify_add_watch(inotify_, (options_.root / folder).c_str(), kEvents);
  if (watch < 0) return errno != ENOSPC;  // else it is gone again, which is told of its parent
  folders_[watch] = prefix;
  return true;
}

void FolderWatch::read_events(Changes& changes) {
  alignas(inotify_event) std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(inotify_, buffer.data(), buffer.size());
    if (got <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) changes.whole = true;
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      const bool is_root = folder->second.empty();
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
        if (is_root) changes.root_gone = true;
        changes.whole = true;
      } else if ((event.mask & IN_IGNORED) != 0) {
        folders_.erase(folder);
      } else if ((event.mask & IN_ISDIR) != 0) {
        changes.whole = true;
      } else if (*name != '\0') {
        changes.paths.push_back(folder->second + name);
      }
    }
  }
}

std::optional<milliseconds> FolderWatch::limit_since(Clock::time_point looked) const {
  if (!partial_) return std::nullopt;
  const auto left = std::chrono::ceil<milliseconds>(looked + kLookAgain - Clock::now());
  return std::max(left, milliseconds(0));
}

std::optional<FolderWatch::Changes> FolderWatch::wait(std::optional<milliseconds> limit,
                                                      std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof one));
  });
  Changes changes;
  std::optional<Clock::time_point> first;
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> waited = {{{inotify_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    const int patience = first   ? static_cast<int>(kQuiet.count())
                         : limit ? static_cast<int>(limit->count())
                                 : -1;
    const int ready = ::poll(waited.data(), waited.size(), patience);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      if (first) break;
      if (partial_) static_cast<void>(watch_folders(stop));
      return std::nullopt;
    }
    if (waited[0].revents == 0) continue;
    read_events(changes);
    const bool told = !changes.paths.empty() || changes.whole;
    if (!told) continue;
    if (!first) first = Clock::now();
    if (Clock::now() - *first > kLongest) break;
  }
  if (stop.stop_requested()) return std::nullopt;
  std::ranges::sort(changes.paths);
  changes.paths.erase(std::unique(changes.paths.begin(), changes.paths.end()), changes.paths.end());
  if (changes.whole && !changes.root_gone) static_cast<void>(watch_folders(stop));
  return changes;
}

}  // namespace hearth::indexer
