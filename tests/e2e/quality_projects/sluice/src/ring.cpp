#include "ring.h"

#include <algorithm>
#include <stdexcept>

namespace sluice {

SampleRing::SampleRing(std::size_t capacity) : samples_(capacity) {
  if (capacity == 0) throw std::invalid_argument("a ring of no samples");
}

void SampleRing::push(Sample sample) {
  samples_[next_] = sample;
  next_ = (next_ + 1) % samples_.size();
  size_ = std::min(size_ + 1, samples_.size());
}

const Sample& SampleRing::newest() const {
  if (size_ == 0) throw std::out_of_range("the ring is empty");
  return samples_[(next_ + samples_.size() - 1) % samples_.size()];
}

double SampleRing::mean_litres() const {
  if (size_ == 0) throw std::out_of_range("the ring is empty");
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) sum += samples_[i].litres;
  return sum / static_cast<double>(size_);
}

}  // namespace sluice
