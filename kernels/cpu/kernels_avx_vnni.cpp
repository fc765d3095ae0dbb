#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_avx_vnni.h"

namespace hearth::kernels {

constinit const KernelTable kAvxVnniKernels = all_kernels<SimdAvxVnni>("avxvnni");

}  // namespace hearth::kernels
