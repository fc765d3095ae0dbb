#include "lsp/prompt_context.h"

#include <algorithm>

#include "indexer/related_files.h"
#include "lsp/prompt_plan.h"
#include "lsp/secret_mask.h"

namespace hearth::lsp {
namespace {

constexpr int kMostShare = 2;          // the file itself keeps one part in so many of the prompt
constexpr int kManifestShare = 4;      // manifests have at most one part in so many of what is said
constexpr std::size_t kMattering = 3;  // of the ranked files
constexpr int kLeastTokens = 24;       // of a part: less says nothing

engine::Segment optional_segment(engine::SegmentKind kind, std::string text, int priority) {
  engine::Segment segment;
  segment.kind = kind;
  segment.hash = segment_hash(kind, text);
  segment.text = std::move(text);
  segment.required = false;
  segment.priority = priority;
  return segment;
}

engine::Error context_error(const indexer::Error& error) {
  return {engine::ErrorCode::kUnreadable, error.message};
}

int count_one(const std::string& text, const indexer::CountTokens& count) {
  const std::vector<int> tokens = count({text});
  return tokens.empty() ? 0 : tokens.front();
}

// Each file has at most three tenths of what is left, so that several find room and the first has the most.
int share_of(int left) { return std::max(kLeastTokens, left * 3 / 10); }

// The name that a file was asked for first; empty: none.
std::string asked_of(const indexer::RelatedFile& file) {
  return file.wanted.empty() ? std::string() : file.wanted.front();
}

bool says(const PromptContext::Part& part, const indexer::RelatedFile& file) {
  const std::string asked = asked_of(file);
  return part.asked == asked || part.text.find(asked) != std::string::npos;
}

const PromptContext::Part* part_of(const PromptContext& context, const std::string& path) {
  const auto part = std::ranges::find(context.files, path, &PromptContext::Part::path);
  return part == context.files.end() ? nullptr : &*part;
}

int file_tokens(const PromptContext& context) { return context.tokens() - context.manifest_tokens; }

// A change costs prefilling all that follows it, so the order of what matters little is no reason for one.
bool says_what_matters(const PromptContext& context, const std::vector<indexer::RelatedFile>& ranked) {
  for (std::size_t i = 0; i < std::min(kMattering, ranked.size()); ++i) {
    const PromptContext::Part* const part = part_of(context, ranked[i].path);
    if (part == nullptr || !says(*part, ranked[i])) return false;
  }
  return true;
}

class ContextMaker {
 public:
  ContextMaker(indexer::WorkspaceView& view, const indexer::CountTokens& count)
      : view_(view), count_(count) {}

  engine::Result<std::optional<PromptContext::Part>> part(const indexer::RelatedFile& file, int max_tokens) {
    const auto row = view_.reader().file(file.path);
    if (!row) return engine::Error{engine::ErrorCode::kUnreadable, row.error().message};
    const auto facts = view_.facts(file.path);
    if (!facts) return context_error(facts.error());
    const std::string head = file.path + '\n';
    const int left = max_tokens - count_one(head, count_);
    std::string text = indexer::summarise_file(*facts, left, count_, file.wanted);
    if (text.empty()) return std::optional<PromptContext::Part>();
    text = head + with_secrets_masked(text);
    const int tokens = count_one(text, count_);
    return std::optional(
        PromptContext::Part{file.path, asked_of(file), *row ? (*row)->hash : 0, std::move(text), tokens});
  }

  // Whether what was said of the file still holds.
  bool is_true(const PromptContext::Part& part) {
    const auto row = view_.reader().file(part.path);
    return row && *row && (*row)->hash == part.content;
  }

 private:
  indexer::WorkspaceView& view_;
  const indexer::CountTokens& count_;
};

}  // namespace

int PromptContext::tokens() const {
  int sum = manifest_tokens;
  for (const Part& file : files) sum += file.tokens + 1;  // its marker
  return sum;
}

std::vector<engine::Segment> PromptContext::segments() const {
  std::vector<engine::Segment> segments;
  int priority = 0;
  if (!manifests.empty())
    segments.push_back(optional_segment(engine::SegmentKind::kManifests, manifests, priority));
  for (const Part& file : files)
    segments.push_back(optional_segment(engine::SegmentKind::kRelated, file.text, --priority));
  return segments;
}

ContextLimits context_limits(int related_tokens, int prompt_tokens, int context_tokens) {
  ContextLimits limits;
  const int room = std::min(prompt_tokens, context_tokens) / kMostShare;
  const int all = std::min(related_tokens, room);
  limits.manifest_tokens = std::min(limits.manifest_tokens, all / kManifestShare);
  limits.file_tokens = all - limits.manifest_tokens;
  return limits;
}

engine::Result<PromptContext> make_context(indexer::WorkspaceView& view, indexer::DocumentOutliner& outliner,
                                           const ContextPlace& place, const ContextLimits& limits,
                                           const indexer::CountTokens& count, const PromptContext* previous,
                                           std::stop_token stop) {
  if (const auto fresh = view.refresh(); !fresh) return context_error(fresh.error());
  PromptContext context;
  if (limits.manifest_tokens > 0) {
    context.manifests = with_secrets_masked(
        indexer::summarise_workspace(view.workspace_facts(), limits.manifest_tokens, count));
    context.manifest_tokens = count_one(context.manifests, count) + 1;
  }
  if (limits.file_tokens == 0) return context;
  const auto ranked = indexer::related_files(
      view, outliner, {place.path, place.text, place.cursor, place.recent, place.masked}, 2 * limits.files,
      std::move(stop));
  if (!ranked) return context_error(ranked.error());
  ContextMaker maker(view, count);
  const auto is_true = [&](const PromptContext::Part& part) { return maker.is_true(part); };
  if (previous != nullptr && file_tokens(*previous) <= limits.file_tokens &&
      std::ranges::all_of(previous->files, is_true) && says_what_matters(*previous, *ranked)) {
    context.files = previous->files;
    return context;
  }
  int left = limits.file_tokens;
  const auto first_new =
      ranked->begin() + static_cast<std::ptrdiff_t>(std::min(limits.files, ranked->size()));
  if (previous != nullptr) {
    // The best ones that are new must find room.
    const auto is_new = [&](const indexer::RelatedFile& file) {
      return part_of(*previous, file.path) == nullptr;
    };
    auto room = static_cast<std::ptrdiff_t>(limits.files) - std::count_if(ranked->begin(), first_new, is_new);
    for (const PromptContext::Part& part : previous->files) {
      const auto file = std::ranges::find(*ranked, part.path, &indexer::RelatedFile::path);
      if (file == ranked->end() || room <= 0 || part.tokens > left || !is_true(part) || !says(part, *file))
        continue;
      context.files.push_back(part);
      left -= part.tokens + 1;
      --room;
    }
  }
  for (auto file = ranked->begin(); file != first_new; ++file) {
    if (part_of(context, file->path) != nullptr) continue;
    if (context.files.size() == limits.files || left < kLeastTokens) break;
    auto part = maker.part(*file, std::min(left, share_of(left)));
    if (!part) return part.error();
    if (!*part) continue;
    left -= (*part)->tokens + 1;
    context.files.push_back(std::move(**part));
  }
  return context;
}

}  // namespace hearth::lsp
