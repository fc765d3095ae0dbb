// How many drafts a block should verify: as many as give the most tokens a millisecond, by how often drafts
// of such matches were right lately and by what blocks of so many rows cost. Says nothing about the output,
// which is the same for any number. Owned by the engine's thread.
#pragma once

#include <array>

namespace hearth::engine {

inline constexpr int kMostDrafts = 7;  // with the sure token they make a block of 8

class DraftPolicy {
 public:
  // Of at most `available` drafts (<= kMostDrafts) that follow a match of so many tokens.
  int drafts(int match_length, int available) const;

  // Of `drafted` ones, the first `accepted` were right.
  void learn(int match_length, int drafted, int accepted);

  // A step of `rows` rows of one sequence took so long.
  void took(int rows, double seconds);

 private:
  static constexpr int kMatchClasses = 6;
  static int match_class(int match_length);

  // Of a draft whose predecessors were right, by match class: how likely it is right.
  std::array<double, kMatchClasses> acceptance_{0.3, 0.4, 0.5, 0.6, 0.7, 0.85};
  // What a step of 0 to 8 rows costs beside one of one row; at first as where memory limits decoding.
  static constexpr std::array<double, kMostDrafts + 2> kUsualCost = {0,   1,   1.1,  1.2, 1.35,
                                                                     1.7, 2.0, 2.35, 2.7};
  std::array<double, kMostDrafts + 2> cost_ = kUsualCost;
  double one_row_ = 0;  // seconds; 0: not measured yet
};

}  // namespace hearth::engine
