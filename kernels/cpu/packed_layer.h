// A layer packed for the CPU. Immutable; any thread may read.
#pragma once

#include <vector>

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/workspace.h"
#include "kernels/device.h"

namespace hearth::kernels {

struct CpuLayer : PackedLayer {
  CpuLayer(const ModelShape& model_shape, const LayerWeights& weights, int lanes, ThreadPool& threads)
      : shape(model_shape),
        attention_norm(padded(weights.attention_norm)),
        ffn_norm(padded(weights.ffn_norm)),
        q_bias(padded(weights.q_bias)),
        k_bias(padded(weights.k_bias)),
        v_bias(padded(weights.v_bias)),
        q(weights.q, lanes, threads),
        k(weights.k, lanes, threads),
        v(weights.v, lanes, threads),
        o(weights.o, lanes, threads),
        gate(weights.gate, lanes, threads),
        up(weights.up, lanes, threads),
        down(weights.down, lanes, threads) {}

  static std::vector<float> padded(std::span<const float> values) {
    std::vector<float> result(values.begin(), values.end());
    result.resize(round_up(values.size(), kGroupOutputs));
    return result;
  }

  ModelShape shape;
  std::vector<float> attention_norm, ffn_norm;  // padded with zeros to a multiple of 32
  std::vector<float> q_bias, k_bias, v_bias;    // likewise, or empty
  CpuMatrix q, k, v, o, gate, up, down;
};

}  // namespace hearth::kernels
