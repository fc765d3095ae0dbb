// The table of every kernel for one vector width.
#pragma once

#include "kernels/cpu/attention_kernels.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/matmul_kernels.h"
#include "kernels/cpu/peak_kernels.h"
#include "kernels/cpu/row_kernels.h"
#include "kernels/cpu/super_block_kernels.h"

namespace hearth::kernels {
namespace {

template <class V>
constexpr KernelTable all_kernels(const char* name) {
  return {
      name,
      V::kLanes,
      V::kBf16Dots,
      {matmul<V, FloatMatmul<ColumnF32>>, matmul<V, FloatMatmul<ColumnF16>>, matmul<V, FloatMatmul<PairBF16>>,
       matmul<V, QuantizedMatmul<BlockQ8_0>>, matmul<V, QuantizedMatmul<BlockQ5_0>>,
       matmul<V, QuantizedMatmul<BlockNibbles<8, false>>>, matmul<V, QuantizedMatmul<BlockNibbles<0, true>>>,
       matmul<V, SuperBlockMatmul<BlockQ4_K>>, matmul<V, SuperBlockMatmul<BlockQ5_K>>,
       matmul<V, SuperBlockMatmul<BlockQ6_K>>},
      rms_norm<V>,
      layer_norm<V>,
      quantize<V>,
      silu_gate<V>,
      relu_squared<V>,
      gelu<V>,
      {to_f16<V>, to_bf16<V>},
      {attend<V, F16Numbers<V>>, attend<V, BF16Numbers<V>>},
      merge<V>,
      statistics<V>,
      peak_read<V>,
      peak_int8<V, false>,
      peak_int8<V, true>,
      peak_float<V, false>,
      peak_float<V, true>,
  };
}

}  // namespace
}  // namespace hearth::kernels
