// The x86 intrinsics that the kernels use, on any machine, as SIMDe writes them out: so that kernels for
// processors that nobody has at hand are tested, too. To be included before anything else.
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
// The compiler's own header declares the same types.
#define _IMMINTRIN_H_INCLUDED
#define __IMMINTRIN_H
#include <cstdint>
#include <cstring>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <simde/x86/fma.h>

namespace hearth::kernels::emulated {

template <class Half, class Whole>
Half half(const Whole& whole, int index) {
  static_assert(sizeof(Whole) == 2 * sizeof(Half));
  Half part;
  std::memcpy(&part, reinterpret_cast<const char*>(&whole) + index * static_cast<int>(sizeof part),
              sizeof part);
  return part;
}

template <class Whole, class Half>
Whole join(const Half& low, const Half& high) {
  static_assert(sizeof(Whole) == 2 * sizeof(Half));
  Whole whole;
  std::memcpy(&whole, &low, sizeof low);
  std::memcpy(reinterpret_cast<char*>(&whole) + sizeof low, &high, sizeof high);
  return whole;
}

// What SIMDe lacks, by halves.
inline simde__m512 cvtph_ps(simde__m256i a) {
  return join<simde__m512>(simde_mm256_cvtph_ps(half<simde__m128i>(a, 0)),
                           simde_mm256_cvtph_ps(half<simde__m128i>(a, 1)));
}
inline simde__m256i cvtps_ph(simde__m512 a, int rounding) {
  (void)rounding;  // to nearest is the only one in use
  return join<simde__m256i>(simde_mm256_cvtps_ph(half<simde__m256>(a, 0), 0),
                            simde_mm256_cvtps_ph(half<simde__m256>(a, 1), 0));
}
inline simde__m512 cvtepi32_ps(simde__m512i a) {
  return join<simde__m512>(simde_mm256_cvtepi32_ps(half<simde__m256i>(a, 0)),
                           simde_mm256_cvtepi32_ps(half<simde__m256i>(a, 1)));
}
inline simde__m512i cvtps_epi32(simde__m512 a) {
  return join<simde__m512i>(simde_mm256_cvtps_epi32(half<simde__m256>(a, 0)),
                            simde_mm256_cvtps_epi32(half<simde__m256>(a, 1)));
}
inline simde__m512i cvtepu8_epi32(simde__m128i a) {
  return join<simde__m512i>(simde_mm256_cvtepu8_epi32(a),
                            simde_mm256_cvtepu8_epi32(simde_mm_srli_si128(a, 8)));
}
inline simde__m512i srai_epi32(simde__m512i a, unsigned bits) {
  const int n = static_cast<int>(bits);
  return join<simde__m512i>(simde_mm256_srai_epi32(half<simde__m256i>(a, 0), n),
                            simde_mm256_srai_epi32(half<simde__m256i>(a, 1), n));
}
inline simde__m256i cvtneps_pbh(simde__m512 a) {
  std::uint32_t bits[16];
  std::uint16_t halves[16];
  std::memcpy(bits, &a, sizeof bits);
  for (int i = 0; i < 16; ++i)
    halves[i] = static_cast<std::uint16_t>((bits[i] + 0x7fffU + (bits[i] >> 16 & 1U)) >> 16);
  simde__m256i result;
  std::memcpy(&result, halves, sizeof result);
  return result;
}

}  // namespace hearth::kernels::emulated

#define _mm512_cvtph_ps hearth::kernels::emulated::cvtph_ps
#define _mm512_cvtps_ph hearth::kernels::emulated::cvtps_ph
#define _mm512_cvtneps_pbh hearth::kernels::emulated::cvtneps_pbh
#define _mm512_cvtepi32_ps hearth::kernels::emulated::cvtepi32_ps
#define _mm512_cvtps_epi32 hearth::kernels::emulated::cvtps_epi32
#define _mm512_cvtepu8_epi32 hearth::kernels::emulated::cvtepu8_epi32
#undef _mm512_madd_epi16  // SIMDe's takes the arguments of the masked one
#define _mm512_madd_epi16 simde_mm512_madd_epi16
#define _mm512_srai_epi32 hearth::kernels::emulated::srai_epi32
#define _mm256_dpbusd_avx_epi32 simde_mm256_dpbusd_epi32
#define _MM_FROUND_NO_EXC SIMDE_MM_FROUND_NO_EXC
using __m512bh = simde__m512bh;
using __mmask64 = simde__mmask64;
