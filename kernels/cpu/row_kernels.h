// Operations on one row of activations: normalisation, quantisation, activation functions, statistics.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"

namespace hearth::kernels {
namespace {

// e^x to about two units in the last place for -87 <= x <= 88; exactly 0 below -87.7, exactly 1 at 0;
// saturates above 88. Reduction and polynomial: Cephes expf.
template <class V>
typename V::Float exponential(typename V::Float x) {
  using F = typename V::Float;
  x = V::min(V::max(x, V::splat(-88.0f)), V::splat(88.3f));
  const F n = V::round(V::mul(x, V::splat(1.44269504f)));
  F r = V::fma(n, V::splat(-0.693359375f), x);
  r = V::fma(n, V::splat(2.12194440e-4f), r);
  F p = V::splat(1.9875691500e-4f);
  p = V::fma(p, r, V::splat(1.3981999507e-3f));
  p = V::fma(p, r, V::splat(8.3334519073e-3f));
  p = V::fma(p, r, V::splat(4.1665795894e-2f));
  p = V::fma(p, r, V::splat(1.6666665459e-1f));
  p = V::fma(p, r, V::splat(5.0000001201e-1f));
  p = V::add(V::fma(V::mul(r, r), p, r), V::splat(1.0f));
  return V::mul(p, V::power_of_two(n));
}

// 2^x to about two units in the last place for -126 <= x <= 0, exactly 1 at 0; exactly 0 below -126.5.
// Polynomial: least largest relative error on -0.5 .. 0.5 (9e-8), with 1 at 0.
template <class V>
typename V::Float exp2_to_one(typename V::Float x) {
  x = V::max(x, V::splat(-127.0f));
  const auto n = V::round(x);
  const auto r = V::sub(x, n);
  auto p = V::splat(1.3264727e-3f);
  p = V::fma(p, r, V::splat(9.6715127e-3f));
  p = V::fma(p, r, V::splat(5.5507337e-2f));
  p = V::fma(p, r, V::splat(2.4022242e-1f));
  p = V::fma(p, r, V::splat(6.9314698e-1f));
  p = V::fma(p, r, V::splat(1.0f));
  return V::mul(p, V::power_of_two(n));
}

// The sum of (x - offset)^2 over d floats.
template <class V>
float sum_of_squares(const float* x, int d, float offset) {
  typename V::Float sums[2] = {V::zero(), V::zero()};
  int i = 0;
  for (; i + 2 * V::kLanes <= d; i += 2 * V::kLanes) {
    for (int j = 0; j < 2; ++j) {
      const auto value = V::sub(V::load(x + i + j * V::kLanes), V::splat(offset));
      sums[j] = V::fma(value, value, sums[j]);
    }
  }
  float total = V::sum(V::add(sums[0], sums[1]));
  for (; i < d; ++i) total += (x[i] - offset) * (x[i] - offset);
  return total;
}

template <class V>
void rms_norm(const float* x, const float* gain, int d, int padded, float epsilon, float* out) {
  const float mean_square = sum_of_squares<V>(x, d, 0.0f) / static_cast<float>(d);
  const float scale = 1.0f / __builtin_sqrtf(mean_square + epsilon);
  int i = 0;
  for (; i + V::kLanes <= d; i += V::kLanes) {
    V::store(out + i, V::mul(V::mul(V::load(x + i), V::splat(scale)), V::load(gain + i)));
  }
  for (; i < d; ++i) out[i] = x[i] * scale * gain[i];
  for (; i < padded; ++i) out[i] = 0.0f;
}

template <class V>
void layer_norm(const float* x, const float* gain, const float* bias, int d, int padded, float epsilon,
                float* out) {
  auto sums = V::zero();
  int i = 0;
  for (; i + V::kLanes <= d; i += V::kLanes) sums = V::add(sums, V::load(x + i));
  float mean = V::sum(sums);
  for (; i < d; ++i) mean += x[i];
  mean /= static_cast<float>(d);
  const float variance = sum_of_squares<V>(x, d, mean) / static_cast<float>(d);
  const float scale = 1.0f / __builtin_sqrtf(variance + epsilon);
  for (i = 0; i + V::kLanes <= d; i += V::kLanes) {
    const auto centred = V::mul(V::sub(V::load(x + i), V::splat(mean)), V::splat(scale));
    V::store(out + i, V::fma(centred, V::load(gain + i), V::load(bias + i)));
  }
  for (; i < d; ++i) out[i] = (x[i] - mean) * scale * gain[i] + bias[i];
  for (; i < padded; ++i) out[i] = 0.0f;
}

template <class V>
void quantize(const float* x, int cols, const ActivationTile& tile, int row) {
  constexpr int kHalf = kQuantBlock / 2;
  for (int b = 0; b < cols / kQuantBlock; ++b, x += kQuantBlock) {
    auto largest = V::zero();
    for (int i = 0; i < kQuantBlock; i += V::kLanes) {
      const auto value = V::load(x + i);
      largest = V::max(largest, V::max(value, V::sub(V::zero(), value)));
    }
    const float magnitude = V::largest(largest);
    const float scale = magnitude / 127.0f;
    const auto inverse = V::splat(magnitude > 1e-30f ? 127.0f / magnitude : 0.0f);
    const int slot = b * kTileRows + row;
    std::int8_t* codes = tile.codes + slot * kQuantBlock;
    std::int32_t halves[2];
    for (int half = 0; half < 2; ++half) {
      auto sum = V::zero_int();
      for (int i = half * kHalf; i < (half + 1) * kHalf; i += V::kLanes) {
        const auto code = V::to_int(V::mul(V::load(x + i), inverse));
        sum = V::add_int(sum, code);
        V::store_bytes(codes + i, code);
      }
      halves[half] = V::sum_int(sum);
    }
    tile.scales[slot] = scale;
    tile.sums[slot] = halves[0] + halves[1];
    tile.half_sums[slot] = (halves[0] & 0xffff) | halves[1] * 65536;
  }
}

template <class V>
void silu_gate(const float* gate, float* h, int n) {
  const auto one = V::splat(1.0f);
  for (int i = 0; i < n; i += V::kLanes) {
    const auto g = V::load(gate + i);
    const auto silu = V::div(g, V::add(one, exponential<V>(V::sub(V::zero(), g))));
    V::store(h + i, V::mul(silu, V::load(h + i)));
  }
}

template <class V>
void relu_squared(float* h, int n) {
  for (int i = 0; i < n; i += V::kLanes) {
    const auto positive = V::max(V::load(h + i), V::zero());
    V::store(h + i, V::mul(positive, positive));
  }
}

// x (1 + tanh(u)) / 2 = x / (1 + e^(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3).
template <class V>
void gelu(float* h, int n) {
  const auto one = V::splat(1.0f);
  for (int i = 0; i < n; i += V::kLanes) {
    const auto x = V::load(h + i);
    const auto inner =
        V::fma(V::mul(x, x), V::splat(-2.0f * 0.797884561f * 0.044715f), V::splat(-2.0f * 0.797884561f));
    V::store(h + i, V::div(x, V::add(one, exponential<V>(V::mul(x, inner)))));
  }
}

template <class V>
void to_f16(const float* x, std::uint16_t* out, int n) {
  for (int i = 0; i < n; i += V::kLanes) {
    V::store_f16(out + i, V::min(V::max(V::load(x + i), V::splat(-65504.0f)), V::splat(65504.0f)));
  }
}

template <class V>
void to_bf16(const float* x, std::uint16_t* out, int n) {
  if constexpr (V::kBf16Dots) {
    for (int i = 0; i < n; i += V::kLanes) V::store_bf16(out + i, V::load(x + i));
  } else {
    for (int i = 0; i < n; ++i) {
      std::uint32_t bits;
      __builtin_memcpy(&bits, x + i, sizeof bits);
      out[i] = static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
    }
  }
}

template <class V>
LogitStatistics statistics(const float* logits, int n) {
  constexpr float kNone = -__builtin_inff();
  auto largest = V::splat(kNone);
  for (int i = 0; i < n; i += V::kLanes) largest = V::max(largest, V::load(logits + i));
  const float max = V::largest(largest);
  if (max == kNone) return {kNone, 0.0f, 0.0f};
  auto sum = V::zero();
  auto weighted = V::zero();
  for (int i = 0; i < n; i += V::kLanes) {
    // Kept finite, so that a weight of 0 makes a product of 0.
    const auto above = V::max(V::sub(V::load(logits + i), V::splat(max)), V::splat(-1000.0f));
    const auto weight = exponential<V>(above);
    sum = V::add(sum, weight);
    weighted = V::fma(weight, above, weighted);
  }
  return {max, V::sum(sum), V::sum(weighted)};
}

}  // namespace
}  // namespace hearth::kernels
