// A store in a folder of a test's own, with a clock that the test turns.
#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "cache/store_location.h"
#include "cache/store_reader.h"
#include "cache/store_writer.h"
#include "tests/support/temporary_folder.h"

namespace hearth::testing {

class StoreTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "stores/project.db"; }

  cache::WriterOptions options() {
    cache::WriterOptions options;
    options.now = [this] { return now_; };
    return options;
  }

  cache::StoreWriter writer() {
    EXPECT_TRUE(cache::prepare_store(path()).has_value());
    return cache::StoreWriter::open(path(), options()).value();
  }

  cache::StoreReader reader() const { return cache::StoreReader::open(path()).value(); }

  // A file with a symbol, an import, a chunk and words that its name and hash decide.
  static cache::FileRecord record(const std::string& name, std::uint64_t hash) {
    cache::FileRecord record;
    record.file = {name, "python", 10 + hash, static_cast<std::int64_t>(hash), hash, ""};
    const std::string mark = name.substr(0, name.find('.')) + "_" + std::to_string(hash);
    record.symbols = {{mark, "function", "", "def " + mark + "()", "Says so.", true, 0, 9, 1, 2}};
    record.imports = {{"os", "path", 0, std::nullopt}, {"other", "", 1, "other.py"}};
    record.words = mark + " shared";
    return record;
  }

  TemporaryFolder folder_;
  std::chrono::sys_seconds now_{std::chrono::seconds(1'000'000)};
};

}  // namespace hearth::testing
