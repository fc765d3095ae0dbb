// The output head on the CPU: answers queries without writing all logits. The vocabulary is cut into
// chunks of CpuWorkspace::kLogitChunk tokens; each chunk gives its maximum and sums, which are combined
// in ascending order, and its best tokens, whose order is total. So threads leave no trace in an answer.
#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/projection.h"
#include "kernels/device.h"

namespace hearth::kernels {

// As Device::head.
std::vector<HeadAnswer> run_head(const Machine& machine, const NormWeights& norm, const CpuMatrix& output,
                                 std::span<const HeadQuery> queries, CpuWorkspace& workspace);

}  // namespace hearth::kernels
