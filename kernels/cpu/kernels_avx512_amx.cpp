#include "kernels/cpu/amx_tiles.h"
#include "kernels/cpu/simd_avx512_bf16.h"
#include "kernels/cpu/tile_kernels.h"

namespace hearth::kernels {

constinit const KernelTable kAmxKernels = tile_kernels<SimdAvx512Bf16, AmxTiles>("amx");

}  // namespace hearth::kernels
