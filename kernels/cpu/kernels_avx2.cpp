#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_avx2.h"

namespace hearth::kernels {

constinit const KernelTable kAvx2Kernels = all_kernels<SimdAvx2>("avx2");

}  // namespace hearth::kernels
