// Eight lanes with AVX2, FMA and F16C. See simd_portable.h for what each operation means.
#pragma once

#include <cstdint>
#include <immintrin.h>

namespace hearth::kernels {
namespace {

struct SimdAvx2 {
  static constexpr int kLanes = 8;
  using Float = __m256;
  using Int = __m256i;
  using Bytes = __m256i;
  using Sums = __m256i;
  using Scales = __m256i;      // int16, each twice
  using ScalePairs = __m256i;  // int16
  struct Signed {
    __m256i value, magnitude;
  };

  static Float zero() { return _mm256_setzero_ps(); }
  static Float splat(float x) { return _mm256_set1_ps(x); }
  static Float load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Float x) { _mm256_storeu_ps(to, x); }
  static Float load_f16(const void* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(from)));
  }
  static void store_f16(std::uint16_t* to, Float x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm256_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm256_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  static Float min(Float a, Float b) { return _mm256_min_ps(a, b); }
  static Float round(Float a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Float power_of_two(Float n) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
  }

  // The upper half's lanes meet the lower half's, down to one: the order of additions of every machine.
  static float sum(Float a) {
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  static float largest(Float a) {
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
  }

  static Int zero_int() { return _mm256_setzero_si256(); }
  static Int to_int(Float a) { return _mm256_cvtps_epi32(a); }
  static std::int32_t sum_int(Int a) {
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_add_epi32(x, _mm_unpackhi_epi64(x, x));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
  }
  static void store_bytes(std::int8_t* to, Int a) {
    const __m128i shorts = _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(shorts, shorts));
  }
  static Int add_int(Int a, Int b) { return _mm256_add_epi32(a, b); }
  static Int sub_int(Int a, std::int32_t b) { return _mm256_sub_epi32(a, _mm256_set1_epi32(b)); }
  template <int kBits>
  static Int sub_shifted(Int a, Int b) {
    return _mm256_sub_epi32(a, _mm256_slli_epi32(b, kBits));
  }
  static Float to_float(Int a) { return _mm256_cvtepi32_ps(a); }

  static Bytes load_bytes(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  static Bytes low_nibbles(Bytes a) { return _mm256_and_si256(a, _mm256_set1_epi8(15)); }
  static Bytes high_nibbles(Bytes a) { return low_nibbles(_mm256_srli_epi16(a, 4)); }
  template <int kBit>
  static Bytes with_bit(Bytes low, Bytes bits) {
    Bytes moved = bits;
    if constexpr (kBit < 4) moved = _mm256_slli_epi16(bits, 4 - kBit);
    if constexpr (kBit > 4) moved = _mm256_srli_epi16(bits, kBit - 4);
    return _mm256_or_si256(low, _mm256_and_si256(moved, _mm256_set1_epi8(16)));
  }
  template <int kPair>
  static Bytes with_pair(Bytes low, Bytes pairs) {
    Bytes moved = pairs;
    if constexpr (kPair < 2) moved = _mm256_slli_epi16(pairs, 4 - 2 * kPair);
    if constexpr (kPair > 2) moved = _mm256_srli_epi16(pairs, 2 * kPair - 4);
    return _mm256_or_si256(low, _mm256_and_si256(moved, _mm256_set1_epi8(48)));
  }
  static Sums zero_sums() { return _mm256_setzero_si256(); }
  static Sums multiply_add(Sums sums, Bytes weights, std::int32_t inputs) {
    Sums result = _mm256_add_epi16(sums, _mm256_maddubs_epi16(weights, _mm256_set1_epi32(inputs)));
    asm("" : "+x"(result));  // else GCC computes all products before it adds any, and spills them
    return result;
  }
  static Int total(Sums sums) { return _mm256_madd_epi16(sums, _mm256_set1_epi16(1)); }
  static Scales load_scales(const void* from) {
    const __m256i eight = _mm256_broadcastq_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(from)));
    return _mm256_shuffle_epi8(
        eight, _mm256_setr_epi8(0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1, 3, -1, 3, -1, 4, -1, 4, -1, 5, -1,
                                5, -1, 6, -1, 6, -1, 7, -1, 7, -1));
  }
  static Float load_u8(const void* from) {
    return to_float(_mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from))));
  }
  static ScalePairs load_scale_pairs(const void* from) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(static_cast<const __m128i*>(from)));
  }
  static Scales first_scales(ScalePairs pairs) {
    return _mm256_shuffle_epi8(pairs, _mm256_broadcastsi128_si256(
                                          _mm_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13)));
  }
  static Scales second_scales(ScalePairs pairs) {
    return _mm256_shuffle_epi8(pairs, _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 3, 2, 3, 6, 7, 6, 7, 10,
                                                                                11, 10, 11, 14, 15, 14, 15)));
  }
  static Int scaled_total(Sums sums, Scales scales) { return _mm256_madd_epi16(sums, scales); }
  static Int dot_pair(ScalePairs pairs, std::int32_t numbers) {
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(numbers));
  }
  static constexpr bool kWideSums = false;
  static constexpr bool kBf16Dots = false;
  static Float first_bf16(Bytes pairs) { return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)); }
  static Float second_bf16(Bytes pairs) {
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }
  static constexpr int kSignedOffset = 0;
  static Signed load_signed(const void* from) {
    const __m256i value = load_bytes(from);
    return {value, _mm256_abs_epi8(value)};
  }
  static Int dot(Int sum, const Signed& weights, std::int32_t inputs) {
    const __m256i moved = _mm256_sign_epi8(_mm256_set1_epi32(inputs), weights.value);
    Int result = _mm256_add_epi32(sum, total(_mm256_maddubs_epi16(weights.magnitude, moved)));
    asm("" : "+x"(result));
    return result;
  }
};

}  // namespace
}  // namespace hearth::kernels
