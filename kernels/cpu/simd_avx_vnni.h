// Eight lanes with AVX-VNNI, whose dot products of four bytes keep 32 bits: processors of laptops and
// desktops that have no AVX-512. See simd_portable.h for what each operation means.
#pragma once

#include "kernels/cpu/simd_avx2.h"

namespace hearth::kernels {
namespace {

struct SimdAvxVnni : SimdAvx2 {
  using Signed = Bytes;
  static constexpr bool kWideSums = true;

  static Sums multiply_add(Sums sums, Bytes weights, std::int32_t inputs) {
    return _mm256_dpbusd_avx_epi32(sums, weights, _mm256_set1_epi32(inputs));
  }
  static Int total(Sums sums) { return sums; }
  static Scales load_scales(const void* from) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from)));
  }
  static Scales first_scales(ScalePairs pairs) { return _mm256_srai_epi32(_mm256_slli_epi32(pairs, 16), 16); }
  static Scales second_scales(ScalePairs pairs) { return _mm256_srai_epi32(pairs, 16); }
  static Int scaled_total(Sums sums, Scales scales) { return _mm256_mullo_epi32(sums, scales); }

  // The instruction's weights are unsigned.
  static constexpr int kSignedOffset = 128;
  static Signed load_signed(const void* from) {
    return _mm256_xor_si256(load_bytes(from), _mm256_set1_epi8(-128));
  }
  static Int dot(Int sum, Signed weights, std::int32_t inputs) { return multiply_add(sum, weights, inputs); }
};

}  // namespace
}  // namespace hearth::kernels
