#include "indexer/parse_journal.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "indexer/read_file.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxPath = 4088;
constexpr std::size_t kMaxJournal = 1 << 20;

}  // namespace

// As it lies in the file.
struct ParseJournal::Slot {
  std::uint32_t bytes = 0;   // of the path; 0: nothing is being parsed
  std::uint32_t deaths = 0;  // that the path was seen at before
  char path[kMaxPath] = {};
};

ParseJournal::ParseJournal(std::filesystem::path path, int slots) : path_(std::move(path)) {
  read();
  map(slots);
}

ParseJournal::~ParseJournal() {
  if (slots_ == nullptr) return;
  ::munmap(slots_, count_ * sizeof(Slot));
  ::unlink(path_.c_str());
}

void ParseJournal::read() {
  const Result<std::string> left = read_file(path_, kMaxJournal);
  if (!left) return;
  for (std::size_t at = 0; at + sizeof(Slot) <= left->size(); at += sizeof(Slot)) {
    Slot slot;
    std::memcpy(&slot, left->data() + at, sizeof slot);
    if (slot.bytes == 0 || slot.bytes > kMaxPath) continue;
    std::string path(slot.path, slot.bytes);
    if (slot.deaths > 0)
      crashed_.insert(std::move(path));
    else
      suspects_.insert(std::move(path));
  }
}

void ParseJournal::map(int slots) {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  const std::size_t bytes = static_cast<std::size_t>(slots) * sizeof(Slot);
  // Room is taken now: a full disk must not show as a signal later.
  if (::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) {
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped != MAP_FAILED) {
      slots_ = static_cast<Slot*>(mapped);
      count_ = static_cast<std::size_t>(slots);
    }
  }
  ::close(descriptor);
}

void ParseJournal::begin(int slot, std::string_view path) {
  if (static_cast<std::size_t>(slot) >= count_ || path.size() > kMaxPath) return;
  Slot& here = slots_[slot];
  here.deaths = suspects_.contains(path) ? 1 : 0;
  std::memcpy(here.path, path.data(), path.size());
  // In this order for whoever reads it after a death in between.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  here.bytes = static_cast<std::uint32_t>(path.size());
}

void ParseJournal::end(int slot) {
  if (static_cast<std::size_t>(slot) >= count_) return;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slots_[slot].bytes = 0;
}

}  // namespace hearth::indexer
