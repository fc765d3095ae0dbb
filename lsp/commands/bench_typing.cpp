// `hearth bench typing`: a trace of keystrokes through the real server process over stdio, and, with
// --against, through llama-server in the same run.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <thread>

#include "lsp/commands/bench.h"
#include "lsp/commands/bench_rival.h"
#include "lsp/commands/bench_trace.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;
using lsp::KeyKind;
using lsp::TraceKey;
using lsp::TypingTrace;

constexpr int kNewTokens = 16;
constexpr int kFewTokens = 4;  // prefilled again: nothing but the next key
constexpr int kNoDeadlineMs = 60'000;
constexpr int kRestMs = 1500;  // after opening and after a jump: somebody looks before typing
const std::string kUri = "file:///bench/";

struct Options {
  BenchOptions common;
  TraceChoice trace;
  std::string write_trace;
  int context = 0;
  bool lines = false;
  std::vector<std::string> against;  // "llama-server", its path, further arguments
};

struct KeyAnswer {
  int key = 0;  // its number in the trace
  KeyKind kind = KeyKind::kCharacter;
  int prefilled = 0;
  double ms = 0;
};

// What one run of the trace showed.
struct Score {
  std::vector<double> ms, first_token_ms, jump_ms;
  std::vector<double> typed_through_ms, next_key_ms;  // the second: few tokens were prefilled
  std::vector<double> prefilled_character, prefilled_newline, prefilled_jump;
  int keystrokes = 0, engine_answers = 0, typed_through = 0, empty = 0;
  int generated = 0, drafted = 0, accepted = 0;
  std::size_t typed_bytes = 0, saved_bytes = 0;
  std::vector<double> prompt_tokens;
  std::vector<KeyAnswer> slowest;  // the slowest first
  double start_to_first_ms = 0;
};

// Counts what a suggestion would have saved: its first line must be what comes next, and costs one key to
// accept.
class Savings {
 public:
  void key(const TraceKey& key, Score& score) {
    if (key.ahead.empty() || key.kind == KeyKind::kJump) covered_ = 0;
    if (key.kind == KeyKind::kBackspace || key.kind == KeyKind::kJump) return;
    score.typed_bytes += key.text.size();
    covered_ -= std::min(covered_, key.text.size());
  }
  void suggestion(const std::string& suggested, const TraceKey& key, Score& score) {
    const std::string text = suggested.substr(0, suggested.find('\n'));
    if (text.empty() || covered_ > 0 || !key.ahead.starts_with(text)) return;
    covered_ = text.size();
    score.saved_bytes += text.size() - 1;
  }

 private:
  std::size_t covered_ = 0;  // bytes to come that were saved already
};

std::vector<double>& prefilled_by(KeyKind kind, Score& score) {
  if (kind == KeyKind::kNewline) return score.prefilled_newline;
  return kind == KeyKind::kJump ? score.prefilled_jump : score.prefilled_character;
}

void keep_slowest(std::vector<KeyAnswer>& slowest, const KeyAnswer& answer) {
  constexpr std::size_t kKept = 5;
  slowest.insert(std::upper_bound(slowest.begin(), slowest.end(), answer,
                                  [](const KeyAnswer& a, const KeyAnswer& b) { return a.ms > b.ms; }),
                 answer);
  if (slowest.size() > kKept) slowest.pop_back();
}

