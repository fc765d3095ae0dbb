// How the KV cache keeps its numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hearth::engine {

enum class KvType : std::uint8_t {
  kAuto,  // kBF16 where the device is faster with it and the weights are rounded more coarsely anyway
  kF16,
  kBF16,
};

inline constexpr std::array<std::string_view, 3> kKvTypeNames{"auto", "f16", "bf16"};

}  // namespace hearth::engine
