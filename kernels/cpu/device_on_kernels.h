// The tables of kernels behind the CPU device, for measuring them, and for tests of tables that no machine
// selects.
#pragma once

#include <memory>

#include "kernels/cpu/kernel_table.h"
#include "kernels/device.h"
#include "kernels/thread_pool.h"

namespace hearth::kernels {

// What make_cpu_device takes on this machine.
const KernelTable& best_kernels();

std::unique_ptr<Device> make_device_on(const KernelTable& kernels, ThreadPool& threads);

}  // namespace hearth::kernels
