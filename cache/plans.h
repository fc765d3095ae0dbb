// Where prompts' windows stood in documents, in a workspace's store: a text a document, which only its writer
// understands. Any thread; each call opens the store.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "cache/error.h"

namespace hearth::cache {

// `path` is the document's from the workspace's root. The oldest of more than `most` leave.
Result<void> put_plan(const std::filesystem::path& store, const std::string& path, const std::string& plan,
                      std::chrono::sys_seconds now, int most = 1000);

// Waits for nobody.
Result<std::optional<std::string>> plan_of(const std::filesystem::path& store, const std::string& path);

}  // namespace hearth::cache
