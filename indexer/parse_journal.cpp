#include "indexer/parse_journal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "cache/store_location.h"
#include "indexer/file_analysis.h"

namespace hearth::indexer {

// As it lies in the file.
struct ParseJournal::Slot {
  std::uint32_t bytes = 0;   // of the name; 0: nothing is being parsed
  std::uint32_t struck = 0;  // 1: its thread got a fatal signal
  std::int32_t thread = 0;   // its id, for whoever looks in from outside
  std::uint32_t unused = 0;
  std::uint64_t hash = 0;
  char file[4072] = {};
};

namespace {

namespace fs = std::filesystem;
using Slot = ParseJournal::Slot;

constexpr std::size_t kSlots = 32;  // more threads than parse at once
constexpr std::string_view kPrefix = "parsing-";
constexpr std::chrono::hours kRemembered(7 * 24);
constexpr int kTries = 3;
constexpr std::size_t kHandlerStack = 64 * 1024;
constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What the handler of fatal signals marks; a handler is given nothing else.
thread_local Slot* parsed_here = nullptr;

void note_crash(int signal) {
  if (Slot* const slot = parsed_here) slot->struck = 1;
  ::raise(signal);  // its default again by now: the end, when this returns
}

// Where something else handles a signal, such as a sanitizer, that stays.
void note_crashes() {
  for (const int signal : kFatal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = note_crash;
    action.sa_flags = SA_RESETHAND | SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}

// A thread's stack for the handler, which has no other where the parser used up the thread's own.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t known{};
    if (::sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
    memory_.resize(kHandlerStack);
    const stack_t own{.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = memory_.size()};
    ::sigaltstack(&own, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    if (memory_.empty()) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
  }

 private:
  std::vector<std::byte> memory_;  // none: the thread had one
};

// What processes that are gone left in the folder: its path and the slots that were in use. What is of no
// more use is removed.
void each_left(const fs::path& folder,
               const std::function<void(const fs::path&, const std::vector<Slot>&)>& visit) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path path = entry->path();
    if (!path.filename().native().starts_with(kPrefix)) continue;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    struct stat status {};
    if (::flock(file, LOCK_SH | LOCK_NB) == 0 && ::fstat(file, &status) == 0) {
      std::vector<Slot> used;
      Slot slot;
      while (used.size() < kSlots && ::read(file, &slot, sizeof slot) == sizeof slot) {
        if (slot.bytes > 0 && slot.bytes <= sizeof slot.file) used.push_back(slot);
      }
      const auto age = std::chrono::seconds(std::time(nullptr) - status.st_mtim.tv_sec);
      if (used.empty() || age > kRemembered)
        ::unlink(path.c_str());
      else
        visit(path, used);
    }
    ::close(file);
  }
}

std::string_view file_of(const Slot& slot) { return {slot.file, slot.bytes}; }

}  // namespace

ParseJournal::ParseJournal(fs::path folder) : folder_(std::move(folder)) {
  read();
  map();
  note_crashes();
}

ParseJournal::~ParseJournal() {
  if (slots_ == nullptr) return;
  ::munmap(slots_, kSlots * sizeof(Slot));
  ::unlink(path_.c_str());
  ::close(file_);
}

void ParseJournal::read() {
  each_left(folder_, [&](const fs::path&, const std::vector<Slot>& used) {
    for (const Slot& slot : used) {
      Blame& blame = blamed_[std::string(file_of(slot))][slot.hash];
      ++blame.deaths;
      if (slot.struck != 0) ++blame.strikes;
    }
  });
}

void ParseJournal::map() {
  if (!cache::make_private_folder(folder_)) return;
  for (int tries = 0; tries < kTries && slots_ == nullptr; ++tries) {
    std::string path = (folder_ / (std::string(kPrefix) + "XXXXXX")).string();
    const int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) return;
    constexpr std::size_t kBytes = kSlots * sizeof(Slot);
    struct stat status {};
    // Another process may have taken the new file for that of a dead one, and removed it. Room is taken now:
    // a full disk must not show as a signal later.
    if (::flock(file, LOCK_EX) == 0 && ::fstat(file, &status) == 0 && status.st_nlink > 0 &&
        ::posix_fallocate(file, 0, kBytes) == 0) {
      void* const mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (mapped != MAP_FAILED) {
        slots_ = static_cast<Slot*>(mapped);
        path_ = path;
        file_ = file;
        return;
      }
    }
    ::unlink(path.c_str());
    ::close(file);
  }
}

bool ParseJournal::crashed(std::string_view file, std::uint64_t hash) const {
  const auto blamed = blamed_.find(file);
  if (blamed == blamed_.end()) return false;
  int texts = 0;
  for (const auto& [text, blame] : blamed->second) {
    const bool certain = blame.strikes > 0 || blame.deaths > 1;
    if (certain && text == hash) return true;
    texts += certain;
  }
  return texts > 1;
}

bool ParseJournal::ever_crashed(std::string_view file) const {
  const auto blamed = blamed_.find(file);
  return blamed != blamed_.end() && std::ranges::any_of(blamed->second, [](const auto& text) {
           return text.second.strikes > 0 || text.second.deaths > 1;
         });
}

bool ParseJournal::suspected(std::string_view file) const { return blamed_.contains(file); }

ParseJournal::Parsing ParseJournal::begin(std::string_view file, std::uint64_t hash) {
  if (slots_ == nullptr || file.empty() || file.size() > sizeof(Slot::file)) return Parsing(nullptr);
  std::uint32_t taken = taken_;
  int free = 0;
  do {
    free = std::countr_one(taken);
    if (free == static_cast<int>(kSlots)) return Parsing(nullptr);
  } while (!taken_.compare_exchange_weak(taken, taken | 1U << free));
  static thread_local const HandlerStack handler_stack;
  Slot& slot = slots_[free];
  slot.struck = 0;
  slot.thread = ::gettid();
  slot.hash = hash;
  std::memcpy(slot.file, file.data(), file.size());
  // In this order for whoever reads it after a death in between, and for this thread's signal handler.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot.bytes = static_cast<std::uint32_t>(file.size());
  parsed_here = &slot;
  return Parsing(this, free);
}

ParseJournal::Parsing ParseJournal::enter(const std::shared_ptr<ParseJournal>& journal, std::string_view file,
                                          std::string_view text) {
  if (!journal) return Parsing(nullptr);
  const std::uint64_t hash = content_hash(text);
  if (journal->crashed(file, hash)) return Parsing(nullptr, 0, true);
  return journal->begin(file, hash);
}

ParseJournal::Parsing::~Parsing() {
  if (journal_ == nullptr) return;
  parsed_here = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  journal_->slots_[slot_].bytes = 0;
  journal_->taken_ &= ~(1U << slot_);
}

void ParseJournal::forget(const fs::path& folder, const fs::path& root) {
  const std::string inside = root.string() + '/';
  each_left(folder, [&](const fs::path& path, const std::vector<Slot>& used) {
    if (std::ranges::any_of(used, [&](const Slot& slot) { return file_of(slot).starts_with(inside); }))
      ::unlink(path.c_str());
  });
}

}  // namespace hearth::indexer
