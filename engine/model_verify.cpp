#include "engine/model_verify.h"

#include <algorithm>
#include <iterator>

#include "engine/lora_adapter.h"
#include "engine/sha256.h"
#include "engine/vocabulary_faults.h"
#include "kernels/quantize.h"

namespace hearth::engine {
namespace {

bool is_adapter(const GgufFile& file) {
  const auto type = file.string_at("general.type");
  return type && *type == "adapter";
}

std::vector<Error> value_faults(const GgufFile& file, kernels::ThreadPool& threads, std::stop_token stop) {
  const std::vector<GgufTensor>& tensors = file.tensors();
  std::vector<std::optional<std::size_t>> where(tensors.size());
  threads.run([&](int index, int parts) {
    for (std::size_t i = static_cast<std::size_t>(index); i < tensors.size() && !stop.stop_requested();
         i += static_cast<std::size_t>(parts)) {
      if (tensors[i].weight_type && tensors[i].shape.size() <= 2) {
        where[i] = kernels::find_non_finite(matrix_view(tensors[i]));
      }
    }
  });
  std::vector<Error> faults;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!where[i]) continue;
    faults.push_back(
        {ErrorCode::kMalformed, file.name() + ": tensor " + tensors[i].name + ": NaN or infinity at row " +
                                    std::to_string(*where[i] / tensors[i].shape[0]) + ", element " +
                                    std::to_string(*where[i] % tensors[i].shape[0])});
  }
  return faults;
}

void append(std::vector<Error>& to, std::vector<Error> from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

ModelReport verify_model(const std::filesystem::path& path, kernels::ThreadPool& threads,
                         std::stop_token stop) {
  ModelReport report;
  if (auto sha256 = sha256_of_file(path, stop)) {
    report.sha256 = *sha256;
  } else {
    report.faults.push_back(sha256.error());
    return report;
  }
  const auto file = GgufFile::open(path);
  if (!file) {
    report.faults.push_back(file.error());
    return report;
  }
  if (is_adapter(*file)) {
    if (auto adapter = read_lora_adapter(*file); !adapter) report.faults.push_back(adapter.error());
    return report;
  }
  if (auto description = describe_metadata(*file)) {
    append(report.faults, tensor_faults(*file, *description));
    report.description = std::move(*description);
  } else {
    report.faults.push_back(description.error());
  }
  append(report.faults, value_faults(*file, threads, stop));
  append(report.faults, vocabulary_faults(*file));
  return report;
}

}  // namespace hearth::engine
