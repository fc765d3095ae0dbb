// The engine in this process: one thread owns model, prefix tree and pages; compute threads serve it.
// Jobs arrive by value and run as a batch. The destructor stops at once, but for KV that is to be kept; jobs
// not done yet get no Final.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/engine_client.h"
#include "engine/kv_type.h"
#include "kernels/cpu/cpu_device.h"

namespace hearth::engine {

// What is computed of prompts outlives the engine in a store of the user (stored_kv.h).
struct KvStoreOptions {
  std::filesystem::path file;
  std::uint64_t limit_bytes = 0;
  std::string program;  // which one it is: another may compute otherwise
};

struct LocalEngineOptions {
  std::filesystem::path model;
  int threads = 0;                        // 0: one for each core this process may run on
  std::uint64_t cache_bytes = 256 << 20;  // for KV pages; the oldest unused leave when it is full
  std::uint64_t memory_bytes = 64 << 20;  // for the workspace memory, its texts included
  int context_tokens = 0;                 // 0: the model's own limit, at most 8,192
  KvType kv_type = KvType::kAuto;
  std::optional<kernels::CpuIsa> isa;  // empty: the best of this machine
  std::optional<KvStoreOptions> kv_store;
};

// Returns at once; the model loads on the engine's thread (see EngineStatus::state). Jobs submitted
// meanwhile wait for it; when the model is missing or broken they end as kFailed with the reason.
std::unique_ptr<EngineClient> start_local_engine(LocalEngineOptions options);

}  // namespace hearth::engine
