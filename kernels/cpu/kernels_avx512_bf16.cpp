#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_avx512_bf16.h"

namespace hearth::kernels {

constinit const KernelTable kAvx512Bf16Kernels = all_kernels<SimdAvx512Bf16>("avx512bf16");

}  // namespace hearth::kernels
