// AMX's unit for products of tiles of bytes, as tile_kernels.h uses it. The process must have asked for it
// (cpu_device.cpp); a thread sets its tiles up when it first comes here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::kernels {
namespace {

struct AmxTiles {
  // Four tiles of (8, 16) int32 sums, one of 8 rows of 32 inputs, one of 8 rows of 64 bytes of weights.
  struct alignas(64) Configuration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 32, 64};
    std::uint8_t rows[16] = {8, 8, 8, 8, 8, 8};
  };

  static void configure() {
    thread_local bool is_configured = false;
    if (is_configured) return;
    const Configuration configuration;
    asm volatile("ldtilecfg %0" : : "m"(configuration));
    is_configured = true;
  }

  template <int kTile, bool kSigned>
  static void multiply(const std::int8_t* inputs, const std::byte* weights) {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
    asm volatile("tileloadd (%0,%1,1), %%tmm4" : : "r"(inputs), "r"(std::ptrdiff_t{32}) : "memory");
    asm volatile("tileloadd (%0,%1,1), %%tmm5" : : "r"(weights), "r"(std::ptrdiff_t{64}) : "memory");
    if constexpr (kSigned) {
      asm volatile("tdpbssd %%tmm5, %%tmm4, %%tmm%c0" : : "i"(kTile));
    } else {
      asm volatile("tdpbsud %%tmm5, %%tmm4, %%tmm%c0" : : "i"(kTile));
    }
  }

  template <int kTile>
  static void store(std::int32_t* to) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)"
                 :
                 : "i"(kTile), "r"(to), "r"(std::ptrdiff_t{64})
                 : "memory");
  }
};

}  // namespace
}  // namespace hearth::kernels
