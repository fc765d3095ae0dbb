#include "engine/memory_calibration.h"

#include <algorithm>
#include <cmath>

#include "engine/prompt_layout.h"

namespace hearth::engine {

namespace {

constexpr int kRows = 64;
constexpr int kSteps = 1500;
constexpr double kRate = 0.02;
constexpr double kPrior = 1e-4;   // of the squared distance from the start, beside nats a token
constexpr double kFloor = 1e-30;  // of a probability

int room_of(const Model& model) { return model.description().shape.max_positions / kernels::kPageTokens + 2; }

double mixed_probability(const MixtureSample& sample, double share) {
  return std::max((1 - share) * sample.model + share * sample.memory, kFloor);
}

}  // namespace

MixtureSampler::MixtureSampler(const Model& model, const WorkspaceMemory& memory)
    : model_(model),
      memory_(memory),
      pool_(model.make_page_pool(2 * room_of(model))),
      workspace_(model.device().make_workspace(model.description().shape, kRows)),
      tree_(*pool_) {}

MixtureSampler::~MixtureSampler() = default;

std::vector<MixtureSample> MixtureSampler::sample(const CalibrationText& text, int tokens) {
  const std::vector<Segment> segments = {{.kind = SegmentKind::kPath, .text = text.document},
                                         {.kind = SegmentKind::kSuffix, .text = text.after},
                                         {.kind = SegmentKind::kPrefix, .text = text.before}};
  const Prompt prompt = lay_out_prompt(model_.tokenizer(), model_.description().fim_order, segments,
                                       segment_choices(segments).front(), Healing::kOff);
  const auto n = static_cast<int>(prompt.tokens.size());
  // Before the middle marker of a prefix-first prompt, the tokens to be scored are not its last ones.
  const auto is_last = std::equal(prompt.before.rbegin(), prompt.before.rend(), prompt.tokens.rbegin(),
                                  prompt.tokens.rbegin() + static_cast<std::ptrdiff_t>(prompt.before.size()));
  const int scored = std::min(tokens, static_cast<int>(prompt.before.size()) - 1);
  if (!is_last || scored < 1 || n > model_.description().shape.max_positions) return {};

  MatchIndex written(prompt.before.size() + prompt.after.size() + 1);
  for (const TokenId token : prompt.after) written.append(token);
  written.append_silent(MatchIndex::kBorder);
  for (const TokenId token : std::span(prompt.before).first(prompt.before.size() - scored))
    written.append(token);
  const auto view = memory_.view(text.document, text.masked);

  std::vector<MixtureSample> samples;
  auto path = tree_.open({});
  while (path.size() + 1 < n) {
    const int from = path.size();
    const int count = std::min(kRows, n - 1 - from);
    tree_.reserve(path, count);
    std::vector<kernels::Row> rows;
    std::vector<kernels::HeadQuery> queries;
    std::vector<MemoryGuess> guesses;
    std::vector<std::vector<TokenId>> ids;
    for (int i = 0; i < count; ++i) {
      rows.push_back({prompt.tokens[from + i], static_cast<std::uint32_t>(from + i), 0});
      if (from + i + 1 < n - scored) continue;
      const TokenId came = prompt.tokens[from + i + 1];
      MemoryGuess guess = memory_guess(find_occurrences(written, memory_, view));
      guess.draft = {};
      written.append(came);
      if (guess.candidates.empty()) continue;
      ids.push_back({came});
      for (const auto& candidate : guess.candidates) ids.back().push_back(candidate.token);
      guesses.push_back(std::move(guess));
      queries.push_back({.row = static_cast<std::uint32_t>(i)});
    }
    for (std::size_t i = 0; i < queries.size(); ++i) queries[i].ids = ids[i];
    const std::span<const kernels::PageRef> pages = path.pages();
    const auto answers = model_.run({rows, {&pages, 1}}, queries, *pool_, *workspace_, [] { return false; });
    tree_.commit(path, std::span(prompt.tokens).subspan(from, count));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto& answer = (*answers)[i];
      const auto model = [&](float logit) {
        return std::exp(static_cast<double>(logit) - answer.log_sum_exp);
      };
      MixtureSample sample;
      sample.model = model(answer.logits[0]);
      for (const auto& candidate : guesses[i].candidates) {
        if (candidate.token == ids[i][0]) sample.memory = candidate.probability;
      }
      sample.figures = mixture_figures(guesses[i], answer.entropy, model(answer.logits[1]));
      samples.push_back(sample);
    }
  }
  tree_.close(path);
  return samples;
}

double mean_log_likelihood(std::span<const MixtureSample> samples, const MixtureWeights& weights) {
  double sum = 0;
  for (const MixtureSample& sample : samples)
    sum += std::log(mixed_probability(sample, memory_share(weights, sample.figures)));
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

double mean_log_likelihood_of_model(std::span<const MixtureSample> samples) {
  double sum = 0;
  for (const MixtureSample& sample : samples) sum += std::log(mixed_probability(sample, 0));
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

MixtureWeights fit_mixture(std::span<const MixtureSample> samples, const MixtureWeights& start) {
  MixtureWeights weights = start, mean{}, square{};
  for (int step = 1; step <= kSteps && !samples.empty(); ++step) {
    MixtureWeights gradient{};
    for (const MixtureSample& sample : samples) {
      const double share = memory_share(weights, sample.figures);
      const double slope =
          (sample.memory - sample.model) / mixed_probability(sample, share) * share * (1 - share);
      for (std::size_t i = 0; i < kMixtureFigures; ++i) gradient[i] += slope * sample.figures[i];
    }
    for (std::size_t i = 0; i < kMixtureFigures; ++i) {
      constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kTiny = 1e-8;
      const double g =
          gradient[i] / static_cast<double>(samples.size()) - 2 * kPrior * (weights[i] - start[i]);
      mean[i] = kMeanDecay * mean[i] + (1 - kMeanDecay) * g;
      square[i] = kSquareDecay * square[i] + (1 - kSquareDecay) * g * g;
      const double m = mean[i] / (1 - std::pow(kMeanDecay, step));
      const double v = square[i] / (1 - std::pow(kSquareDecay, step));
      weights[i] += kRate * m / (std::sqrt(v) + kTiny);
    }
  }
  return weights;
}

MixtureWeights no_mixture() { return {-1e9}; }

}  // namespace hearth::engine
