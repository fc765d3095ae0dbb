#include "engine/sidecar.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine/gguf_writer.h"
#include "engine/sha256.h"

namespace hearth::engine {

namespace {

constexpr const char* kModelBytes = "hearth.model.bytes";
constexpr const char* kModelEnds = "hearth.model.ends_sha256";
constexpr const char* kMixture = "hearth.memory.mixture";
constexpr std::uint64_t kEndBytes = 64 << 10;

struct Identity {
  std::uint64_t bytes = 0;
  std::string ends;  // digest of the first and the last kEndBytes
};

Result<Identity> identity_of(const std::filesystem::path& model) {
  std::ifstream file(model, std::ios::binary | std::ios::ate);
  Identity identity{static_cast<std::uint64_t>(file ? std::streamoff(file.tellg()) : 0), {}};
  const std::uint64_t n = std::min(identity.bytes, kEndBytes);
  std::string ends(2 * n, '\0');
  file.seekg(0).read(ends.data(), static_cast<std::streamsize>(n));
  file.seekg(static_cast<std::streamoff>(identity.bytes - n))
      .read(ends.data() + n, static_cast<std::streamsize>(n));
  if (!file) return Error{ErrorCode::kUnreadable, model.string() + ": cannot be read"};
  identity.ends = sha256(std::as_bytes(std::span(ends)));
  return identity;
}

Error mismatch(const std::filesystem::path& path, const char* field, const std::string& value,
               const std::filesystem::path& model, const std::string& models) {
  return {ErrorCode::kMismatch, path.string() + ": " + field + " is " + value + ", but of " + model.string() +
                                    " it is " + models + "; `hearth model calibrate` writes another"};
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
  const auto bytes = file->unsigned_at(kModelBytes);
  if (!bytes) return bytes.error();
  const auto ends = file->string_at(kModelEnds);
  if (!ends) return ends.error();
  const auto identity = identity_of(model);
  if (!identity) return identity.error();
  if (*bytes != identity->bytes)
    return mismatch(path, kModelBytes, std::to_string(*bytes), model, std::to_string(identity->bytes));
  if (*ends != identity->ends) return mismatch(path, kModelEnds, std::string(*ends), model, identity->ends);
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
  const auto identity = identity_of(model);
  if (!identity) return identity.error();
  const GgufMetadata metadata = {
      {"general.architecture", std::string("hearth-sidecar")},
      {kModelBytes, identity->bytes},
      {kModelEnds, identity->ends},
      {kMixture, std::vector<double>(sidecar.mixture.begin(), sidecar.mixture.end())}};
  auto writer = GgufWriter::create(sidecar_path(model), metadata, {});
  if (!writer) return writer.error();
  return writer->finish();
}

}  // namespace hearth::engine
