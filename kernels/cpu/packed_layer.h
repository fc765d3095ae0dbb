// A layer packed for the CPU. Immutable; any thread may read.
#pragma once

#include <vector>

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/workspace.h"
#include "kernels/device.h"

namespace hearth::kernels {

struct CpuNorm {
  explicit CpuNorm(const NormWeights& weights)
      : gain(weights.gain.begin(), weights.gain.end()), bias(weights.bias.begin(), weights.bias.end()) {}
  NormWeights view() const { return {gain, bias}; }

  std::vector<float> gain, bias;
};

struct CpuLayer : PackedLayer {
  CpuLayer(const ModelShape& model_shape, const LayerWeights& weights, const KernelTable& kernels,
           ThreadPool& threads, Arena& arena)
      : shape(model_shape),
        attention_norm(weights.attention_norm),
        ffn_norm(weights.ffn_norm),
        q_norm(weights.q_norm.begin(), weights.q_norm.end()),
        k_norm(weights.k_norm.begin(), weights.k_norm.end()),
        q_bias(padded(weights.q_bias)),
        k_bias(padded(weights.k_bias)),
        v_bias(padded(weights.v_bias)),
        o_bias(padded(weights.o_bias)),
        up_bias(padded(weights.up_bias)),
        down_bias(padded(weights.down_bias)),
        q(weights.q, kernels, threads, arena),
        k(weights.k, kernels, threads, arena),
        v(weights.v, kernels, threads, arena),
        o(weights.o, kernels, threads, arena),
        gate(weights.gate, kernels, threads, arena),
        up(weights.up, kernels, threads, arena),
        down(weights.down, kernels, threads, arena) {}

  static std::vector<float> padded(std::span<const float> values) {
    std::vector<float> result(values.begin(), values.end());
    result.resize(round_up(values.size(), kGroupOutputs));
    return result;
  }

  ModelShape shape;
  CpuNorm attention_norm, ffn_norm;
  std::vector<float> q_norm, k_norm;
  std::vector<float> q_bias, k_bias, v_bias, o_bias, up_bias, down_bias;  // padded with zeros, or empty
  CpuMatrix q, k, v, o, gate, up, down;
};

}  // namespace hearth::kernels
