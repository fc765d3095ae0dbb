#include "engine/sha256.h"

#include <cerrno>
#include <fstream>
#include <openssl/evp.h>
#include <system_error>
#include <vector>

namespace hearth::engine {
namespace {

struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Digest = std::unique_ptr<EVP_MD_CTX, DigestDeleter>;

Digest begin_digest() {
  Digest digest(EVP_MD_CTX_new());
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  return digest;
}

std::string end_digest(Digest digest) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(digest.get(), bytes, &size);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  Digest digest = begin_digest();
  EVP_DigestUpdate(digest.get(), bytes.data(), bytes.size());
  return end_digest(std::move(digest));
}

Result<std::string> sha256_of_file(const std::filesystem::path& path, std::stop_token stop) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnreadable,
                 path.string() + ": " + std::generic_category().message(errno)};
  }
  Digest digest = begin_digest();
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    if (stop.stop_requested()) return Error{ErrorCode::kInvalid, path.string() + ": interrupted"};
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    EVP_DigestUpdate(digest.get(), piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return Error{ErrorCode::kUnreadable, path.string() + ": cannot be read to its end"};
  return end_digest(std::move(digest));
}

}  // namespace hearth::engine
