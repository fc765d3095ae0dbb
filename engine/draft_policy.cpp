#include "engine/draft_policy.h"

#include <algorithm>

namespace hearth::engine {

namespace {

constexpr double kLearning = 1.0 / 16;
constexpr double kTiming = 1.0 / 8;
constexpr double kForgetting = 1.0 / 256;

}  // namespace

int DraftPolicy::match_class(int match_length) {
  constexpr std::array kFrom = {3, 4, 6, 9, 16};
  return static_cast<int>(std::ranges::upper_bound(kFrom, match_length) - kFrom.begin());
}

int DraftPolicy::drafts(int match_length, int available) const {
  const double likely = acceptance_[match_class(match_length)];
  int best = 0;
  double best_rate = 1, tokens = 1, all_right = 1;
  for (int n = 1; n <= std::min(available, kMostDrafts); ++n) {
    all_right *= likely;
    tokens += all_right;
    const double rate = tokens / cost_[n + 1];
    if (rate > best_rate) {
      best_rate = rate;
      best = n;
    }
  }
  return best;
}

void DraftPolicy::learn(int match_length, int drafted, int accepted) {
  double& likely = acceptance_[match_class(match_length)];
  for (int i = 0; i < std::min(accepted + 1, drafted); ++i)
    likely += kLearning * ((i < accepted ? 1.0 : 0.0) - likely);
}

void DraftPolicy::took(int rows, double seconds) {
  if (rows < 1 || rows > kMostDrafts + 1) return;
  if (rows == 1) {
    one_row_ = one_row_ <= 0 ? seconds : one_row_ + kTiming * (seconds - one_row_);
    // What is not measured any more may have been measured in a bad moment.
    for (int n = 2; n <= kMostDrafts + 1; ++n) cost_[n] += kForgetting * (kUsualCost[n] - cost_[n]);
  } else if (one_row_ > 0) {
    cost_[rows] += kTiming * (std::clamp(seconds / one_row_, 1.0, 2.0 * rows) - cost_[rows]);
  }
}

}  // namespace hearth::engine
