#include "engine/prompt_layout.h"

#include <algorithm>
#include <numeric>

#include "engine/healing.h"

namespace hearth::engine {

namespace {

void append(std::vector<TokenId>& tokens, const std::vector<TokenId>& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
}

// The texts of all taken segments of a kind, joined.
std::string text_of(std::span<const Segment> segments, std::span<const std::size_t> taken, SegmentKind kind) {
  std::string text;
  for (const std::size_t i : taken) {
    if (segments[i].kind == kind) text += segments[i].text;
  }
  return text;
}

// Everything before the file: manifests, related files and the file's path, as far as the model has
// markers for them.
void append_context(std::vector<TokenId>& tokens, const Tokenizer& tokenizer,
                    std::span<const Segment> segments, std::span<const std::size_t> taken) {
  const auto& special = tokenizer.special();
  for (const std::size_t i : taken) {
    const Segment& segment = segments[i];
    const bool manifests = segment.kind == SegmentKind::kManifests;
    const bool file = segment.kind == SegmentKind::kRelated || segment.kind == SegmentKind::kPath;
    const auto marker = manifests ? special.repo_name : special.file_sep;
    if ((!manifests && !file) || !marker) continue;
    tokens.push_back(*marker);
    append(tokens, tokenizer.encode(segment.kind == SegmentKind::kPath ? segment.text + "\n" : segment.text));
  }
}

// The text that the completion continues, less what healing takes off its end.
std::string heal(std::string text, Healing healing, std::string& healed) {
  const std::size_t cut = healing == Healing::kOn ? healing_cut(text) : text.size();
  healed = text.substr(cut);
  text.resize(cut);
  return text;
}

}  // namespace

Prompt lay_out_prompt(const Tokenizer& tokenizer, FimOrder order, std::span<const Segment> segments,
                      std::span<const std::size_t> taken, Healing healing) {
  const auto& special = tokenizer.special();
  const std::string suffix = text_of(segments, taken, SegmentKind::kSuffix);
  const std::string prefix = text_of(segments, taken, SegmentKind::kPrefix);
  const std::string typed = text_of(segments, taken, SegmentKind::kTyped);
  const bool has_markers = special.fim_prefix && special.fim_suffix && special.fim_middle;
  Prompt prompt;
  if (special.add_bos && special.bos) prompt.tokens.push_back(*special.bos);
  if (has_markers && order != FimOrder::kNone) {
    append_context(prompt.tokens, tokenizer, segments, taken);
    prompt.tokens.push_back(*special.fim_prefix);
  }
  prompt.after = tokenizer.encode(suffix);
  if (!has_markers || order == FimOrder::kNone) {
    prompt.before = tokenizer.encode(heal(prefix + typed, healing, prompt.healed));
    append(prompt.tokens, prompt.before);
  } else if (order == FimOrder::kSuffixFirst) {
    prompt.before = tokenizer.encode(heal(prefix + typed, healing, prompt.healed));
    prompt.tokens.push_back(*special.fim_suffix);
    append(prompt.tokens, prompt.after);
    prompt.tokens.push_back(*special.fim_middle);
    append(prompt.tokens, prompt.before);
  } else {
    prompt.before = tokenizer.encode(prefix);
    append(prompt.tokens, prompt.before);
    prompt.tokens.push_back(*special.fim_suffix);
    append(prompt.tokens, prompt.after);
    prompt.tokens.push_back(*special.fim_middle);
    const auto since = tokenizer.encode(heal(typed, healing, prompt.healed));
    append(prompt.tokens, since);
    append(prompt.before, since);
  }
  if (prompt.tokens.empty()) {  // nothing to go on from: the model's own beginning, or what was cut
    if (const auto begin = special.bos ? special.bos : special.eos) {
      prompt.tokens.push_back(*begin);
    } else {
      prompt.tokens = tokenizer.encode(prompt.healed.empty() ? "\n" : prompt.healed);
      prompt.healed.clear();
    }
  }
  return prompt;
}

std::vector<std::vector<std::size_t>> segment_choices(std::span<const Segment> segments) {
  std::vector<std::size_t> taken(segments.size());
  std::iota(taken.begin(), taken.end(), 0);
  std::vector<std::vector<std::size_t>> choices{taken};
  while (true) {
    auto weakest = taken.end();
    for (auto i = taken.begin(); i != taken.end(); ++i) {
      if (segments[*i].required) continue;
      if (weakest == taken.end() || segments[*i].priority <= segments[*weakest].priority) weakest = i;
    }
    if (weakest == taken.end()) return choices;
    taken.erase(weakest);
    choices.push_back(taken);
  }
}

}  // namespace hearth::engine
