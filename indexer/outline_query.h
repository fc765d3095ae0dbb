// A language's query, compiled, with what its captures and predicates mean (queries/README.md). Immutable
// after construction; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tree_sitter/api.h>
#include <vector>

#include "indexer/error.h"
#include "indexer/languages.h"

namespace hearth::indexer {

enum class CaptureRole : std::uint8_t {
  kOther,
  kDefinition,
  kName,
  kBody,
  kDocumentation,
  kContainer,
  kScope,
  kAccess,
  kHidden,
  kExported,
  kImport,
  kModule,
  kImported,
};

class OutlineQuery {
 public:
  // kMalformed names the language and the place in its query.
  static Result<OutlineQuery> compile(const Language& language);

  const TSQuery* get() const { return query_.get(); }
  CaptureRole role(std::uint32_t capture) const { return captures_[capture].role; }
  const std::string& kind(std::uint32_t capture) const { return captures_[capture].kind; }

  // Whether the predicates of the match's pattern hold.
  bool accepts(const TSQueryMatch& match, std::string_view text) const;

 private:
  enum class Test : std::uint8_t { kEqual, kNotEqual, kStartsWith };
  struct Capture {
    CaptureRole role = CaptureRole::kOther;
    std::string kind;  // of a definition
  };
  struct Predicate {
    Test test = Test::kEqual;
    std::uint32_t capture = 0;
    std::vector<std::string> values;  // any of them
  };
  struct Delete {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
  };

  explicit OutlineQuery(TSQuery* query) : query_(query) {}
  void read_captures();
  bool read_predicates(std::uint32_t pattern);
  static bool holds(const Predicate& predicate, std::string_view value);

  std::unique_ptr<TSQuery, Delete> query_;
  std::vector<Capture> captures_;
  std::vector<std::vector<Predicate>> predicates_;  // by pattern
};

// Compiled when first needed, which takes longer than many a file; whoever needs one that another thread
// compiles waits for it. Any thread.
class OutlineQueries {
 public:
  // Lives as long as this.
  Result<const OutlineQuery*> of(const Language& language);

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<OutlineQuery> query;  // guarded by mutex
  };

  std::mutex mutex_;
  std::map<const Language*, Entry> entries_;  // guarded by mutex_; what is in one by its own
};

// The text of a node.
std::string_view text_of(TSNode node, std::string_view text);

}  // namespace hearth::indexer
