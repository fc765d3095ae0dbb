#include "kernels/cpu/cpu_device.h"

#include <algorithm>
#include <cassert>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "kernels/cpu/attention.h"
#include "kernels/cpu/device_on_kernels.h"
#include "kernels/cpu/feed_forward.h"
#include "kernels/cpu/output_head.h"

namespace hearth::kernels {
namespace {

class CpuDevice : public Device {
 public:
  CpuDevice(const KernelTable& kernels, ThreadPool& threads) : machine_{kernels, threads} {}

  std::string name() const override { return std::string("cpu ") + machine_.kernels.name; }
  PageFormat fastest_pages() const override {
    return machine_.kernels.bf16_dots ? PageFormat::kBF16 : PageFormat::kF16;
  }

  std::unique_ptr<PackedMatrix> pack(const MatrixView& matrix) override {
    return std::make_unique<CpuMatrix>(matrix, machine_.kernels, machine_.threads, arena_);
  }
  std::unique_ptr<PackedLayer> pack(const ModelShape& shape, const LayerWeights& layer) override {
    return std::make_unique<CpuLayer>(shape, layer, machine_.kernels, machine_.threads, arena_);
  }
  std::unique_ptr<PagePool> make_page_pool(const ModelShape& shape, PageFormat format, int pages) override {
    return std::make_unique<CpuPagePool>(shape, format, pages);
  }
  std::unique_ptr<Workspace> make_workspace(const ModelShape& shape, int max_rows) override {
    return std::make_unique<CpuWorkspace>(shape, max_rows, machine_.threads.size());
  }

  void embed(const PackedMatrix& embedding, const Step& step, Workspace& workspace) override {
    auto& w = static_cast<CpuWorkspace&>(workspace);
    assert(step.rows.size() <= static_cast<std::size_t>(w.max_rows));
    const auto d = static_cast<std::size_t>(w.shape.d_model);
    for_each_row(machine_, step.rows.size(), [&](std::size_t r, int) {
      static_cast<const CpuMatrix&>(embedding).unpack_row(step.rows[r].token, {w.x.row(r), d});
      std::fill(w.x.row(r) + d, w.x.row(r) + w.x.stride(), 0.0f);
    });
    fill_rotations(step, w);
  }

  void attention(const PackedLayer& layer, int layer_index, const Step& step, PagePool& pages,
                 Workspace& workspace) override {
    run_attention(machine_, static_cast<const CpuLayer&>(layer), layer_index, step,
                  static_cast<const CpuPagePool&>(pages), static_cast<CpuWorkspace&>(workspace));
  }

  void feed_forward(const PackedLayer& layer, const Step& step, Workspace& workspace) override {
    run_feed_forward(machine_, static_cast<const CpuLayer&>(layer), step.rows.size(),
                     static_cast<CpuWorkspace&>(workspace));
  }

  std::vector<HeadAnswer> head(const NormWeights& norm, const PackedMatrix& output,
                               std::span<const HeadQuery> queries, Workspace& workspace) override {
    return run_head(machine_, norm, static_cast<const CpuMatrix&>(output), queries,
                    static_cast<CpuWorkspace&>(workspace));
  }

  void hidden(const NormWeights& norm, std::uint32_t row, std::span<float> out,
              Workspace& workspace) override {
    auto& w = static_cast<CpuWorkspace&>(workspace);
    normalize(machine_, w.shape, norm, w.x.row(row), out.size(), out.data());
  }

 private:
  Machine machine_;
  Arena arena_;
};

const KernelTable& kernels_for(CpuIsa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case CpuIsa::kAvx2: return kAvx2Kernels;
    case CpuIsa::kAvxVnni: return kAvxVnniKernels;
    case CpuIsa::kAvx512: return kAvx512Kernels;
    case CpuIsa::kAvx512Vnni: return kAvx512VnniKernels;
    case CpuIsa::kAvx512Bf16: return kAvx512Bf16Kernels;
    case CpuIsa::kAmx: return kAmxKernels;
#endif
    default: return kPortableKernels;
  }
}

#if defined(__x86_64__)
// Compilers' builtins have no name for it.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1U) != 0;
}

// Linux gives the tiles' registers to a process that asks for them.
bool has_amx_int8() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTileAndInt8 = 3U << 24;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kTileAndInt8) != kTileAndInt8) return false;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // the state's number in XCR0
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

const char* name(CpuIsa isa) {
  constexpr const char* kNames[kCpuIsas] = {"portable",   "avx2",       "avxvnni", "avx512",
                                            "avx512vnni", "avx512bf16", "amx"};
  return kNames[static_cast<int>(isa)];
}

std::optional<CpuIsa> parse_cpu_isa(std::string_view text) {
  for (int i = 0; i < kCpuIsas; ++i) {
    if (text == name(static_cast<CpuIsa>(i))) return static_cast<CpuIsa>(i);
  }
  return std::nullopt;
}

std::vector<CpuIsa> supported_cpu_isas() {
  std::vector<CpuIsa> isas{CpuIsa::kPortable};
#if defined(__x86_64__)
  // The builtin also asks whether the system saves the registers. F16C came before AVX2, and clang's
  // builtin has no name for it.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) isas.push_back(CpuIsa::kAvx2);
  if (avx2 && has_avx_vnni()) isas.push_back(CpuIsa::kAvxVnni);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    isas.push_back(CpuIsa::kAvx512);
    if (__builtin_cpu_supports("avx512vnni")) {
      isas.push_back(CpuIsa::kAvx512Vnni);
      if (__builtin_cpu_supports("avx512bf16")) {
        isas.push_back(CpuIsa::kAvx512Bf16);
        if (has_amx_int8()) isas.push_back(CpuIsa::kAmx);
      }
    }
  }
#endif
  return isas;
}

const KernelTable& best_kernels() { return kernels_for(supported_cpu_isas().back()); }

std::unique_ptr<Device> make_device_on(const KernelTable& kernels, ThreadPool& threads) {
  return std::make_unique<CpuDevice>(kernels, threads);
}

std::unique_ptr<Device> make_cpu_device(ThreadPool& threads, std::optional<CpuIsa> isa) {
  const std::vector<CpuIsa> supported = supported_cpu_isas();
  const CpuIsa chosen = isa.value_or(supported.back());
  assert(std::find(supported.begin(), supported.end(), chosen) != supported.end());
  return make_device_on(kernels_for(chosen), threads);
}

}  // namespace hearth::kernels
