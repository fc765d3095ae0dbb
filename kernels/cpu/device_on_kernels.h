// The CPU device on a given table of kernels, for tests of tables that no machine selects.
#pragma once

#include <memory>

#include "kernels/cpu/kernel_table.h"
#include "kernels/device.h"
#include "kernels/thread_pool.h"

namespace hearth::kernels {

std::unique_ptr<Device> make_device_on(const KernelTable& kernels, ThreadPool& threads);

}  // namespace hearth::kernels
