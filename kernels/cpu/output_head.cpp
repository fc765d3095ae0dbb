#include "kernels/cpu/output_head.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearth::kernels {
namespace {

constexpr int kChunk = CpuWorkspace::kLogitChunk;
constexpr float kNone = -std::numeric_limits<float>::infinity();

bool is_better(const TokenLogit& a, const TokenLogit& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// The best k tokens seen, as a heap whose front is the worst.
class Best {
 public:
  explicit Best(int k) : k_(static_cast<std::size_t>(std::max(k, 0))) {}

  void add(const float* logits, int first_token, int count) {
    if (k_ == 0) return;
    for (int i = 0; i < count; ++i) {
      if (logits[i] >= floor_ && logits[i] != kNone) insert({first_token + i, logits[i]});
    }
  }

  void insert(const TokenLogit& candidate) {
    if (heap_.size() == k_) {
      if (!is_better(candidate, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), is_better);
      heap_.back() = candidate;
    } else {
      heap_.push_back(candidate);
    }
    std::push_heap(heap_.begin(), heap_.end(), is_better);
    if (heap_.size() == k_) floor_ = heap_.front().logit;
  }

  std::vector<TokenLogit>& heap() { return heap_; }

 private:
  std::size_t k_;
  float floor_ = kNone;  // below it nothing gets in
  std::vector<TokenLogit> heap_;
};

void mask(std::span<const std::uint64_t> allowed, int first_token, int count, float* logits) {
  if (allowed.empty()) return;
  for (int i = 0; i < count; ++i) {
    const auto token = static_cast<std::size_t>(first_token + i);
    if ((allowed[token / 64] >> token % 64 & 1) == 0) logits[i] = kNone;
  }
}

void combine(std::span<const LogitStatistics> chunks, HeadAnswer& answer) {
  float max = kNone;
  for (const LogitStatistics& chunk : chunks) max = std::max(max, chunk.max);
  if (max == kNone) {
    answer.log_sum_exp = kNone;
    return;
  }
  double sum = 0, weighted = 0;
  for (const LogitStatistics& chunk : chunks) {
    if (chunk.max == kNone) continue;
    const double below = static_cast<double>(chunk.max) - static_cast<double>(max);
    const double scale = std::exp(below);
    sum += scale * static_cast<double>(chunk.sum);
    weighted += scale * (static_cast<double>(chunk.weighted) + below * static_cast<double>(chunk.sum));
  }
  answer.log_sum_exp = static_cast<float>(static_cast<double>(max) + std::log(sum));
  answer.entropy = static_cast<float>(std::max(std::log(sum) - weighted / sum, 0.0));
}

// As many queries as the workspace has rows.
class Batch {
 public:
  Batch(const Machine& machine, const CpuMatrix& output, std::span<const HeadQuery> queries,
        CpuWorkspace& workspace)
      : machine_(machine),
        output_(output),
        queries_(queries),
        workspace_(workspace),
        chunks_(static_cast<std::size_t>((output.rows() + kChunk - 1) / kChunk)),
        statistics_(queries.size() * chunks_) {
    for (int thread = 0; thread < machine.threads.size(); ++thread) {
      for (const HeadQuery& query : queries) best_.emplace_back(query.k);
    }
    for (const HeadQuery& query : queries) answers_.emplace_back().logits.resize(query.ids.size());
  }

  std::vector<HeadAnswer> run(const NormWeights& norm) {
    const InputForms forms{&output_};
    for_each_row(machine_, queries_.size(), [&](std::size_t i, int thread) {
      float* normed = workspace_.scratch(thread).row;
      const RowBuffer& x = workspace_.x;
      normalize(machine_, workspace_.shape, norm, x.row(queries_[i].row), x.stride(), normed);
      put_input(machine_, normed, workspace_.shape.d_model, forms, workspace_.inputs, i);
    });
    parallel_for(machine_.threads, chunks_, [&](std::size_t chunk, int thread) {
      for (std::size_t i = 0; i < queries_.size(); i += kTileRows) {
        answer_chunk(static_cast<int>(chunk), i, std::min<std::size_t>(kTileRows, queries_.size() - i),
                     thread);
      }
    });
    for (std::size_t i = 0; i < queries_.size(); ++i) finish(i);
    return std::move(answers_);
  }

 private:
  void answer_chunk(int chunk, std::size_t first_query, std::size_t count, int thread) {
    float* logits = workspace_.scratch(thread).logits;
    const int first_token = chunk * kChunk;
    const int tokens = std::min(kChunk, output_.rows() - first_token);
    const ActivationTile inputs = workspace_.inputs.tile(first_query / kTileRows);
    for (int t = 0; t < tokens; t += kGroupOutputs) {
      output_.multiply(machine_.kernels, (first_token + t) / kGroupOutputs, inputs, static_cast<int>(count),
                       logits + t, kChunk);
    }
    const auto padded = static_cast<int>(round_up(static_cast<std::size_t>(tokens), 16));
    for (std::size_t r = 0; r < count; ++r) {
      const HeadQuery& query = queries_[first_query + r];
      float* row = logits + r * kChunk;
      for (std::size_t i = 0; i < query.ids.size(); ++i) {
        const int at = query.ids[i] - first_token;
        if (at >= 0 && at < tokens) answers_[first_query + r].logits[i] = row[at];
      }
      mask(query.allowed, first_token, tokens, row);
      std::fill(row + tokens, row + padded, kNone);
      statistics_[(first_query + r) * chunks_ + static_cast<std::size_t>(chunk)] =
          machine_.kernels.statistics(row, padded);
      best_[static_cast<std::size_t>(thread) * queries_.size() + first_query + r].add(row, first_token,
                                                                                      tokens);
    }
  }

  void finish(std::size_t query) {
    HeadAnswer& answer = answers_[query];
    Best& best = best_[query];
    for (std::size_t other = query + queries_.size(); other < best_.size(); other += queries_.size()) {
      for (const TokenLogit& candidate : best_[other].heap()) best.insert(candidate);
    }
    answer.top = std::move(best.heap());
    std::sort(answer.top.begin(), answer.top.end(), is_better);
    combine(std::span(statistics_).subspan(query * chunks_, chunks_), answer);
  }

  const Machine& machine_;
  const CpuMatrix& output_;
  std::span<const HeadQuery> queries_;
  CpuWorkspace& workspace_;
  std::size_t chunks_;
  std::vector<LogitStatistics> statistics_;  // (queries, chunks)
  std::vector<Best> best_;                   // (threads, queries)
  std::vector<HeadAnswer> answers_;
};

}  // namespace

std::vector<HeadAnswer> run_head(const Machine& machine, const NormWeights& norm, const CpuMatrix& output,
                                 std::span<const HeadQuery> queries, CpuWorkspace& workspace) {
  std::vector<HeadAnswer> answers;
  const auto batch = static_cast<std::size_t>(workspace.max_rows);
  for (std::size_t first = 0; first < queries.size(); first += batch) {
    const auto part = queries.subspan(first, std::min(batch, queries.size() - first));
    for (HeadAnswer& answer : Batch(machine, output, part, workspace).run(norm))
      answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace hearth::kernels
