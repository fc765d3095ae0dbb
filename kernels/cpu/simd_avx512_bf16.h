// Sixteen lanes with AVX-512 VNNI and BF16, whose dot products of two bf16 add up in fp32. See
// simd_portable.h for what each operation means.
#pragma once

#include <bit>

#include "kernels/cpu/simd_avx512_vnni.h"

namespace hearth::kernels {
namespace {

struct SimdAvx512Bf16 : SimdAvx512Vnni {
  static constexpr bool kBf16Dots = true;
  static Float dot_bf16(Float sum, Bytes weights, std::int32_t inputs) {
    return _mm512_dpbf16_ps(sum, std::bit_cast<__m512bh>(weights),
                            std::bit_cast<__m512bh>(_mm512_set1_epi32(inputs)));
  }
  static void store_bf16(std::uint16_t* to, Float x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), std::bit_cast<__m256i>(_mm512_cvtneps_pbh(x)));
  }
};

}  // namespace
}  // namespace hearth::kernels