Score play(const TypingTrace& trace, const std::string& model, int threads, const Options& asked) {
  Score score;
  Savings savings;
  const auto spawned = std::chrono::steady_clock::now();
  json::object options{{"triggerKinds", "3.18"}, {"reportAnswers", true}};
  if (asked.lines) {
    options["completion.softMs"] = kNoDeadlineMs;
    options["completion.hardMs"] = kNoDeadlineMs;
  } else {
    options["exactTokens"] = kNewTokens;
    options["completion.minConfidence"] = 0;  // a rival hides nothing
  }
  if (asked.context > 0) {
    options["completion.contextTokens"] = asked.context;
    options["completion.maxTokens"] = kNewTokens;
  }
  BenchServer server(model, threads, std::move(options));
  const std::string uri = kUri + trace.path;
  std::int64_t version = 1;
  Typist typist(trace);
  server.notify(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", uri}, {"languageId", trace.language}, {"version", version}, {"text", trace.text}}}});
  for (const TraceKey& key : trace.keys) {
    const json::value change = typist.apply(key);
    const bool first = score.keystrokes == 0;
    const bool jumps = key.kind == KeyKind::kJump && !first;
    if (jumps)
      server.notify("hearth/didFocus", {{"textDocument", {{"uri", uri}}}, {"position", typist.position()}});
    if (jumps || score.keystrokes == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(kRestMs));  // the pause is what is simulated
    savings.key(key, score);
    ++score.keystrokes;
    const auto start = std::chrono::steady_clock::now();
    if (!change.is_null()) {
      server.notify("textDocument/didChange",
                    {{"textDocument", {{"uri", uri}, {"version", ++version}}}, {"contentChanges", {change}}});
    }
    const json::value result = server.result_of(
        server.request("textDocument/inlineCompletion", {{"textDocument", {{"uri", uri}}},
                                                         {"position", typist.position()},
                                                         {"context", {{"triggerKind", 2}}}}));
    const double ms = milliseconds_since(start);
    if (first) score.start_to_first_ms = milliseconds_since(spawned);
    const json::value report = server.notification("hearth/answer");
    const auto& items = result.is_object() ? result.at("items").as_array() : json::array();
    const std::string text = items.empty() ? "" : std::string(items[0].at("insertText").as_string());
    savings.suggestion(text, key, score);
    if (report.at("source") == "typedThrough") {
      ++score.typed_through;
      score.typed_through_ms.push_back(ms);
    }
    if (report.at("source") != "engine") continue;
    ++score.engine_answers;
    if (text.empty()) ++score.empty;
    const auto usage = [&](const char* name) { return report.at("usage").at(name).to_number<int>(); };
    score.generated += usage("generatedTokens");
    score.drafted += usage("draftedTokens");
    score.accepted += usage("acceptedTokens");
    score.prompt_tokens.push_back(usage("promptTokens"));
    if (first) continue;  // a cold start has a figure of its own
    const int prefilled = usage("promptTokens") - usage("cachedTokens");
    prefilled_by(key.kind, score).push_back(prefilled);
    keep_slowest(score.slowest, {score.keystrokes, key.kind, prefilled, ms});
    if (key.kind == KeyKind::kJump) score.jump_ms.push_back(ms);
    score.ms.push_back(ms);
    if (prefilled <= kFewTokens) score.next_key_ms.push_back(ms);
    score.first_token_ms.push_back(report.at("timings").at("firstTokenMs").to_number<double>());
  }
  return score;
}

// The same documents for llama-server. Its prefix begins where it did at the last jump, so that its cache
// serves it as well as can be.
Score play_rival(const TypingTrace& trace, const std::string& model, int threads,
                 const std::vector<std::string>& against, const Score& ours) {
  constexpr std::size_t kBytesPerToken = 3;
  Score score;
  Savings savings;
  Typist typist(trace);
  LlamaServer server(against[1], model, threads, {against.begin() + 2, against.end()});
  const auto context = static_cast<std::size_t>(percentile(ours.prompt_tokens, 0.5)) * kBytesPerToken;
  std::size_t anchor = 0;
  for (const TraceKey& key : trace.keys) {
    typist.apply(key);
    savings.key(key, score);
    const std::size_t cursor = typist.cursor();
    if (key.kind == KeyKind::kJump) anchor = cursor > context * 3 / 4 ? cursor - context * 3 / 4 : 0;
    const bool first = score.keystrokes++ == 0;
    const std::string prefix = typist.text().substr(anchor, cursor - anchor);
    const RivalAnswer answer = server.infill(prefix, typist.text().substr(cursor, context / 4), kNewTokens);
    savings.suggestion(answer.text, key, score);
    if (first) continue;
    ++score.engine_answers;
    score.ms.push_back(answer.ms);
    if (key.kind == KeyKind::kJump) score.jump_ms.push_back(answer.ms);
    prefilled_by(key.kind, score).push_back(answer.prefilled);
  }
  return score;
}

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

json::object as_json(const Score& score, const std::string& model) {
  return {{"model", model},
          {"cpu", cpu_name()},
          {"isa", isa_name()},
          {"keystrokes", score.keystrokes},
          {"engine_answers", score.engine_answers},
          {"typed_through", score.typed_through},
          {"empty", score.empty},
          {"tokens_per_answer", share(score.generated, score.engine_answers)},
          {"p50_ms", percentile(score.ms, 0.5)},
          {"p95_ms", percentile(score.ms, 0.95)},
          {"typed_through_p50_ms", percentile(score.typed_through_ms, 0.5)},
          {"next_key_p50_ms", percentile(score.next_key_ms, 0.5)},
          {"ttft_p50_ms", percentile(score.first_token_ms, 0.5)},
          {"reprefill_median", percentile(score.prefilled_character, 0.5)},
          {"reprefill_p95", percentile(score.prefilled_character, 0.95)},
          {"draft_acceptance", share(score.accepted, score.drafted)},
          {"chars_saved_share",
           share(static_cast<double>(score.saved_bytes), static_cast<double>(score.typed_bytes))},
          {"start_to_first_ms", score.start_to_first_ms},
          {"prompt_tokens_median", percentile(score.prompt_tokens, 0.5)},
          {"reprefill_newline_p95", percentile(score.prefilled_newline, 0.95)},
          {"reprefill_jump_p95", percentile(score.prefilled_jump, 0.95)},
          {"jump_p50_ms", percentile(score.jump_ms, 0.5)}};
}

std::string table_row(const char* name, const Score& score) {
  return fmt::format(
      "{:<14}{:>9.1f}{:>9.1f}{:>10.1f}{:>11.0f}{:>8.0f}{:>11.1f} %\n", name, percentile(score.ms, 0.5),
      percentile(score.ms, 0.95), percentile(score.jump_ms, 0.5), percentile(score.prefilled_character, 0.5),
      percentile(score.prefilled_character, 0.95),
      100 * share(static_cast<double>(score.saved_bytes), static_cast<double>(score.typed_bytes)));
}

std::string slowest_lines(const std::vector<KeyAnswer>& slowest) {
  std::string lines;
  for (const KeyAnswer& answer : slowest) {
    lines += fmt::format("  {:.0f} ms at key {}, a {}: {} tokens prefilled\n", answer.ms, answer.key,
                         lsp::name(answer.kind), answer.prefilled);
  }
  return lines;
}

int run(const Options& options, const Context& context) {
  const TypingTrace trace = trace_of(options.trace);
  if (!options.write_trace.empty()) {
    std::ofstream(options.write_trace, std::ios::binary) << lsp::write_trace(trace);
    return 0;
  }
  const std::string model = bench_model(options.common, context);
  const int threads = thread_count(options.common);
  const Score ours = play(trace, model, threads, options);
  json::object out = as_json(ours, model);
  std::string table =
      fmt::format("{} keys, {} new tokens each, {:.0f} tokens of context, {} threads, {}\n", ours.keystrokes,
                  kNewTokens, percentile(ours.prompt_tokens, 0.5), threads, cpu_name());
  table += fmt::format("{:<14}{:>9}{:>9}{:>10}{:>11}{:>8}{:>13}\n", "", "p50 ms", "p95 ms", "jump p50",
                       "prefilled", "p95", "chars saved");
  table += table_row("hearth", ours);
  if (!options.against.empty()) {
    const Score theirs = play_rival(trace, model, threads, options.against, ours);
    table += table_row(options.against[0].c_str(), theirs);
    out["against"] = json::object{{"name", options.against[0]},
                                  {"p50_ms", percentile(theirs.ms, 0.5)},
                                  {"p95_ms", percentile(theirs.ms, 0.95)},
                                  {"reprefill_median", percentile(theirs.prefilled_character, 0.5)},
                                  {"chars_saved_share", share(static_cast<double>(theirs.saved_bytes),
                                                              static_cast<double>(theirs.typed_bytes))},
                                  {"ratio_p50", percentile(theirs.ms, 0.5) / percentile(ours.ms, 0.5)},
                                  {"ratio_p95", percentile(theirs.ms, 0.95) / percentile(ours.ms, 0.95)}};
  }
  if (options.common.json) {
    std::cout << json::serialize(out) << '\n';
    return 0;
  }
  std::cout
      << table
      << fmt::format(
             "first completion {:.0f} ms after the start; {} answers of the engine, {} typed through, {} "
             "empty; {:.0f} % of drafts accepted\n",
             ours.start_to_first_ms, ours.engine_answers, ours.typed_through, ours.empty,
             100 * share(ours.accepted, ours.drafted))
      << histogram(ours.ms, "ms") << "the slowest:\n"
      << slowest_lines(ours.slowest);
  return 0;
}

}  // namespace

void add_bench_typing(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("typing", "A person typing, through the real server");
  const auto options = std::make_shared<Options>();
  add_common_options(*command, options->common);
  add_trace_options(*command, options->trace);
  command->add_option("--context", options->context, "Tokens of context to aim at (completion.contextTokens)")
      ->check(CLI::Range(128, 131072));
  command->add_flag("--lines", options->lines,
                    "Each answer to its end, as in an editor but without deadlines, not to 16 tokens");
  command->add_option("--write-trace", options->write_trace, "Write the trace there and measure nothing");
  command
      ->add_option("--against", options->against,
                   "A rival's name (llama-server), its program's path, and more arguments for it")
      ->expected(2, 16);
  command->callback(bench_callback(context, [options, &context] {
    if (!options->against.empty() && options->against[0] != "llama-server") {
      throw CLI::ValidationError("--against",
                                 options->against[0] + " is no rival known here; llama-server is");
    }
    return run(*options, context);
  }));
}

}  // namespace hearth::commands
