// Super-blocks of the K types in panels of interleaved rows: the layouts that packed_matrix.h gives.
#pragma once

#include <cstddef>

#include "kernels/super_block.h"

namespace hearth::kernels {

// A panel of `lanes` rows of `cols` weights.
class SuperBlockPanel {
 public:
  SuperBlockPanel(WeightType type, int cols, int lanes);

  std::size_t bytes() const { return bytes_; }
  int blocks() const { return static_cast<int>(blocks_ / 8); }  // super-blocks of a row

  // The super-block `index` of the row `lane`.
  void put(const SuperBlock& block, int index, int lane, std::byte* panel) const;
  SuperBlock get(const std::byte* panel, int index, int lane) const;

 private:
  bool has_minima() const { return type_ != WeightType::kQ6_K; }
  std::size_t word_at(std::size_t part, std::size_t block, std::size_t words, std::size_t word,
                      std::size_t lane) const;
  std::size_t scale_at(std::size_t block, std::size_t which, std::size_t lane) const;
  std::size_t shared_at(std::size_t index, std::size_t which, std::size_t lane) const;

  WeightType type_;
  std::size_t lanes_, blocks_, high_words_, shared_halves_;
  std::size_t high_at_, scales_at_, shared_at_, bytes_;
};

}  // namespace hearth::kernels
