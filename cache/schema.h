// The tables of a store and how an older file becomes a current one. The version stands in the
// file (SQLite's user_version); a newer file than this program knows is left alone.
#pragma once

#include <span>
#include <string_view>

#include "cache/database.h"

namespace hearth::cache {

struct StoreForm {
  // Each brings a file from version i to i + 1; version 0 is an empty file.
  std::span<const std::string_view> migrations;
  const char* settings = "";  // of SQLite's, before the first table is made
};

// A workspace's store.
StoreForm workspace_form();

// All missing steps in one transaction. kNewer when the file is ahead of `steps`, kCorrupt when it is a
// database of another program.
Result<void> migrate(Database& database,
                     std::span<const std::string_view> steps = workspace_form().migrations);

// A current store for reading, on a read-only disk as well. kInvalid when it is of an earlier version.
Result<Database> open_to_read(const std::filesystem::path& path, const StoreForm& form = workspace_form(),
                              std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace hearth::cache
