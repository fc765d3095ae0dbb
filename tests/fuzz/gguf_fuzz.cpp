// Any bytes at all as a model file: the reader and the tokenizer made of it either refuse them or work.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "engine/gguf.h"
#include "engine/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::engine;
  const auto file = GgufFile::parse(std::as_bytes(std::span(data, size)), "fuzz.gguf");
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  std::size_t sum = 0;
  for (const GgufTensor& tensor : file->tensors()) {
    for (const std::byte byte : tensor.bytes) sum += static_cast<std::size_t>(byte);
  }
  const auto tokenizer = Tokenizer::from_gguf(*file);
  if (!tokenizer || sum == std::size_t{0} - 1) return 0;
  // The file's own first bytes are as good a text as any.
  const std::string_view text(reinterpret_cast<const char*>(data), size < 256 ? size : 256);
  const auto tokens = (*tokenizer)->encode(text);
  for (const TokenId token : tokens) {
    if (token < 0 || token >= (*tokenizer)->size()) std::abort();
  }
  (*tokenizer)->decode(tokens);
  return 0;
}
