// A file that appears whole or not at all: written under a temporary name beside its target, flushed to
// the disk, then renamed over it. What is not committed is removed. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "engine/error.h"

namespace hearth::engine {

class AtomicFile {
 public:
  // Makes missing parent folders. `size` bytes are reserved where the file system can, so that a full
  // disk shows now; 0 reserves nothing.
  static Result<AtomicFile> create(const std::filesystem::path& target, std::uint64_t size);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> write(std::span<const std::byte> bytes);  // appends
  Result<void> commit();                                 // once, last

 private:
  AtomicFile(std::filesystem::path target, std::filesystem::path temporary, int descriptor);
  Error error(int number, const char* doing) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

Result<void> write_file_atomically(const std::filesystem::path& target, std::string_view text);

}  // namespace hearth::engine
