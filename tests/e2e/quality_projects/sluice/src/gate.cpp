#include "gate.h"

#include <stdexcept>

namespace sluice {

Gate::Gate(std::size_t samples, double least_litres, double most_litres)
    : ring_(samples), least_litres_(least_litres), most_litres_(most_litres) {
  if (least_litres > most_litres) throw std::invalid_argument("the least is more than the most");
}

GateState Gate::observe(Sample sample) {
  if (ring_.size() > 0 && sample.seconds < ring_.newest().seconds) {
    throw std::invalid_argument("a sample older than the newest");
  }
  ring_.push(sample);
  if (!ring_.full()) return state_;
  const double mean = ring_.mean_litres();
  if (mean > most_litres_) {
    state_ = GateState::kClosed;
  } else if (mean < least_litres_) {
    state_ = state_ == GateState::kOpen && mean == 0 ? GateState::kJammed : GateState::kOpen;
  }
  return state_;
}

}  // namespace sluice
