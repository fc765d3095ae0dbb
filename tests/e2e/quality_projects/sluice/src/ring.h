// A ring of samples: the newest replace the oldest.
#pragma once

#include <cstddef>
#include <vector>

namespace sluice {

struct Sample {
  double seconds = 0;
  double litres = 0;
};

class SampleRing {
 public:
  explicit SampleRing(std::size_t capacity);

  void push(Sample sample);
  std::size_t size() const { return size_; }
  bool full() const { return size_ == samples_.size(); }
  const Sample& newest() const;
  double mean_litres() const;

 private:
  std::vector<Sample> samples_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

}  // namespace sluice
