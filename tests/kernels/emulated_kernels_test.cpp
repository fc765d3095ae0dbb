// The tables for machines newer than the one at hand, emulated. First of all: it gives names a new meaning.
#include "tests/kernels/emulated_intrinsics.h"

// The emulated vectors fit no register, so barriers that name one must go.
#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/tile_kernels.h"
#define asm(...)
#include "kernels/cpu/simd_avx512_bf16.h"
#include "kernels/cpu/simd_avx_vnni.h"
#undef asm

#include <gtest/gtest.h>

#include "tests/kernels/all_devices.h"

namespace hearth::kernels {

constinit const KernelTable kEmulatedAvxVnniKernels = all_kernels<SimdAvxVnni>("emulated avxvnni");
constinit const KernelTable kEmulatedAvx512Kernels = all_kernels<SimdAvx512>("emulated avx512");
constinit const KernelTable kEmulatedAvx512VnniKernels = all_kernels<SimdAvx512Vnni>("emulated avx512vnni");
constinit const KernelTable kEmulatedAvx512Bf16Kernels = all_kernels<SimdAvx512Bf16>("emulated avx512bf16");

namespace {

// What AMX does with its tiles, in plain words.
struct EmulatedTiles {
  static inline thread_local std::int32_t sums[kBlocksAtOnce][8][16];

  static void configure() {}
  template <int kTile, bool kSigned>
  static void multiply(const std::int8_t* inputs, const std::byte* weights) {
    for (int row = 0; row < 8; ++row) {
      for (int lane = 0; lane < 16; ++lane) {
        std::int32_t sum = 0;
        for (int i = 0; i < 32; ++i) {
          const std::byte code = weights[i / 4 * 64 + lane * 4 + i % 4];
          sum += inputs[row * 32 + i] * (kSigned ? static_cast<std::int8_t>(code) : static_cast<int>(code));
        }
        sums[kTile][row][lane] = sum;
      }
    }
  }
  template <int kTile>
  static void store(std::int32_t* to) {
    std::memcpy(to, sums[kTile], sizeof sums[kTile]);
  }
};

}  // namespace

constinit const KernelTable kEmulatedAmxKernels = tile_kernels<SimdAvx512Bf16, EmulatedTiles>("emulated amx");

namespace {

TEST(AllTables, HoldEveryInstructionSetOnceRealOrEmulated) {
  std::vector<std::string> names;
  for (const KernelTable* table : all_tables()) {
    const std::string name = table->name;
    names.push_back(name.starts_with("emulated ") ? name.substr(9) : name);
  }
  std::vector<std::string> expected;
  for (int i = 0; i < kCpuIsas; ++i) expected.push_back(name(static_cast<CpuIsa>(i)));
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace hearth::kernels
