// Sixteen lanes with AVX-512 F, BW, DQ and VL. See simd_portable.h for what each operation means.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "kernels/cpu/simd_avx2.h"

namespace hearth::kernels {
namespace {

struct SimdAvx512 {
  static constexpr int kLanes = 16;
  using Float = __m512;
  using Int = __m512i;
  using Bytes = __m512i;
  using Sums = __m512i;
  using Scales = __m512i;      // int16, each twice
  using ScalePairs = __m512i;  // int16
  struct Signed {
    __m512i magnitude;
    __mmask64 negative;
  };

  static Float zero() { return _mm512_setzero_ps(); }
  static Float splat(float x) { return _mm512_set1_ps(x); }
  static Float load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Float x) { _mm512_storeu_ps(to, x); }
  static Float load_f16(const void* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(from)));
  }
  static void store_f16(std::uint16_t* to, Float x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm512_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm512_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  static Float min(Float a, Float b) { return _mm512_min_ps(a, b); }
  static Float round(Float a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Float power_of_two(Float n) {
    const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23));
  }

  // The upper half's lanes meet the lower half's, down to one: the order of additions of every machine.
  static __m256 low_half(Float a) { return _mm512_castps512_ps256(a); }
  static __m256 high_half(Float a) {
    return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1));
  }
  static float sum(Float a) { return SimdAvx2::sum(_mm256_add_ps(low_half(a), high_half(a))); }
  static float largest(Float a) { return SimdAvx2::largest(_mm256_max_ps(low_half(a), high_half(a))); }

  static Int zero_int() { return _mm512_setzero_si512(); }
  static Int to_int(Float a) { return _mm512_cvtps_epi32(a); }
  static Int load_int(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  static std::int32_t sum_int(Int a) {
    return SimdAvx2::sum_int(_mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1)));
  }
  static void store_bytes(std::int8_t* to, Int a) {
    SimdAvx2::store_bytes(to, _mm512_castsi512_si256(a));
    SimdAvx2::store_bytes(to + 8, _mm512_extracti64x4_epi64(a, 1));
  }
  static Int add_int(Int a, Int b) { return _mm512_add_epi32(a, b); }
  static Int sub_int(Int a, std::int32_t b) { return _mm512_sub_epi32(a, _mm512_set1_epi32(b)); }
  template <int kBits>
  static Int sub_shifted(Int a, Int b) {
    return _mm512_sub_epi32(a, _mm512_slli_epi32(b, kBits));
  }
  static Float to_float(Int a) { return _mm512_cvtepi32_ps(a); }

  static Bytes load_bytes(const void* from) { return _mm512_loadu_si512(from); }
  static void store_codes(std::byte* to, Bytes a) { _mm512_storeu_si512(to, a); }
  static Bytes low_nibbles(Bytes a) { return _mm512_and_si512(a, _mm512_set1_epi8(15)); }
  static Bytes high_nibbles(Bytes a) { return low_nibbles(_mm512_srli_epi16(a, 4)); }
  template <int kBit>
  static Bytes with_bit(Bytes low, Bytes bits) {
    Bytes moved = bits;
    if constexpr (kBit < 4) moved = _mm512_slli_epi16(bits, 4 - kBit);
    if constexpr (kBit > 4) moved = _mm512_srli_epi16(bits, kBit - 4);
    return _mm512_or_si512(low, _mm512_and_si512(moved, _mm512_set1_epi8(16)));
  }
  template <int kPair>
  static Bytes with_pair(Bytes low, Bytes pairs) {
    Bytes moved = pairs;
    if constexpr (kPair < 2) moved = _mm512_slli_epi16(pairs, 4 - 2 * kPair);
    if constexpr (kPair > 2) moved = _mm512_srli_epi16(pairs, 2 * kPair - 4);
    return _mm512_or_si512(low, _mm512_and_si512(moved, _mm512_set1_epi8(48)));
  }
  static Sums zero_sums() { return _mm512_setzero_si512(); }
  static Sums multiply_add(Sums sums, Bytes weights, std::int32_t inputs) {
    Sums result = _mm512_add_epi16(sums, _mm512_maddubs_epi16(weights, _mm512_set1_epi32(inputs)));
    asm("" : "+v"(result));  // else GCC computes all products before it adds any, and spills them
    return result;
  }
  static Int total(Sums sums) { return _mm512_madd_epi16(sums, _mm512_set1_epi16(1)); }
  static Scales load_scales(const void* from) {
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from)));
    return _mm512_or_si512(bytes, _mm512_slli_epi32(bytes, 16));
  }
  static Float load_u8(const void* from) {
    return to_float(_mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from))));
  }
  static ScalePairs load_scale_pairs(const void* from) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(static_cast<const __m256i*>(from)));
  }
  static Scales first_scales(ScalePairs pairs) {
    return _mm512_shuffle_epi8(
        pairs, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13)));
  }
  static Scales second_scales(ScalePairs pairs) {
    return _mm512_shuffle_epi8(
        pairs, _mm512_broadcast_i32x4(_mm_setr_epi8(2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15)));
  }
  static Int scaled_total(Sums sums, Scales scales) { return _mm512_madd_epi16(sums, scales); }
  static Int dot_pair(ScalePairs pairs, std::int32_t numbers) {
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(numbers));
  }
  static constexpr bool kWideSums = false;
  static constexpr bool kBf16Dots = false;
  static Float first_bf16(Bytes pairs) { return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)); }
  static Float second_bf16(Bytes pairs) {
    return _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(-65536)));
  }
  static constexpr int kSignedOffset = 0;
  static Signed load_signed(const void* from) {
    const __m512i value = load_bytes(from);
    return {_mm512_abs_epi8(value), _mm512_movepi8_mask(value)};
  }
  static Int dot(Int sum, const Signed& weights, std::int32_t inputs) {
    const __m512i plain = _mm512_set1_epi32(inputs);
    const __m512i moved = _mm512_mask_sub_epi8(plain, weights.negative, _mm512_setzero_si512(), plain);
    Int result = _mm512_add_epi32(sum, total(_mm512_maddubs_epi16(weights.magnitude, moved)));
    asm("" : "+v"(result));
    return result;
  }
};

}  // namespace
}  // namespace hearth::kernels
