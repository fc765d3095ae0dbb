#include "lsp/commands/bench_trace.h"

#include <filesystem>

#include "indexer/read_file.h"
#include "lsp/document.h"
#include "lsp/language.h"

namespace hearth::commands {

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

std::string read(const std::string& path) {
  auto text = indexer::read_file(path, kMostBytes);
  if (!text) throw CLI::ValidationError(path, text.error().message);
  return std::move(*text);
}

}  // namespace

void add_trace_options(CLI::App& command, TraceChoice& choice) {
  CLI::Option* trace = command.add_option("--trace", choice.trace, "A file of keystrokes");
  CLI::Option* source =
      command.add_option("--source", choice.source, "A source file that a trace is generated from");
  command.add_option("--seed", choice.generator.seed, "Of the generator");
  command.add_option("--keys", choice.generator.keys, "Keystrokes to generate")->check(CLI::Range(1, 100000));
  command.add_option("--passages", choice.generator.passages, "Places that are typed in")
      ->check(CLI::Range(1, 1000));
  trace->excludes(source);
}

lsp::TypingTrace trace_of(const TraceChoice& choice) {
  if (choice.trace.empty() && choice.source.empty())
    throw CLI::ValidationError("--trace", "a trace or a --source is needed");
  if (!choice.source.empty()) {
    const std::string name = std::filesystem::path(choice.source).filename().string();
    return lsp::generate_trace(name, std::string(lsp::language_of_path(name)), read(choice.source),
                               choice.generator);
  }
  std::string problem;
  auto trace = lsp::read_trace(read(choice.trace), problem);
  if (!trace) throw CLI::ValidationError(choice.trace, problem);
  return *trace;
}

boost::json::value Typist::apply(const lsp::TraceKey& key) {
  const std::size_t begin = key.kind == lsp::KeyKind::kBackspace ? key.cursor : cursor_;
  const std::size_t end = cursor_;
  cursor_ = key.cursor;
  if (key.kind == lsp::KeyKind::kJump) return nullptr;
  const lsp::Document before(path_, language_, 1, text_);
  const lsp::Range range{before.position(begin, lsp::PositionEncoding::kUtf16),
                         before.position(end, lsp::PositionEncoding::kUtf16)};
  text_.replace(begin, end - begin, key.text);
  return boost::json::object{{"range", lsp::to_json(range)}, {"text", key.text}};
}

boost::json::object Typist::position() const {
  const auto at = lsp::Document(path_, language_, 1, text_).position(cursor_, lsp::PositionEncoding::kUtf16);
  return {{"line", at.line}, {"character", at.character}};
}

}  // namespace hearth::commands
