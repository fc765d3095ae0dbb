// The CPU device: one source of kernels compiled for several instruction sets, chosen at run time.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/device.h"
#include "kernels/thread_pool.h"

namespace hearth::kernels {

// The later the better; a machine may lack some in between.
enum class CpuIsa : std::uint8_t { kPortable, kAvx2, kAvxVnni, kAvx512, kAvx512Vnni, kAvx512Bf16, kAmx };
inline constexpr int kCpuIsas = 7;

const char* name(CpuIsa isa);
std::optional<CpuIsa> parse_cpu_isa(std::string_view text);

// What this machine can run, the best last. Never empty.
std::vector<CpuIsa> supported_cpu_isas();

// `isa` must be supported; by default the best one is taken. `threads` outlives the device.
std::unique_ptr<Device> make_cpu_device(ThreadPool& threads, std::optional<CpuIsa> isa = std::nullopt);

}  // namespace hearth::kernels
