// From what the head answers to the next token: greedy, or temperature with top-p, after a repetition
// penalty. A pure function of the answer but for the generator handed in.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <vector>

#include "engine/job.h"
#include "engine/tokenizer.h"
#include "kernels/device.h"

namespace hearth::engine {

struct SampledToken {
  TokenId token = -1;
  double log_probability = 0;  // under the model's distribution over the allowed tokens
};

// How many of the best tokens the sampler has to be shown.
int candidates_needed(const Sampling& sampling, std::size_t penalised_tokens);

// `penalised` are the ids whose logits HeadAnswer::logits holds (those seen lately), in order.
// nullopt when no token is allowed.
std::optional<SampledToken> sample(const Sampling& sampling, const kernels::HeadAnswer& answer,
                                   std::span<const TokenId> penalised, std::mt19937_64& random);

}  // namespace hearth::engine
