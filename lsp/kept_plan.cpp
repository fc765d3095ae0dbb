#include "lsp/kept_plan.h"

#include <algorithm>
#include <boost/json.hpp>

#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

namespace json = boost::json;

std::string hash_of(std::string_view head) {
  return std::to_string(segment_hash(engine::SegmentKind::kPrefix, head));
}

std::optional<KeptPlan> plan_of(const json::object& kept, std::string_view model, std::string_view document) {
  const std::string text = with_lf(document);
  KeptPlan plan;
  plan.model = model;
  if (std::string_view(kept.at("model").as_string()) != model) return std::nullopt;
  const auto begin = kept.at("begin").to_number<std::size_t>();
  const auto bytes = kept.at("bytes").to_number<std::size_t>();
  if (begin > text.size() || bytes > text.size() - begin) return std::nullopt;
  plan.state.head = text.substr(begin, bytes);
  if (hash_of(plan.state.head) != std::string_view(kept.at("hash").as_string())) return std::nullopt;
  for (const json::value& cut : kept.at("cuts").as_array()) {
    plan.state.cuts.push_back(cut.to_number<std::size_t>());
    if (plan.state.cuts.back() > bytes) return std::nullopt;
  }
  if (!std::ranges::is_sorted(plan.state.cuts)) return std::nullopt;
  plan.state.limits = {.context_tokens = kept.at("contextTokens").to_number<int>(),
                       .new_tokens = kept.at("newTokens").to_number<int>(),
                       .prompt_tokens = kept.at("promptTokens").to_number<int>(),
                       .bytes_per_token = kept.at("bytesPerToken").to_number<double>()};
  plan.cursor =
      floor_to_character(document, std::min(kept.at("cursor").to_number<std::size_t>(), document.size()));
  return plan;
}

}  // namespace

std::string write_plan(const KeptPlan& plan, std::string_view text) {
  const std::string& head = plan.state.head;
  const std::size_t begin = with_lf(text).find(head);
  if (head.empty() || begin == std::string::npos) return {};
  return json::serialize(json::object{{"begin", begin},
                                      {"bytes", head.size()},
                                      {"hash", hash_of(head)},
                                      {"cuts", json::value_from(plan.state.cuts)},
                                      {"contextTokens", plan.state.limits.context_tokens},
                                      {"newTokens", plan.state.limits.new_tokens},
                                      {"promptTokens", plan.state.limits.prompt_tokens},
                                      {"bytesPerToken", plan.state.limits.bytes_per_token},
                                      {"model", plan.model},
                                      {"cursor", plan.cursor}});
}

std::optional<KeptPlan> read_plan(std::string_view kept, std::string_view model, std::string_view text) {
  boost::system::error_code malformed;
  const json::value value = json::parse(kept, malformed);
  if (malformed || !value.is_object()) return std::nullopt;
  try {
    return plan_of(value.get_object(), model, text);
  } catch (const std::exception&) {  // a key is missing or of another type
    return std::nullopt;
  }
}

}  // namespace hearth::lsp
