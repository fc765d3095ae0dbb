// The kernel tables and devices that tests run on: this machine's own, and those for other machines emulated.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/device_on_kernels.h"

namespace hearth::kernels {

extern const KernelTable kEmulatedAvxVnniKernels;  // emulated_kernels_test.cpp
extern const KernelTable kEmulatedAvx512Kernels;
extern const KernelTable kEmulatedAvx512VnniKernels;
extern const KernelTable kEmulatedAvx512Bf16Kernels;
extern const KernelTable kEmulatedAmxKernels;

inline std::vector<const KernelTable*> all_tables() {
  std::vector<const KernelTable*> tables{&kPortableKernels};
#if defined(__x86_64__)
  const std::vector<CpuIsa> supported = supported_cpu_isas();
  const auto add = [&](CpuIsa isa, const KernelTable* real, const KernelTable* emulated) {
    const bool has = std::find(supported.begin(), supported.end(), isa) != supported.end();
    if (has || emulated != nullptr) tables.push_back(has ? real : emulated);
  };
  add(CpuIsa::kAvx2, &kAvx2Kernels, nullptr);
  add(CpuIsa::kAvxVnni, &kAvxVnniKernels, &kEmulatedAvxVnniKernels);
  add(CpuIsa::kAvx512, &kAvx512Kernels, &kEmulatedAvx512Kernels);
  add(CpuIsa::kAvx512Vnni, &kAvx512VnniKernels, &kEmulatedAvx512VnniKernels);
  add(CpuIsa::kAvx512Bf16, &kAvx512Bf16Kernels, &kEmulatedAvx512Bf16Kernels);
  add(CpuIsa::kAmx, &kAmxKernels, &kEmulatedAmxKernels);
#endif
  return tables;
}

inline std::vector<std::unique_ptr<Device>> all_devices(ThreadPool& threads) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const KernelTable* table : all_tables()) devices.push_back(make_device_on(*table, threads));
  return devices;
}

}  // namespace hearth::kernels
