#include "indexer/outline_query.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hearth::indexer {
namespace {

struct NamedRole {
  std::string_view name;
  CaptureRole role;
};

constexpr std::array<NamedRole, 11> kRoles = {{
    {"name", CaptureRole::kName},
    {"body", CaptureRole::kBody},
    {"doc", CaptureRole::kDocumentation},
    {"container", CaptureRole::kContainer},
    {"scope", CaptureRole::kScope},
    {"access", CaptureRole::kAccess},
    {"hidden", CaptureRole::kHidden},
    {"exported", CaptureRole::kExported},
    {"import", CaptureRole::kImport},
    {"module", CaptureRole::kModule},
    {"imported", CaptureRole::kImported},
}};
constexpr std::string_view kDefinition = "definition.";

}  // namespace

std::string_view text_of(TSNode node, std::string_view text) {
  const std::size_t start = std::min<std::size_t>(ts_node_start_byte(node), text.size());
  const std::size_t end = std::min<std::size_t>(ts_node_end_byte(node), text.size());
  return text.substr(start, end - start);
}

Result<OutlineQuery> OutlineQuery::compile(const Language& language) {
  const std::string source = query_of(language);
  std::uint32_t offset = 0;
  TSQueryError fault = TSQueryErrorNone;
  TSQuery* compiled = ts_query_new(language.grammar(), source.data(),
                                   static_cast<std::uint32_t>(source.size()), &offset, &fault);
  const auto error = [&](const std::string& what) {
    return Error{ErrorCode::kMalformed, "the query of " + std::string(language.id) + ": " + what};
  };
  if (compiled == nullptr) return error("fault at \"" + source.substr(offset, 40) + '"');
  OutlineQuery query(compiled);
  query.read_captures();
  const std::uint32_t patterns = ts_query_pattern_count(compiled);
  query.predicates_.resize(patterns);
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    if (!query.read_predicates(pattern))
      return error("a predicate that is not known in pattern " + std::to_string(pattern));
  }
  return query;
}

void OutlineQuery::read_captures() {
  const std::uint32_t count = ts_query_capture_count(query_.get());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t size = 0;
    const std::string_view name(ts_query_capture_name_for_id(query_.get(), i, &size));
    Capture capture;
    if (name.starts_with(kDefinition)) {
      capture = {CaptureRole::kDefinition, std::string(name.substr(kDefinition.size()))};
    } else {
      for (const NamedRole& known : kRoles) {
        if (known.name == name) capture.role = known.role;
      }
    }
    captures_.push_back(std::move(capture));
  }
}

bool OutlineQuery::read_predicates(std::uint32_t pattern) {
  std::uint32_t count = 0;
  const TSQueryPredicateStep* steps = ts_query_predicates_for_pattern(query_.get(), pattern, &count);
  const auto string_at = [&](std::uint32_t i) {
    std::uint32_t size = 0;
    const char* text = ts_query_string_value_for_id(query_.get(), steps[i].value_id, &size);
    return std::string(text, size);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string test = string_at(i);
    Predicate predicate;
    if (test == "eq?" || test == "any-of?")
      predicate.test = Test::kEqual;
    else if (test == "not-eq?")
      predicate.test = Test::kNotEqual;
    else if (test == "starts-with?")
      predicate.test = Test::kStartsWith;
    else
      return false;
    if (++i == count || steps[i].type != TSQueryPredicateStepTypeCapture) return false;
    predicate.capture = steps[i].value_id;
    for (++i; i < count && steps[i].type == TSQueryPredicateStepTypeString; ++i)
      predicate.values.push_back(string_at(i));
    if (i == count || steps[i].type != TSQueryPredicateStepTypeDone) return false;
    predicates_[pattern].push_back(std::move(predicate));
  }
  return true;
}

bool OutlineQuery::holds(const Predicate& predicate, std::string_view value) {
  const auto any = [&](const auto& fits) { return std::ranges::any_of(predicate.values, fits); };
  switch (predicate.test) {
    case Test::kEqual: return any([&](const std::string& wanted) { return value == wanted; });
    case Test::kNotEqual: return !any([&](const std::string& wanted) { return value == wanted; });
    case Test::kStartsWith: return any([&](const std::string& wanted) { return value.starts_with(wanted); });
  }
  return false;
}

bool OutlineQuery::accepts(const TSQueryMatch& match, std::string_view text) const {
  for (const Predicate& predicate : predicates_[match.pattern_index]) {
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
      const TSQueryCapture& capture = match.captures[i];
      if (capture.index == predicate.capture && !holds(predicate, text_of(capture.node, text))) return false;
    }
  }
  return true;
}

Result<const OutlineQuery*> OutlineQueries::of(const Language& language) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_[&language];
  }
  const std::lock_guard lock(entry->mutex);
  if (!entry->query) {
    Result<OutlineQuery> compiled = OutlineQuery::compile(language);
    if (!compiled) return compiled.error();
    entry->query = std::move(*compiled);
  }
  return &*entry->query;
}

}  // namespace hearth::indexer
