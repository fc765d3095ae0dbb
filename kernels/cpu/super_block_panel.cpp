#include "kernels/cpu/super_block_panel.h"

#include <cstring>

#include "kernels/cpu/kernel_table.h"

namespace hearth::kernels {
namespace {

constexpr std::size_t kWords = 4;   // of nibbles a lane and block
constexpr std::size_t kGroups = 8;  // of four codes a block
constexpr std::uint32_t kLowNibbles = 0x0f0f0f0f;
constexpr std::uint16_t kSignF16 = 0x8000;

// The bits of a code above its nibble, as a mask over the four codes of a group.
constexpr std::uint32_t high_mask(std::size_t high_words) {
  return high_words == 2 ? 0x03030303 : 0x01010101;
}

std::uint32_t load_u32(const void* from) {
  std::uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

void store_u32(void* to, std::uint32_t word) { std::memcpy(to, &word, sizeof word); }

std::size_t high_words_of(WeightType type) {
  return type == WeightType::kQ6_K ? 2 : type == WeightType::kQ5_K ? 1 : 0;
}

}  // namespace

SuperBlockPanel::SuperBlockPanel(WeightType type, int cols, int lanes)
    : type_(type),
      lanes_(static_cast<std::size_t>(lanes)),
      blocks_(static_cast<std::size_t>(cols) / kQuantBlock),
      high_words_(high_words_of(type)),
      shared_halves_(has_minima() ? 2 : 1),
      high_at_(blocks_ * kWords * lanes_ * 4),
      scales_at_(high_at_ + blocks_ * high_words_ * lanes_ * 4),
      shared_at_(scales_at_ + blocks_ * 2 * lanes_),
      bytes_(shared_at_ + blocks_ / kBlocksOfSuper * shared_halves_ * lanes_ * 2) {}

std::size_t SuperBlockPanel::word_at(std::size_t part, std::size_t block, std::size_t words, std::size_t word,
                                     std::size_t lane) const {
  return part + ((block * words + word) * lanes_ + lane) * 4;
}

std::size_t SuperBlockPanel::scale_at(std::size_t block, std::size_t which, std::size_t lane) const {
  const std::size_t within = has_minima() ? which * lanes_ + lane : lane * 2 + which;
  return scales_at_ + block * 2 * lanes_ + within;
}

std::size_t SuperBlockPanel::shared_at(std::size_t index, std::size_t which, std::size_t lane) const {
  return shared_at_ + ((index * shared_halves_ + which) * lanes_ + lane) * 2;
}

void SuperBlockPanel::put(const SuperBlock& block, int index, int lane_index, std::byte* panel) const {
  const auto super = static_cast<std::size_t>(index);
  const auto lane = static_cast<std::size_t>(lane_index);
  for (std::size_t i = 0; i < kBlocksOfSuper; ++i) {
    const std::size_t b = super * kBlocksOfSuper + i;
    std::uint32_t groups[kGroups];
    std::memcpy(groups, block.codes + i * kQuantBlock, sizeof groups);
    for (std::size_t w = 0; w < kWords; ++w) {
      store_u32(panel + word_at(0, b, kWords, w, lane),
                (groups[w] & kLowNibbles) | (groups[w + kWords] & kLowNibbles) << 4);
    }
    const std::size_t per_word = high_words_ == 0 ? 0 : kGroups / high_words_;
    for (std::size_t w = 0; w < high_words_; ++w) {
      std::uint32_t bits = 0;
      for (std::size_t g = 0; g < per_word; ++g) {
        bits |= (groups[w * per_word + g] >> 4 & high_mask(high_words_)) << g * high_words_;
      }
      store_u32(panel + word_at(high_at_, b, high_words_, w, lane), bits);
    }
    std::memcpy(panel + scale_at(b, 0, lane), block.scales + (has_minima() ? i : 2 * i), 1);
    std::memcpy(panel + scale_at(b, 1, lane),
                has_minima() ? static_cast<const void*>(block.minima + i) : block.scales + 2 * i + 1, 1);
  }
  std::memcpy(panel + shared_at(super, 0, lane), &block.scale, 2);
  const auto taken_off = static_cast<std::uint16_t>(block.minimum ^ kSignF16);
  if (has_minima()) std::memcpy(panel + shared_at(super, 1, lane), &taken_off, 2);
}

SuperBlock SuperBlockPanel::get(const std::byte* panel, int index, int lane_index) const {
  const auto super = static_cast<std::size_t>(index);
  const auto lane = static_cast<std::size_t>(lane_index);
  SuperBlock block;
  for (std::size_t i = 0; i < kBlocksOfSuper; ++i) {
    const std::size_t b = super * kBlocksOfSuper + i;
    std::uint32_t groups[kGroups];
    for (std::size_t w = 0; w < kWords; ++w) {
      const std::uint32_t both = load_u32(panel + word_at(0, b, kWords, w, lane));
      groups[w] = both & kLowNibbles;
      groups[w + kWords] = both >> 4 & kLowNibbles;
    }
    const std::size_t per_word = high_words_ == 0 ? 0 : kGroups / high_words_;
    for (std::size_t w = 0; w < high_words_; ++w) {
      const std::uint32_t bits = load_u32(panel + word_at(high_at_, b, high_words_, w, lane));
      for (std::size_t g = 0; g < per_word; ++g) {
        groups[w * per_word + g] |= (bits >> g * high_words_ & high_mask(high_words_)) << 4;
      }
    }
    std::memcpy(block.codes + i * kQuantBlock, groups, sizeof groups);
    std::memcpy(block.scales + (has_minima() ? i : 2 * i), panel + scale_at(b, 0, lane), 1);
    std::memcpy(has_minima() ? static_cast<void*>(block.minima + i) : block.scales + 2 * i + 1,
                panel + scale_at(b, 1, lane), 1);
  }
  std::memcpy(&block.scale, panel + shared_at(super, 0, lane), 2);
  if (has_minima()) {
    std::memcpy(&block.minimum, panel + shared_at(super, 1, lane), 2);
    block.minimum ^= kSignF16;
  }
  return block;
}

}  // namespace hearth::kernels
