// Products of a step's rows with packed matrices: normalising and preparing the inputs once, then one
// parallel section over groups of outputs of one or several matrices that share them.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/workspace.h"

namespace hearth::kernels {

// What the operations of a step run on.
struct Machine {
  const KernelTable& kernels;
  ThreadPool& threads;
};

// The forms of an input that some matrices read.
struct InputForms {
  bool values = false;
  bool pairs = false;
  bool codes = false;

  InputForms(std::initializer_list<const CpuMatrix*> matrices) {
    for (const CpuMatrix* matrix : matrices) {
      if (matrix->rows() == 0) continue;
      switch (matrix->input_form()) {
        case InputForm::kValues: values = true; break;
        case InputForm::kPairs: pairs = true; break;
        case InputForm::kCodes: codes = true; break;
      }
    }
  }
};

// Below this number of rows, work that is cheap a row is done by the calling thread alone.
inline constexpr std::size_t kInlineRows = 4;

// Calls work(row, thread) for every row below `rows`.
template <class Work>
void for_each_row(const Machine& machine, std::size_t rows, const Work& work) {
  if (rows <= kInlineRows) {
    for (std::size_t r = 0; r < rows; ++r) work(r, 0);
  } else {
    parallel_for(machine.threads, rows, work);
  }
}

// The norm of x, (shape.d_model), and zeros up to `padded`.
void normalize(const Machine& machine, const ModelShape& shape, const NormWeights& norm, const float* x,
               std::size_t padded, float* out);

// Puts the inputs x[first .. first + count) of row `row` of a tile as values and pairs, where these are
// wanted; `first` is even, and x[first + count] is 0 where `count` is odd.
void put_floats(const float* x, int count, InputForms forms, const ActivationTile& tile, int first, int row);

// Puts one row, (cols) with zeros up to a multiple of 32, into a tile buffer.
void put_input(const Machine& machine, const float* row, int cols, InputForms forms, const TileBuffer& inputs,
               std::size_t r);

// Rows of a step that a thread multiplies with a group of outputs before it takes other weights.
inline constexpr std::size_t kChunkRows = 64;

// Calls visit(group, tile, tile_rows) for every group of outputs and every tile of rows; those of one
// group follow each other on one thread, so that its weights are read from memory once.
template <class Visit>
void for_each_tile(const Machine& machine, std::size_t groups, std::size_t rows, const Visit& visit) {
  const std::size_t chunks = (rows + kChunkRows - 1) / kChunkRows;
  parallel_for(machine.threads, groups * chunks, [&](std::size_t item, int) {
    const std::size_t first = item % chunks * kChunkRows;
    const std::size_t end = std::min(first + kChunkRows, rows);
    for (std::size_t r = first; r < end; r += kTileRows) {
      visit(item / chunks, r / kTileRows, static_cast<int>(std::min<std::size_t>(kTileRows, end - r)));
    }
  });
}

using GroupOutputs = float[kTileRows][kGroupOutputs];

// Adds a bias, (outputs) with zeros up to whole groups or empty, to a tile's outputs of one group.
void add_bias(std::span<const float> bias, std::size_t group, int rows, GroupOutputs& outputs);

// Calls sink(i, group, tile, tile_rows, outputs) with every group of outputs of the i-th matrix.
template <std::size_t kMatrices, class Sink>
void project(const Machine& machine, const std::array<const CpuMatrix*, kMatrices>& matrices,
             const TileBuffer& inputs, std::size_t rows, const Sink& sink) {
  std::size_t groups = 0;
  for (const CpuMatrix* matrix : matrices) groups += static_cast<std::size_t>(matrix->groups());
  for_each_tile(machine, groups, rows, [&](std::size_t group, std::size_t tile, int tile_rows) {
    std::size_t i = 0;
    for (; group >= static_cast<std::size_t>(matrices[i]->groups()); ++i) {
      group -= static_cast<std::size_t>(matrices[i]->groups());
    }
    alignas(64) GroupOutputs outputs;
    matrices[i]->multiply(machine.kernels, static_cast<int>(group), inputs.tile(tile), tile_rows, outputs[0],
                          kGroupOutputs);
    sink(i, group, tile, tile_rows, outputs);
  });
}

// x[r] += matrix . inputs[r] + bias; the bias may be empty
void add_projection(const Machine& machine, const CpuMatrix& matrix, std::span<const float> bias,
                    const TileBuffer& inputs, std::size_t rows, const RowBuffer& x);

}  // namespace hearth::kernels
