// The kernel tables and devices that tests run on: what this machine supports, and a 16-lane instance of
// the portable kernels, so that the layouts of AVX-512 are tested where it is absent.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/device_on_kernels.h"

namespace hearth::kernels {

extern const KernelTable kWidePortableKernels;  // wide_portable_test.cpp

inline std::vector<const KernelTable*> all_tables() {
  std::vector<const KernelTable*> tables{&kPortableKernels, &kWidePortableKernels};
#if defined(__x86_64__)
  for (const CpuIsa isa : supported_cpu_isas()) {
    if (isa == CpuIsa::kAvx2) tables.push_back(&kAvx2Kernels);
    if (isa == CpuIsa::kAvx512) tables.push_back(&kAvx512Kernels);
  }
#endif
  return tables;
}

inline std::vector<std::unique_ptr<Device>> all_devices(ThreadPool& threads) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const KernelTable* table : all_tables()) devices.push_back(make_device_on(*table, threads));
  return devices;
}

}  // namespace hearth::kernels
