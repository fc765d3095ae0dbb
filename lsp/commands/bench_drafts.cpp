// `hearth bench drafts`: what verifying drafts in blocks saves while a trace is typed.
#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "lsp/commands/bench.h"
#include "lsp/commands/bench_trace.h"
#include "lsp/commands/complete_run.h"
#include "lsp/commands/on_or_off.h"
#include "lsp/completion.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

struct Options {
  BenchOptions common;
  TraceChoice trace;
  int context = 1024;
  bool memory = true;
};

struct Played {
  int answers = 0, generated = 0, drafted = 0, accepted = 0;
  double decode_ms = 0;
  std::vector<std::string> texts;

  // A block gives its accepted drafts and one token more.
  double tokens_a_block() const {
    return generated > accepted ? static_cast<double>(generated) / (generated - accepted) : 0;
  }
};

// Asks after each key that the last answer did not foresee, as an editor does.
Played play(const lsp::TypingTrace& trace, const std::string& model, const Options& options,
            const Context& context, bool drafts) {
  auto runner = CompletionRunner::start(context.models, model, options.common.threads);
  if (!runner) throw std::runtime_error(runner.error().message);
  engine::EngineClient& engine = runner->engine();
  lsp::Settings settings;
  settings.completion_context_tokens = options.context;
  settings.completion_max_tokens = options.common.tokens;
  Played played;
  Typist typist(trace);
  std::string foreseen;  // the text before the cursor as the last answer would have it
  for (const lsp::TraceKey& key : trace.keys) {
    typist.apply(key);
    const std::string before = typist.text().substr(0, typist.cursor());
    if (foreseen.starts_with(before) && foreseen.size() > before.size()) continue;
    lsp::CompletionRequest request;
    request.place = {typist.text(), typist.cursor(), trace.path, trace.language};
    request.priority = engine::Priority::kInvoked;
    request.context_tokens = engine.status().context_tokens;
    engine::Job job = lsp::plan_completion(request, settings).job;
    job.alternatives = 1;
    job.hard_ms.reset();
    job.stop = {.max_tokens = options.common.tokens, .max_lines = 0, .exact = true};
    job.switches.drafts = drafts;
    job.switches.memory = options.memory;
    const engine::Final final = runner->wait_for(engine.submit(std::move(job)));
    if (final.reason == engine::FinishReason::kFailed) throw std::runtime_error(final.error);
    ++played.answers;
    played.generated += final.usage.generated_tokens;
    played.drafted += final.usage.drafted_tokens;
    played.accepted += final.usage.accepted_tokens;
    played.decode_ms += final.timings.decode_ms;
    played.texts.push_back(final.alternatives.at(0).text);
    foreseen = before + played.texts.back();
  }
  return played;
}

int run(const Options& options, const Context& context) {
  const lsp::TypingTrace trace = trace_of(options.trace);
  const std::string model = bench_model(options.common, context);
  const Played without = play(trace, model, options, context, false);
  const Played with = play(trace, model, options, context, true);
  if (with.texts != without.texts) throw std::runtime_error("drafts changed an answer");
  const double gain = without.decode_ms / std::max(with.decode_ms, 1e-9);
  if (options.common.json) {
    std::cout << json::serialize(json::object{{"model", model},
                                              {"answers", with.answers},
                                              {"tokens", with.generated},
                                              {"drafted", with.drafted},
                                              {"accepted", with.accepted},
                                              {"tokens_per_block", with.tokens_a_block()},
                                              {"decode_ms", with.decode_ms},
                                              {"decode_ms_without", without.decode_ms},
                                              {"gain", gain}})
              << '\n';
    return 0;
  }
  std::cout << fmt::format(
      "{} answers of {} tokens: {:.2f} tokens a block, {} of {} drafts accepted; decoding took {:.0f} ms, "
      "{:.0f} ms without drafts: {:.2f} times faster, the same text\n",
      with.answers, options.common.tokens, with.tokens_a_block(), with.accepted, with.drafted, with.decode_ms,
      without.decode_ms, gain);
  return 0;
}

}  // namespace

void add_bench_drafts(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("drafts", "What drafts save while a trace is typed");
  const auto options = std::make_shared<Options>();
  options->common.tokens = 32;
  add_common_options(*command, options->common);
  add_trace_options(*command, options->trace);
  command->add_option("--tokens", options->common.tokens, "Of each answer")->check(CLI::Range(2, 512));
  command->add_option("--context", options->context, "Tokens of the text around the cursor to aim at")
      ->check(CLI::Range(128, 131072));
  command->add_option("--memory", options->memory, "on or off: what was written before is mixed in")
      ->transform(on_or_off());
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
