// A layer packed for the CPU. Immutable; any thread may read.
#pragma once

#include <vector>

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/workspace.h"
#include "kernels/device.h"

namespace hearth::kernels {

struct CpuLayer : PackedLayer {
  CpuLayer(const ModelShape& model_shape, const LayerWeights& weights, int lanes, ThreadPool& threads,
           Arena& arena)
      : shape(model_shape),
        attention_norm(padded(weights.attention_norm)),
        ffn_norm(padded(weights.ffn_norm)),
        q_bias(padded(weights.q_bias)),
        k_bias(padded(weights.k_bias)),
        v_bias(padded(weights.v_bias)),
        q(weights.q, lanes, threads, arena),
        k(weights.k, lanes, threads, arena),
        v(weights.v, lanes, threads, arena),
        o(weights.o, lanes, threads, arena),
        gate(weights.gate, lanes, threads, arena),
        up(weights.up, lanes, threads, arena),
        down(weights.down, lanes, threads, arena) {}

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
