#include "engine/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hearth::engine {
namespace fs = std::filesystem;

Result<AtomicFile> AtomicFile::create(const fs::path& target, std::uint64_t size) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return Error{ErrorCode::kUnreadable, folder.string() + ": cannot make the folder: " + failure.message()};

  const fs::path temporary =
      folder / ("." + target.filename().string() + "." + std::to_string(::getpid()) + ".tmp");
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  AtomicFile file(target, temporary, descriptor);
  if (descriptor < 0) return file.error(errno, "create");
  if (size > 0 && ::fallocate(descriptor, 0, 0, static_cast<off_t>(size)) != 0 && errno != EOPNOTSUPP &&
      errno != ENOSYS) {
    return file.error(errno, "reserve space for");
  }
  return file;
}

AtomicFile::AtomicFile(fs::path target, fs::path temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return error(errno, "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) return error(errno, "flush");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return error(errno, "put in place");
  ::close(std::exchange(descriptor_, -1));
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int folder_descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    ::fsync(folder_descriptor);
    ::close(folder_descriptor);
  }
  return {};
}

Error AtomicFile::error(int number, const char* doing) const {
  return Error{ErrorCode::kUnreadable, target_.string() + ": cannot " + doing +
                                           " the file: " + std::generic_category().message(number)};
}

Result<void> write_file_atomically(const fs::path& target, std::string_view text) {
  auto file = AtomicFile::create(target, 0);
  if (!file) return file.error();
  if (auto written = file->write(std::as_bytes(std::span(text))); !written) return written;
  return file->commit();
}

}  // namespace hearth::engine
