#include "kernels/cpu/projection.h"

#include "kernels/quantize.h"

namespace hearth::kernels {

void normalize(const Machine& machine, const ModelShape& shape, const NormWeights& norm, const float* x,
               std::size_t padded, float* out) {
  const auto length = static_cast<int>(padded);
  if (shape.norm == NormStyle::kLayer) {
    machine.kernels.layer_norm(x, norm.gain.data(), norm.bias.data(), shape.d_model, length,
                               shape.norm_epsilon, out);
  } else {
    machine.kernels.rms_norm(x, norm.gain.data(), shape.d_model, length, shape.norm_epsilon, out);
  }
}

void add_bias(std::span<const float> bias, std::size_t group, int rows, GroupOutputs& outputs) {
  if (bias.empty()) return;
  const std::span<const float> own = bias.subspan(group * kGroupOutputs, kGroupOutputs);
  for (int r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < kGroupOutputs; ++i) outputs[r][i] += own[i];
  }
}

void put_floats(const float* x, int count, InputForms forms, const ActivationTile& tile, int first, int row) {
  if (forms.values) {
    float* out = tile.values + first * kTileRows + row;
    for (int i = 0; i < (count + 1) / 2 * 2; ++i) out[i * kTileRows] = x[i];
  }
  if (forms.pairs) {
    std::int32_t* out = tile.pairs + first / 2 * kTileRows + row;
    for (int i = 0; i < (count + 1) / 2; ++i) {
      const std::uint32_t second = f32_to_bf16(x[2 * i + 1]);
      out[i * kTileRows] = static_cast<std::int32_t>(f32_to_bf16(x[2 * i]) | second << 16);
    }
  }
}

void put_input(const Machine& machine, const float* row, int cols, InputForms forms, const TileBuffer& inputs,
               std::size_t r) {
  const ActivationTile tile = inputs.tile(r / kTileRows);
  const auto slot = static_cast<int>(r % kTileRows);
  if (forms.codes) machine.kernels.quantize(row, cols, tile, slot);
  put_floats(row, cols, forms, tile, 0, slot);
}

void add_projection(const Machine& machine, const CpuMatrix& matrix, std::span<const float> bias,
                    const TileBuffer& inputs, std::size_t rows, const RowBuffer& x) {
  project<1>(machine, {&matrix}, inputs, rows,
             [&](std::size_t, std::size_t group, std::size_t tile, int tile_rows, GroupOutputs& outputs) {
               add_bias(bias, group, tile_rows, outputs);
               for (int r = 0; r < tile_rows; ++r) {
                 float* out = x.row(tile * kTileRows + static_cast<std::size_t>(r)) + group * kGroupOutputs;
                 for (int i = 0; i < kGroupOutputs; ++i) out[i] += outputs[r][i];
               }
             });
}

}  // namespace hearth::kernels
