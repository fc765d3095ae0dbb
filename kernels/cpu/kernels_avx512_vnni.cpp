#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_avx512_vnni.h"

namespace hearth::kernels {

constinit const KernelTable kAvx512VnniKernels = all_kernels<SimdAvx512Vnni>("avx512vnni");

}  // namespace hearth::kernels
