// The vector operations that the kernels are written in, on any machine: groups of four lanes as
// compilers' vector types, so that whatever the baseline offers is used. The wrappers for newer
// machines offer the same names. Everything is in an unnamed namespace because each including source
// is compiled for its own machine and the linker must not merge their functions.
#pragma once

#include <cstdint>
#include <cstring>

namespace hearth::kernels {
namespace {

template <int kLaneCount>
struct SimdPortable {
  static constexpr int kLanes = kLaneCount;
  static constexpr int kQuads = kLaneCount / 4;
  using Float4 = float __attribute__((vector_size(16)));
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  using Short8 = std::int16_t __attribute__((vector_size(16)));
  using Byte8 = std::uint8_t __attribute__((vector_size(8)));
  using SignedByte8 = std::int8_t __attribute__((vector_size(8)));
  using Byte16 = std::uint8_t __attribute__((vector_size(16)));
  struct Float {
    Float4 v[kQuads];
  };
  struct Int {
    Int4 v[kQuads];
  };
  struct Bytes {
    Byte16 v[kQuads];
  };
  // Products of byte codes, one 16-bit sum for each of a lane's four inputs.
  struct Sums {
    Short8 v[2 * kQuads];
  };
  using Signed = Bytes;
  using Scales = Int;
  // Two a lane.
  struct ScalePairs {
    Int first, second;
  };

  template <class Vector, class Operation>
  static Vector each(Operation operation) {
    Vector result;
    for (int i = 0; i < kQuads; ++i) result.v[i] = operation(i);
    return result;
  }

