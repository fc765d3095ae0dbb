#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/simd_portable.h"

namespace hearth::kernels {

constinit const KernelTable kPortableKernels = all_kernels<SimdPortable<8>>("portable");

}  // namespace hearth::kernels
