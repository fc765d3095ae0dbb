#include "lsp/silence.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "lsp/code_scan.h"
#include "lsp/language.h"
#include "lsp/language_id.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::string_view kEnable = "hearth.enable";
constexpr std::string_view kDisabledLanguages = "hearth.completion.disabledLanguages";
constexpr std::string_view kComments = "hearth.completion.comments";
constexpr std::string_view kMinConfidence = "hearth.completion.minConfidence";
constexpr std::string_view kHardMs = "hearth.completion.hardMs";

boost::json::object because(std::string_view code, std::string message, std::string_view setting = {}) {
  boost::json::object out{{"suggests", false}, {"code", code}, {"message", std::move(message)}};
  if (!setting.empty()) out["setting"] = setting;
  return out;
}

}  // namespace

bool is_ban(Silence silence) {
  return silence == Silence::kOff || silence == Silence::kLanguageOff || silence == Silence::kSecret ||
         silence == Silence::kIgnored;
}

Silence silence_of(const engine::Final& final, double least_confidence) {
  const auto is_unsure = [&](const auto& alternative) { return alternative.confidence < least_confidence; };
  if (std::ranges::any_of(final.alternatives, is_unsure)) return Silence::kUnsure;
  const auto is_empty = [](const engine::Alternative& alternative) { return is_blank(alternative.text); };
  if (!std::ranges::all_of(final.alternatives, is_empty)) return Silence::kNothingFits;
  return final.reason == engine::FinishReason::kDeadline ? Silence::kLate : Silence::kSaidNothing;
}

boost::json::array disabled_as(const Document& document, const Settings& settings) {
  boost::json::array names;
  for (const std::string& said : settings.completion_disabled_languages) {
    if (language_id(said) == document.language()) names.emplace_back(said);
  }
  return names;
}

Silence silence_by_settings(const Document& document, const Settings& settings) {
  if (!settings.enable) return Silence::kOff;
  return disabled_as(document, settings).empty() ? Silence::kNone : Silence::kLanguageOff;
}

Silence silence_of_place(const Document& document, std::size_t cursor, const Settings& settings) {
  if (settings.completion_comments) return Silence::kNone;
  const std::string_view text = document.text();
  const std::size_t start = scan_start(text, cursor);
  const CodeScan scan =
      scan_code(text.substr(start, cursor - start), syntax_of(document.language()), cursor - start);
  return scan.at_mark == Inside::kComment ? Silence::kComment : Silence::kNone;
}

Silence silence_here(const Document& document, const Settings& settings, const engine::EngineStatus& status) {
  const Silence by_settings = silence_by_settings(document, settings);
  if (by_settings != Silence::kNone) return by_settings;
  if (status.state == "failed") return Silence::kFailed;
  return status.state == "loading" ? Silence::kLoading : Silence::kNone;
}

boost::json::object explanation(Silence silence, const Document& document, const Settings& settings,
                                const engine::EngineStatus& status) {
  switch (silence) {
    case Silence::kOff: return because("off", "Hearth is switched off.", kEnable);
    case Silence::kLanguageOff:
      return because("languageOff", fmt::format("Nothing is suggested in {}.", document.language()),
                     kDisabledLanguages);
    case Silence::kComment:
      return because("comment", "In comments nothing is suggested that was not asked for.", kComments);
    case Silence::kSecret:
      return because("secret", "By its name this file holds secrets: it is neither read nor completed.");
    case Silence::kIgnored: return because("ignored", "A .hearthignore file names this file.");
    case Silence::kLoading: return because("loading", "The model is still loading.");
    case Silence::kFailed:
      return because("failed", fmt::format("The model cannot be used: {}", status.error));
    case Silence::kLate:
      return because("late",
                     fmt::format("The model had nothing whole after {} ms.", settings.completion_hard_ms),
                     kHardMs);
    case Silence::kUnsure:
      return because(
          "unsure",
          fmt::format("What the model wrote is right in less than {} of 100 cases, as far as it knows.",
                      settings.completion_min_confidence),
          kMinConfidence);
    case Silence::kSaidNothing:
      return because("saidNothing", "The model expects nothing more at this place.");
    case Silence::kNothingFits:
      return because("nothingFits", "What the model wrote repeats the text around the cursor or breaks it.");
    case Silence::kSuperseded: return because("superseded", "Something newer was asked for meanwhile.");
    case Silence::kNone: break;
  }
  return {{"suggests", true}, {"code", "suggests"}, {"message", "Suggestions come here."}};
}

}  // namespace hearth::lsp
