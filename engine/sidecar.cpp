#include "engine/sidecar.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/gguf_writer.h"

namespace hearth::engine {

namespace {

constexpr const char* kModelBytes = "hearth.model.bytes";
constexpr const char* kMixture = "hearth.memory.mixture";

Result<std::uint64_t> bytes_of(const std::filesystem::path& model) {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(model, failure);
  if (failure) return Error{ErrorCode::kUnreadable, model.string() + ": " + failure.message()};
  return bytes;
}

}  // namespace

std::filesystem::path sidecar_path(const std::filesystem::path& model) {
  return std::filesystem::path(model).replace_extension(".gsm");
}

Result<std::optional<Sidecar>> read_sidecar(const std::filesystem::path& model) {
  const auto path = sidecar_path(model);
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return std::optional<Sidecar>{};
  const auto file = GgufFile::open(path);
  if (!file) return file.error();
  const auto of = file->unsigned_at(kModelBytes);
  if (!of) return of.error();
  const auto bytes = bytes_of(model);
  if (!bytes) return bytes.error();
  if (*of != *bytes) {
    return Error{ErrorCode::kMismatch, path.string() + ": " + kModelBytes + " is " + std::to_string(*of) +
                                           ", but " + model.string() + " has " + std::to_string(*bytes)};
  }
  const GgufValue* value = file->find(kMixture);
  const auto* weights = value == nullptr ? nullptr : std::get_if<std::vector<double>>(value);
  const auto finite = [](double weight) { return std::isfinite(weight); };
  if (weights == nullptr || weights->size() != kMixtureFigures || !std::ranges::all_of(*weights, finite)) {
    return Error{ErrorCode::kInvalid,
                 path.string() + ": " + kMixture + " is not " + std::to_string(kMixtureFigures) + " numbers"};
  }
  Sidecar sidecar;
  std::ranges::copy(*weights, sidecar.mixture.begin());
  return std::optional(sidecar);
}

Result<void> write_sidecar(const std::filesystem::path& model, const Sidecar& sidecar) {
  const auto bytes = bytes_of(model);
  if (!bytes) return bytes.error();
  const GgufMetadata metadata = {
      {"general.architecture", std::string("hearth-sidecar")},
      {kModelBytes, std::uint64_t{*bytes}},
      {kMixture, std::vector<double>(sidecar.mixture.begin(), sidecar.mixture.end())}};
  auto writer = GgufWriter::create(sidecar_path(model), metadata, {});
  if (!writer) return writer.error();
  return writer->finish();
}

}  // namespace hearth::engine
