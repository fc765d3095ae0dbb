#include "kernels/cpu/feed_forward.h"

namespace hearth::kernels {
namespace {

// Puts the part of a row that belongs to one group of neurons into down's input: a group is a block of
// quantisation, so it needs no other neurons.
void put_neurons(const Machine& machine, const float* h, int count, std::size_t first, InputForms forms,
                 const ActivationTile& tile, int row) {
  if (forms.codes) {
    const std::size_t block = first / kQuantBlock;
    const ActivationTile at{nullptr,
                            nullptr,
                            tile.codes + block * kTileRows * kQuantBlock,
                            tile.scales + block * kTileRows,
                            tile.sums + block * kTileRows,
                            tile.half_sums + block * kTileRows};
    machine.kernels.quantize(h, kQuantBlock, at, row);
  }
  put_floats(h, count, forms, tile, static_cast<int>(first), row);
}

void activate(const KernelTable& kernels, const CpuLayer& layer, int group, const ActivationTile& inputs,
              int rows, GroupOutputs& h) {
  const int count = rows * kGroupOutputs;
  switch (layer.shape.activation) {
    case Activation::kSiluGated: {
      alignas(64) GroupOutputs gate;
      layer.gate.multiply(kernels, group, inputs, rows, gate[0], kGroupOutputs);
      kernels.silu_gate(gate[0], h[0], count);
      return;
    }
    case Activation::kReluSquared: kernels.relu_squared(h[0], count); return;
    case Activation::kGelu: kernels.gelu(h[0], count); return;
  }
}

}  // namespace

void run_feed_forward(const Machine& machine, const CpuLayer& layer, std::size_t rows, CpuWorkspace& w) {
  const ModelShape& shape = layer.shape;
  const KernelTable& kernels = machine.kernels;
  const InputForms forms{&layer.gate, &layer.up};
  for_each_row(machine, rows, [&](std::size_t r, int thread) {
    float* normed = w.scratch(thread).row;
    normalize(machine, shape, layer.ffn_norm.view(), w.x.row(r), w.x.stride(), normed);
    put_input(machine, normed, shape.d_model, forms, w.inputs, r);
  });
  const InputForms down_forms{&layer.down};
  for_each_tile(machine, static_cast<std::size_t>(layer.up.groups()), rows,
                [&](std::size_t group, std::size_t tile, int tile_rows) {
                  alignas(64) GroupOutputs h;
                  const ActivationTile inputs = w.inputs.tile(tile);
                  const std::size_t first = group * kGroupOutputs;
                  layer.up.multiply(kernels, static_cast<int>(group), inputs, tile_rows, h[0], kGroupOutputs);
                  add_bias(layer.up_bias, group, tile_rows, h);
                  activate(kernels, layer, static_cast<int>(group), inputs, tile_rows, h);
                  const int count = std::min(kGroupOutputs, shape.d_ffn - static_cast<int>(first));
                  for (int r = 0; r < tile_rows; ++r) {
                    put_neurons(machine, h[r], count, first, down_forms, w.neurons.tile(tile), r);
                  }
                });
  add_projection(machine, layer.down, layer.down_bias, w.neurons, rows, w.x);
}

}  // namespace hearth::kernels
