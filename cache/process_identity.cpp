#include "cache/process_identity.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace hearth::cache {
namespace {

// proc(5), /proc/PID/stat: field 22, counted after the name, which may hold blanks and brackets.
std::string start_of(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  constexpr int kStartAfterName = 20;
  for (int i = 0; i < kStartAfterName; ++i) fields >> field;
  return field;
}

std::string surroundings() {
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(boot, id);
  std::error_code ignored;
  return id + ' ' + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

}  // namespace

ProcessIdentity own_identity() { return {::getpid(), surroundings() + ' ' + start_of(::getpid())}; }

Liveness liveness(const ProcessIdentity& other) {
  const std::size_t split = other.mark.rfind(' ');
  if (split == std::string::npos) return Liveness::kGone;
  const std::string here = surroundings();
  if (other.mark.substr(0, split) != here) {
    const bool same_boot = other.mark.substr(0, other.mark.find(' ')) == here.substr(0, here.find(' '));
    return same_boot ? Liveness::kUnknown : Liveness::kGone;
  }
  return start_of(other.process) == other.mark.substr(split + 1) ? Liveness::kAlive : Liveness::kGone;
}

}  // namespace hearth::cache
