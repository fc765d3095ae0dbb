// The tables of a workspace's store and how an older file becomes a current one. The version stands in the
// file (SQLite's user_version); a newer file than this program knows is left alone.
#pragma once

#include <span>
#include <string_view>

#include "cache/database.h"

namespace hearth::cache {

// Each brings a file from version i to i + 1; version 0 is an empty file.
std::span<const std::string_view> migrations();

// All missing steps in one transaction. kNewer when the file is ahead of `steps`, kCorrupt when it is a
// database of another program.
Result<void> migrate(Database& database, std::span<const std::string_view> steps = migrations());

}  // namespace hearth::cache
