#include <gtest/gtest.h>

#include "kernels/cpu/cpu_device.h"

namespace hearth::kernels {
namespace {

TEST(CpuIsa, NamesAreReadBack) {
  for (int i = 0; i < kCpuIsas; ++i) {
    const auto isa = static_cast<CpuIsa>(i);
    EXPECT_EQ(parse_cpu_isa(name(isa)), isa);
  }
  EXPECT_EQ(parse_cpu_isa("sse9"), std::nullopt);
}

TEST(CpuIsa, EveryMachineRunsThePortableOneAndTheBestIsTheDefault) {
  const std::vector<CpuIsa> isas = supported_cpu_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.front(), CpuIsa::kPortable);
  ThreadPool threads(1);
  EXPECT_EQ(make_cpu_device(threads)->name(), std::string("cpu ") + name(isas.back()));
  EXPECT_EQ(make_cpu_device(threads, CpuIsa::kPortable)->name(), "cpu portable");
}

}  // namespace
}  // namespace hearth::kernels