  static Float zero() { return splat(0.0f); }
  static Float splat(float x) {
    return each<Float>([&](int) { return Float4{x, x, x, x}; });
  }
  static Float load(const float* from) {
    Float result;
    std::memcpy(&result, from, sizeof result);
    return result;
  }
  static void store(float* to, const Float& x) { std::memcpy(to, &x, sizeof x); }
  static Float load_f16(const void* from) {
    // Shifted into place the exponent is 112 too small, which the product mends; weights and pages
    // hold no infinities.
    const Int bits = load_u16(from);
    return each<Float>([&](int i) {
      const Int4 magnitude = (bits.v[i] & 0x7fff) << 13;
      const Float4 value = (Float4)magnitude * 0x1p112f;
      return (Float4)((Int4)value | (bits.v[i] & 0x8000) << 16);
    });
  }
  // To nearest even; x is finite and within fp16's range.
  static void store_f16(std::uint16_t* to, const Float& x) {
    for (int i = 0; i < kLanes; ++i) {
      std::uint32_t bits;
      const float value = x.v[i / 4][i % 4];
      std::memcpy(&bits, &value, sizeof bits);
      const std::uint32_t sign = bits >> 16 & 0x8000U;
      const std::uint32_t magnitude = bits & 0x7fffffffU;
      if (magnitude < 0x38800000U) {
        const float sum = (value < 0 ? -value : value) + 0.5f;
        std::memcpy(&bits, &sum, sizeof bits);
        to[i] = static_cast<std::uint16_t>(sign | (bits - 0x3f000000U));
      } else {
        to[i] = static_cast<std::uint16_t>(sign |
                                           (magnitude + 0xfffU + (magnitude >> 13 & 1U) - 0x38000000U) >> 13);
      }
    }
  }
  static Float add(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] + b.v[i]; });
  }
  static Float sub(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] - b.v[i]; });
  }
  static Float mul(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] * b.v[i]; });
  }
  static Float div(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] / b.v[i]; });
  }
  // a * b + c, fused where the machine can.
  static Float fma(const Float& a, const Float& b, const Float& c) {
    return each<Float>([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
  }
  static Float max(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  static Float min(const Float& a, const Float& b) {
    return each<Float>([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
  }
  // To the nearest integer, ties to even; |a| < 2^22.
  static Float round(const Float& a) {
    return each<Float>([&](int i) { return (a.v[i] + 0x1.8p23f) - 0x1.8p23f; });
  }
  // 2^n for integers -127 .. 127; 2^-127 is given as 0.
  static Float power_of_two(const Float& n) {
    const Int exponent = to_int(n);
    return each<Float>([&](int i) { return (Float4)((exponent.v[i] + 127) << 23); });
  }

  // Over all lanes: the upper half's meet the lower half's, down to one.
  static float sum(Float a) {
    for (int step = kQuads / 2; step > 0; step /= 2) {
      for (int i = 0; i < step; ++i) a.v[i] += a.v[i + step];
    }
    return a.v[0][0] + a.v[0][2] + (a.v[0][1] + a.v[0][3]);
  }
  static float largest(Float a) {
    float result = a.v[0][0];
    for (int i = 1; i < kLanes; ++i) result = a.v[i / 4][i % 4] > result ? a.v[i / 4][i % 4] : result;
    return result;
  }

  static Int zero_int() {
    return each<Int>([](int) { return Int4{}; });
  }
  // As round().
  static Int to_int(const Float& a) {
    return each<Int>([&](int i) { return (Int4)(a.v[i] + 0x1.8p23f) - 0x4b400000; });
  }
  static std::int32_t sum_int(const Int& a) {
    std::int32_t total = 0;
    for (int i = 0; i < kLanes; ++i) total += a.v[i / 4][i % 4];
    return total;
  }
  // Lanes within -128 .. 127.
  static void store_bytes(std::int8_t* to, const Int& a) {
    for (int i = 0; i < kLanes; ++i) to[i] = static_cast<std::int8_t>(a.v[i / 4][i % 4]);
  }
  static Int add_int(const Int& a, const Int& b) {
    return each<Int>([&](int i) { return a.v[i] + b.v[i]; });
  }
  static Int sub_int(const Int& a, std::int32_t b) {
    return each<Int>([&](int i) { return a.v[i] - b; });
  }
  // a - b * 2^kBits
  template <int kBits>
  static Int sub_shifted(const Int& a, const Int& b) {
    return each<Int>([&](int i) { return a.v[i] - (b.v[i] << kBits); });
  }
  static Float to_float(const Int& a) {
    return each<Float>([&](int i) { return __builtin_convertvector(a.v[i], Float4); });
  }

  static Bytes load_bytes(const void* from) {
    Bytes result;
    std::memcpy(&result, from, sizeof result);
    return result;
  }
  static Bytes low_nibbles(const Bytes& a) {
    return each<Bytes>([&](int i) { return a.v[i] & 15; });
  }
  static Bytes high_nibbles(const Bytes& a) {
    return each<Bytes>([&](int i) { return a.v[i] >> 4; });
  }
  // `low` with bit kBit of `bits` as its bit 4.
  template <int kBit>
  static Bytes with_bit(const Bytes& low, const Bytes& bits) {
    return each<Bytes>([&](int i) { return low.v[i] | (bits.v[i] >> kBit & 1) << 4; });
  }
  // `low` with bits 2 kPair and 2 kPair + 1 of `pairs` as its bits 4 and 5.
  template <int kPair>
  static Bytes with_pair(const Bytes& low, const Bytes& pairs) {
    return each<Bytes>([&](int i) { return low.v[i] | (pairs.v[i] >> 2 * kPair & 3) << 4; });
  }
  static Sums zero_sums() { return {}; }
  // Adds the products of each lane's four weights (unsigned) with the four inputs (signed bytes).
  // No more than 30,000 or so may add up in any pair of neighbouring inputs: wider machines keep 16 bits a
  // pair.
  static Sums multiply_add(const Sums& sums, const Bytes& weights, std::int32_t inputs) {
    const Short8 x = spread(inputs);
    Sums result;
    for (int i = 0; i < 2 * kQuads; ++i) {
      Byte8 half;
      std::memcpy(&half, reinterpret_cast<const char*>(&weights) + 8 * i, sizeof half);
      result.v[i] = sums.v[i] + __builtin_convertvector(half, Short8) * x;
    }
    return result;
  }
  // Each lane's sum.
  static Int total(const Sums& sums) {
    return each<Int>([&](int i) {
      const Short8 a = sums.v[2 * i];
      const Short8 b = sums.v[2 * i + 1];
      return Int4{a[0] + a[1] + a[2] + a[3], a[4] + a[5] + a[6] + a[7], b[0] + b[1] + b[2] + b[3],
                  b[4] + b[5] + b[6] + b[7]};
    });
  }
  // An unsigned byte a lane.
  static Scales load_scales(const void* from) {
    std::uint8_t bytes[kLanes];
    std::memcpy(bytes, from, sizeof bytes);
    return each<Scales>([&](int i) {
      return Int4{bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]};
    });
  }
  static Float load_u8(const void* from) { return to_float(load_scales(from)); }
  // Two signed bytes a lane.
  static ScalePairs load_scale_pairs(const void* from) {
    std::int8_t bytes[kLanes][2];
    std::memcpy(bytes, from, sizeof bytes);
    const auto side = [&](int s) {
      return each<Int>([&](int i) {
        return Int4{bytes[4 * i][s], bytes[4 * i + 1][s], bytes[4 * i + 2][s], bytes[4 * i + 3][s]};
      });
    };
    return {side(0), side(1)};
  }
  static Scales first_scales(const ScalePairs& pairs) { return pairs.first; }
  static Scales second_scales(const ScalePairs& pairs) { return pairs.second; }
  // Each lane's sum times its scale.
  static Int scaled_total(const Sums& sums, const Scales& scales) {
    const Int totals = total(sums);
    return each<Int>([&](int i) { return totals.v[i] * scales.v[i]; });
  }
  // Each lane's scales times two numbers of 16 bits, the first of them the lower, added up.
  static Int dot_pair(const ScalePairs& pairs, std::int32_t numbers) {
    std::int16_t both[2];
    std::memcpy(both, &numbers, sizeof both);
    return each<Int>([&](int i) { return pairs.first.v[i] * both[0] + pairs.second.v[i] * both[1]; });
  }
  // Whether sums have 32 bits, so that nothing is left to total.
  static constexpr bool kWideSums = false;
  // Two bf16 a lane.
  static constexpr bool kBf16Dots = false;
  static Float first_bf16(const Bytes& pairs) {
    return each<Float>([&](int i) { return (Float4)((Int4)pairs.v[i] << 16); });
  }
  static Float second_bf16(const Bytes& pairs) {
    return each<Float>([&](int i) { return (Float4)((Int4)pairs.v[i] & -65536); });
  }
  // What dot() takes every weight to be too large by, which is for its callers to take off.
  static constexpr int kSignedOffset = 0;
  static Signed load_signed(const void* from) { return load_bytes(from); }
  // Adds each lane's dot product of four signed weights with the four inputs.
  static Int dot(const Int& sum, const Signed& weights, std::int32_t inputs) {
    const Short8 x = spread(inputs);
    Sums products;
    for (int i = 0; i < 2 * kQuads; ++i) {
      SignedByte8 half;
      std::memcpy(&half, reinterpret_cast<const char*>(&weights) + 8 * i, sizeof half);
      products.v[i] = __builtin_convertvector(half, Short8) * x;
    }
    return add_int(sum, total(products));
  }

 private:
  static Int load_u16(const void* from) {
    std::uint16_t bits[kLanes];
    std::memcpy(bits, from, sizeof bits);
    return each<Int>([&](int i) {
      return Int4{bits[4 * i], bits[4 * i + 1], bits[4 * i + 2], bits[4 * i + 3]};
    });
  }
  static Short8 spread(std::int32_t inputs) {
    std::int8_t x[4];
    std::memcpy(x, &inputs, sizeof x);
    return Short8{x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3]};
  }
};

}  // namespace
}  // namespace hearth::kernels
