#include "indexer/read_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hearth::indexer {
namespace {

Error error(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::kUnreadable, path.string() + ": " + what};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return error(path, std::strerror(errno));
  struct Close {
    int descriptor;
    ~Close() { ::close(descriptor); }
  } const close{descriptor};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return error(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return error(path, "no regular file");
  std::string text;
  // One byte more than the size shows that it has grown.
  text.resize(std::min(static_cast<std::size_t>(status.st_size), limit) + 1);
  std::size_t size = 0;
  while (true) {
    const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) return error(path, "more than " + std::to_string(limit) + " bytes");
    if (size == text.size()) text.resize(std::min(2 * text.size(), limit + 1));
  }
  text.resize(size);
  return text;
}

}  // namespace hearth::indexer
