#include "lsp/engine_watch.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr std::string_view kToken = "hearth/loading";
constexpr int kMessageError = 1, kMessageWarning = 2;  // MessageType

}  // namespace

EngineWatch::EngineWatch(JobRouter& router, Endpoint& endpoint, ProgressSupport progress)
    : router_(router), endpoint_(endpoint), progress_(progress) {}

EngineWatch::~EngineWatch() {
  if (probe_) router_.cancel(*probe_);
}

void EngineWatch::start() {
  if (engine_status().state == "loading") {
    loading_ = true;
    if (progress_ == ProgressSupport::kWorkDone) begin_progress();
    engine::Job probe;
    probe.priority = engine::Priority::kWarm;
    probe_ = router_.submit(std::move(probe), [this](const engine::Final&) {
      probe_.reset();
      loading_ = false;
      refresh();
      end_progress(engine_status().state == "ready" ? "ready" : "failed");
    });
  }
  refresh();
}

void EngineWatch::begin_progress() {
  endpoint_.request(
      "window/workDoneProgress/create", {{"token", kToken}}, [this](const json::value* created) {
        if (!created || !loading_) return;
        began_ = true;
        endpoint_.notify(
            "$/progress",
            {{"token", kToken}, {"value", {{"kind", "begin"}, {"title", "Hearth: loading the model"}}}});
      });
}

void EngineWatch::end_progress(std::string message) {
  if (!std::exchange(began_, false)) return;
  endpoint_.notify("$/progress",
                   {{"token", kToken}, {"value", {{"kind", "end"}, {"message", std::move(message)}}}});
}

json::object EngineWatch::status() const {
  const engine::EngineStatus status = engine_status();
  json::object out{{"state", status.state},          {"model", status.model},
                   {"modelPath", status.model_path}, {"device", status.device},
                   {"threads", status.threads},      {"contextTokens", status.context_tokens}};
  if (!status.error.empty()) out["message"] = status.error;
  if (!problems_.empty()) out["problems"] = json::value_from(problems_);
  return out;
}

json::object EngineWatch::load() const {
  const engine::EngineStatus status = engine_status();
  return {{"jobsRunning", status.jobs_running},
          {"jobsWaiting", status.jobs_waiting},
          {"cacheBytes", status.cache_bytes},
          {"cacheLimitBytes", status.cache_limit_bytes},
          {"prefilledTokens", status.prefilled_tokens},
          {"wokenTokens", status.woken_tokens},
          {"prefillTokensPerS", status.prefill_tokens_per_s},
          {"decodeTokensPerS", status.decode_tokens_per_s}};
}

void EngineWatch::set_problems(std::vector<std::string> problems) {
  for (const std::string& problem : problems) {
    if (std::ranges::find(problems_, problem) == problems_.end()) show(kMessageWarning, problem);
  }
  problems_ = std::move(problems);
}

void EngineWatch::show(int type, std::string_view message) {
  endpoint_.notify("window/showMessage", {{"type", type}, {"message", fmt::format("Hearth: {}", message)}});
}

void EngineWatch::refresh() {
  json::object now = status();
  if (now == told_) return;
  told_ = now;
  endpoint_.notify("hearth/status", now);
  if (now["state"] == "failed" && !std::exchange(complained_, true)) {
    const json::value* message = now.if_contains("message");
    show(kMessageError,
         fmt::format("cannot complete: {}", message ? message->as_string().c_str() : "the engine failed"));
  }
}

}  // namespace hearth::lsp
