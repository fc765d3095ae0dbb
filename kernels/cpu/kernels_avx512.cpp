#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_avx512.h"

namespace hearth::kernels {

constinit const KernelTable kAvx512Kernels = all_kernels<SimdAvx512>("avx512");

}  // namespace hearth::kernels
