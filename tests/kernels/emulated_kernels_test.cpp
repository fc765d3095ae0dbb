// The tables for machines newer than the one at hand, emulated. First of all: it gives names a new meaning.
#include "tests/kernels/emulated_intrinsics.h"

// The emulated vectors fit no register, so barriers that name one must go.
#include "kernels/cpu/all_kernels.h"
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
