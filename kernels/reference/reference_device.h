// The truth that every other device is checked against: plain loops, double accumulators, weights
// dequantised exactly, activations never quantised. Keys and values are rounded to the page format,
// as every device must. Slow on purpose.
#pragma once

#include <memory>

#include "kernels/device.h"

namespace hearth::kernels {

std::unique_ptr<Device> make_reference_device();

}  // namespace hearth::kernels
