// Which files are not indexed, and why: by name alone (secrets, lock files, folders of installed packages)
// and by content (binary, generated, minified). Pure functions; ignore files are another matter
// (ignore_rules.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hearth::indexer {

inline constexpr std::size_t kMaxIndexedBytes = 1 << 20;

enum class LeftOut : std::uint8_t {
  kNot,
  kGitIgnored,
  kHearthIgnored,
  kSecret,      // neither read nor completed
  kDependency,  // other people's code, installed by a package manager
  kRepository,  // a version control system's own files
  kCacheFolder,
  kSymbolicLink,
  kBrokenLink,
  kLinkLoop,
  kNoRegularFile,
  kUnreadable,
  kTooLarge,
  kBinary,
  kGenerated,
  kMinified,
  kParserGaveUp,
  kParserCrashed,
};

// A clause that follows "left out: ".
std::string_view reason(LeftOut why);

// A path whose name, or that of a folder above it, is one of a secret: `.env`, private keys, `secrets/` ...
bool is_secret_path(std::string_view path);

// By the entry's own name: kNot, kSecret, kDependency, kRepository or kGenerated (lock files).
LeftOut left_out_folder(std::string_view name);
LeftOut left_out_file(std::string_view name);

// By what a file holds: kNot, kTooLarge, kBinary, kGenerated or kMinified.
LeftOut left_out_content(std::string_view text, std::string_view name);

}  // namespace hearth::indexer
