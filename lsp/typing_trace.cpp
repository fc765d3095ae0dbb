#include "lsp/typing_trace.h"

#include <algorithm>
#include <boost/json.hpp>
#include <random>
#include <sstream>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

const char* const kKindNames[] = {"character", "newline", "backspace", "jump"};

std::size_t code_point_bytes(std::string_view text, std::size_t at) {
  std::size_t n = 1;
  while (at + n < text.size() && (static_cast<unsigned char>(text[at + n]) & 0xC0) == 0x80) ++n;
  return n;
}

// Where passages begin and end in the source, each on whole lines, none touching another.
struct Passage {
  std::size_t begin, end;
};

std::vector<Passage> choose_passages(const std::string& source, const TraceOptions& options) {
  std::vector<std::size_t> starts;
  for (std::size_t i = source.size() / 2; i + 1 < source.size(); ++i) {
    if (source[i] == '\n' && source[i + 1] != '\n') starts.push_back(i + 1);
  }
  std::vector<Passage> passages;
  if (starts.empty()) return passages;
  std::mt19937_64 random(options.seed);
  const std::size_t bytes = static_cast<std::size_t>(options.keys / std::max(1, options.passages));
  for (int tries = 0; tries < 200 && static_cast<int>(passages.size()) < options.passages; ++tries) {
    const std::size_t begin = starts[random() % starts.size()];
    std::size_t end = source.find('\n', std::min(begin + bytes, source.size() - 1));
    if (end == std::string::npos) end = source.size();
    const bool apart =
        std::ranges::all_of(passages, [&](const Passage& p) { return end < p.begin || begin > p.end; });
    if (apart) passages.push_back({begin, end});
  }
  std::ranges::sort(passages, {}, &Passage::begin);
  return passages;
}

// Types one passage into a document whose cursor stands where the passage was.
void type_passage(const std::string& passage, std::size_t cursor, double slips, std::mt19937_64& random,
                  std::vector<TraceKey>& keys) {
  std::uniform_real_distribution<double> share(0, 1);
  for (std::size_t at = 0; at < passage.size();) {
    std::size_t n = code_point_bytes(passage, at);
    KeyKind kind = KeyKind::kCharacter;
    if (passage[at] == '\n') {
      kind = KeyKind::kNewline;
      while (at + n < passage.size() && (passage[at + n] == ' ' || passage[at + n] == '\t')) ++n;
    } else if (share(random) < slips) {
      const std::string wrong(1, static_cast<char>('a' + random() % 26));
      keys.push_back({KeyKind::kCharacter, wrong, cursor + at + 1, {}});
      keys.push_back({KeyKind::kBackspace, {}, cursor + at, passage.substr(at)});
    }
    keys.push_back({kind, passage.substr(at, n), cursor + at + n, passage.substr(at + n)});
    at += n;
  }
}

}  // namespace

const char* name(KeyKind kind) { return kKindNames[static_cast<int>(kind)]; }

TypingTrace generate_trace(std::string path, std::string language, const std::string& source,
                           const TraceOptions& options) {
  TypingTrace trace{std::move(path), std::move(language), source, {}};
  auto passages = choose_passages(source, options);
  for (auto p = passages.rbegin(); p != passages.rend(); ++p) trace.text.erase(p->begin, p->end - p->begin);
  std::mt19937_64 random(options.seed + 1);
  // In the order of the file: what was typed before stands before what comes.
  for (const Passage& p : passages) {
    trace.keys.push_back({KeyKind::kJump, {}, p.begin, source.substr(p.begin, p.end - p.begin)});
    type_passage(source.substr(p.begin, p.end - p.begin), p.begin, options.slips, random, trace.keys);
  }
  if (static_cast<int>(trace.keys.size()) > options.keys) trace.keys.resize(options.keys);
  return trace;
}

std::string write_trace(const TypingTrace& trace) {
  std::string out =
      json::serialize(json::object{{"path", trace.path}, {"language", trace.language}, {"text", trace.text}});
  for (const TraceKey& key : trace.keys) {
    out += '\n' +
           json::serialize(json::object{
               {"key", name(key.kind)}, {"text", key.text}, {"cursor", key.cursor}, {"ahead", key.ahead}});
  }
  return out + '\n';
}

std::optional<TypingTrace> read_trace(const std::string& text, std::string& problem) {
  TypingTrace trace;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    const json::object* object = error ? nullptr : value.if_object();
    const auto string_at = [&](const char* name, std::string& out) {
      const json::value* member = object == nullptr ? nullptr : object->if_contains(name);
      if (member == nullptr || !member->is_string()) {
        if (problem.empty()) problem = "line " + std::to_string(number) + ": no text at \"" + name + '"';
        return;
      }
      out = std::string(member->as_string());
    };
    if (number == 1) {
      string_at("path", trace.path);
      string_at("language", trace.language);
      string_at("text", trace.text);
    } else {
      TraceKey key;
      std::string kind;
      string_at("key", kind);
      string_at("text", key.text);
      string_at("ahead", key.ahead);
      const auto named = std::ranges::find(kKindNames, kind);
      const json::value* cursor = object == nullptr ? nullptr : object->if_contains("cursor");
      if (named == std::end(kKindNames) || cursor == nullptr || !cursor->is_number()) {
        if (problem.empty()) problem = "line " + std::to_string(number) + ": no such key or no cursor";
        return std::nullopt;
      }
      key.kind = static_cast<KeyKind>(named - std::begin(kKindNames));
      key.cursor = cursor->to_number<std::size_t>();
      trace.keys.push_back(std::move(key));
    }
    if (!problem.empty()) return std::nullopt;
  }
  if (trace.text.empty()) problem = "the trace is empty";
  return problem.empty() ? std::optional(std::move(trace)) : std::nullopt;
}

}  // namespace hearth::lsp
