// The feed-forward half of a layer on the CPU.
#pragma once

#include "kernels/cpu/packed_layer.h"
#include "kernels/cpu/projection.h"

namespace hearth::kernels {

// As Device::feed_forward, over the first `rows` rows.
void run_feed_forward(const Machine& machine, const CpuLayer& layer, std::size_t rows,
                      CpuWorkspace& workspace);

}  // namespace hearth::kernels
