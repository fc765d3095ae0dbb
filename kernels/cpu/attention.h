// The attention half of a layer on the CPU. Attention is summed by splits of kSplitTokens positions
// from 0 on, whoever computes them, and splits are merged in ascending order: a row's result depends on
// nothing but its sequence.
#pragma once

#include "kernels/cpu/packed_layer.h"
#include "kernels/cpu/page_pool.h"
#include "kernels/cpu/projection.h"

namespace hearth::kernels {

// The cosines and sines of a step's positions, the same for all layers.
void fill_rotations(const Step& step, CpuWorkspace& workspace);

// As Device::attention, after fill_rotations.
void run_attention(const Machine& machine, const CpuLayer& layer, int layer_index, const Step& step,
                   const CpuPagePool& pages, CpuWorkspace& workspace);

// The middle of it alone: the rows' queries, which stand in the workspace, over the rows' pages.
void attend_rows(const Machine& machine, const ModelShape& shape, int layer_index, const Step& step,
                 const CpuPagePool& pages, CpuWorkspace& workspace);

}  // namespace hearth::kernels
