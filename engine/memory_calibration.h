// Fits the mixture's weights to a model (DESIGN.md section 5.6): what model and memory each gave to the
// tokens that really came, on text that the model has not seen, and the weights that make these likeliest.
// One thread; it is the model's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/mixture.h"
#include "engine/model.h"
#include "engine/prefix_tree.h"

namespace hearth::engine {

struct MixtureSample {
  std::array<double, kMixtureFigures> figures{};
  double model = 0, memory = 0;  // the probabilities of the token that came
};

// A place in a document, which the memory may know without `before` and `after`.
struct CalibrationText {
  std::string document;
  std::vector<std::string> masked;
  std::string before, after;
};

class MixtureSampler {
 public:
  // Both outlive it.
  MixtureSampler(const Model& model, const WorkspaceMemory& memory);
  ~MixtureSampler();

  // A sample of each of the last `tokens` tokens of `text.before` where the memory has something to say. Of
  // a text that the model's context does not hold, none.
  std::vector<MixtureSample> sample(const CalibrationText& text, int tokens);

 private:
  const Model& model_;
  const WorkspaceMemory& memory_;
  std::unique_ptr<kernels::PagePool> pool_;
  std::unique_ptr<kernels::Workspace> workspace_;
  PrefixTree tree_;
};

// Nats a token, of samples as the weights mix them; of the model alone.
double mean_log_likelihood(std::span<const MixtureSample> samples, const MixtureWeights& weights);
double mean_log_likelihood_of_model(std::span<const MixtureSample> samples);

// The weights of the greatest likelihood, near `start` where the samples do not say (a Gaussian prior around
// it), by gradient ascent (D. P. Kingma, J. Ba, "Adam", arXiv:1412.6980).
MixtureWeights fit_mixture(std::span<const MixtureSample> samples, const MixtureWeights& start);

// Weights that give the memory nothing.
MixtureWeights no_mixture();

}  // namespace hearth::engine
