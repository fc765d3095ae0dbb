// A gate that opens and closes by what flows through it.
#pragma once

#include "ring.h"

namespace sluice {

enum class GateState { kClosed, kOpen, kJammed };

class Gate {
 public:
  Gate(std::size_t samples, double least_litres, double most_litres);

  GateState observe(Sample sample);
  GateState state() const { return state_; }

 private:
  SampleRing ring_;
  double least_litres_;
  double most_litres_;
  GateState state_ = GateState::kClosed;
};

}  // namespace sluice
