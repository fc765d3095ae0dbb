// A typing trace as an option of the benches that play one, and the document as it is typed.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <string>

#include "lsp/typing_trace.h"

namespace hearth::commands {

struct TraceChoice {
  std::string trace, source;
  lsp::TraceOptions generator;
};

// Adds --trace, --source, --seed, --keys and --passages.
void add_trace_options(CLI::App& command, TraceChoice& choice);

// Throws CLI::ValidationError, which names the option or the file.
lsp::TypingTrace trace_of(const TraceChoice& choice);

// The document as the trace leaves it after each key.
class Typist {
 public:
  explicit Typist(const lsp::TypingTrace& trace)
      : path_(trace.path), language_(trace.language), text_(trace.text) {}

  // Applies the key; the change is an LSP content change event, null for a jump.
  boost::json::value apply(const lsp::TraceKey& key);

  boost::json::object position() const;
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }

 private:
  std::string path_, language_, text_;
  std::size_t cursor_ = 0;
};

}  // namespace hearth::commands
