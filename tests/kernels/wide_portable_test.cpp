#include <gtest/gtest.h>

#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_portable.h"
#include "tests/kernels/all_devices.h"

namespace hearth::kernels {

constinit const KernelTable kWidePortableKernels = all_kernels<SimdPortable<16>>("portable16");

namespace {

TEST(WidePortableKernels, HaveTheLanesOfAvx512) {
  EXPECT_EQ(kWidePortableKernels.lanes, 16);
#if defined(__x86_64__)
  EXPECT_EQ(kAvx512Kernels.lanes, 16);
#endif
}

}  // namespace
}  // namespace hearth::kernels
