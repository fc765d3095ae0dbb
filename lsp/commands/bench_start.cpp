// `hearth bench start`: files of an indexed workspace opened in the real server process, and how the first
// keys in them are answered; then everything is started anew and does it again.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <random>
#include <thread>

#include "lsp/commands/bench.h"
#include "lsp/commands/workspace.h"
#include "lsp/indexed_memory.h"
#include "lsp/uri.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::chrono::seconds kLook(1);  // after opening, and between the keys
constexpr std::uint64_t kLeastBytes = 6'000, kMostBytes = 200'000;
constexpr std::size_t kLeastRest = 8;  // bytes of a line that are still to be typed
constexpr std::string_view kUnlikely = "q";

struct Options {
  BenchOptions common;
  std::string folder;
  int files = 20;
  unsigned seed = 1;
};

// A file with a line half written, and what will be typed there.
struct Place {
  std::string uri, language, text;
  int line = 0, character = 0;  // bytes: the line is ASCII
  std::string rest;             // of the line as it was
};

// The user's cache folder, for this process and its children, is one of their own while this lives.
class OwnCacheFolder {
 public:
  OwnCacheFolder() {
    std::string name = (fs::temp_directory_path() / "hearth-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
  }
  ~OwnCacheFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  OwnCacheFolder(const OwnCacheFolder&) = delete;
  OwnCacheFolder& operator=(const OwnCacheFolder&) = delete;

 private:
  fs::path path_;
};

std::optional<Place> place_in(const lsp::IndexedFile& file, std::mt19937& random) {
  const auto text = lsp::text_to_remember(file);
  if (!text) return std::nullopt;
  struct Line {
    int number;
    std::size_t begin, cut, end;
  };
  std::vector<Line> lines;
  int number = 0;
  for (std::size_t begin = 0; begin < text->size(); ++number) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const std::size_t first = text->find_first_not_of(" \t", begin);
    const std::size_t cut = first + 2;
    const auto is_plain = [](char c) { return c == '\t' || (c >= ' ' && c < '\x7f'); };
    if (begin > text->size() / 2 && cut + kLeastRest <= end &&
        std::all_of(text->begin() + static_cast<std::ptrdiff_t>(begin),
                    text->begin() + static_cast<std::ptrdiff_t>(end), is_plain)) {
      lines.push_back({number, begin, cut, end});
    }
    begin = end + 1;
  }
  if (lines.empty()) return std::nullopt;
  const Line& line = lines[random() % lines.size()];
  Place place;
  place.uri = lsp::canonical_uri("file://" + file.name());
  place.line = line.number;
  place.character = static_cast<int>(line.cut - line.begin);
  place.rest = text->substr(line.cut, line.end - line.cut);
  place.text = *text;
  place.text.erase(line.cut, line.end - line.cut);
  return place;
}

std::vector<Place> choose_places(const Options& options) {
  Workspaces workspaces({.folder = options.folder});
  const auto fail = [&](const auto& error) { throw std::runtime_error(error.message); };
  if (const auto prepared = workspaces.prepare(); !prepared) fail(prepared.error());
  const fs::path root = fs::canonical(options.folder);
  indexer::WorkspaceView* const view = workspaces.view(root);
  if (view == nullptr) throw std::runtime_error(options.folder + ": not indexed");
  struct Candidate {
    lsp::IndexedFile file;
    std::string language;
  };
  std::vector<Candidate> files;
  const auto read = view->reader().each_file([&](const cache::FileRow& row) {
    if (row.left_out.empty() && !row.language.empty() && row.size >= kLeastBytes && row.size <= kMostBytes)
      files.push_back({{root, row.path, row.size, row.hash, row.mtime_ns}, row.language});
    return true;
  });
  if (!read) fail(read.error());
  std::mt19937 random(options.seed);
  std::ranges::shuffle(files, random);
  std::vector<Place> places;
  for (const Candidate& candidate : files) {
    if (places.size() == static_cast<std::size_t>(options.files)) break;
    auto place = place_in(candidate.file, random);
    if (!place) continue;
    place->language = candidate.language;
    places.push_back(std::move(*place));
  }
  if (places.empty()) {
    throw std::runtime_error(
        fmt::format("{}: no indexed file of {} to {} bytes", options.folder, kLeastBytes, kMostBytes));
  }
  return places;
}

struct Answered {
  std::vector<double> ms, prompt_tokens;
  int by_engine = 0;    // others say nothing here
  std::string slowest;  // the URI of its file

  void add(const std::string& uri, double took_ms, double tokens) {
    ++by_engine;
    if (took_ms > percentile(ms, 1)) slowest = uri;
    ms.push_back(took_ms);
    prompt_tokens.push_back(tokens);
  }
};

// What came after a suggestion that was taken a second after it was shown.
struct Accepted {
  std::vector<double> ms;
  int at_once = 0;  // without the engine
};

// What one start of everything showed.
struct Run {
  Answered first, second;
  Accepted accepted;
  std::vector<double> prefilled_share;  // of each file's last prompt, since it was opened
  std::vector<std::string> answers;     // to the last prompts
};

class Editor {
 public:
  Editor(const std::string& model, int threads, const std::string& folder)
      : server_(model, threads, {{"triggerKinds", "3.18"}, {"reportAnswers", true}}, folder) {
    while (server_.notification("hearth/status").at("state") != "ready") {
    }
  }

  void open(const Place& place) {
    place_ = &place;
    typed_.clear();
    server_.notify(
        "textDocument/didOpen",
        {{"textDocument",
          {{"uri", place.uri}, {"languageId", place.language}, {"version", 1}, {"text", place.text}}}});
    server_.notify("hearth/didFocus", {{"textDocument", {{"uri", place.uri}}}, {"position", position()}});
  }

  void close() { server_.notify("textDocument/didClose", {{"textDocument", {{"uri", place_->uri}}}}); }

  // Presses a key; returns what is suggested.
  std::string press(std::string_view key, Answered& answered) {
    const auto start = std::chrono::steady_clock::now();
    replace_typed(typed_ + std::string(key));
    const std::string text = suggestion(kAutomatic);
    const double ms = milliseconds_since(start);
    if (report_.at("source") != "engine") return text;
    answered.add(place_->uri, ms, usage("promptTokens"));
    return text;
  }

  // Takes what is suggested.
  void accept(const std::string& suggestion_text, Accepted& accepted) {
    const auto start = std::chrono::steady_clock::now();
    replace_typed(typed_ + suggestion_text);
    suggestion(kAutomatic);
    accepted.ms.push_back(milliseconds_since(start));
    if (report_.at("source") == "typedThrough") ++accepted.at_once;
  }

  // What is suggested after `typed`, asked by hand.
  std::string answer_after(const std::string& typed) {
    replace_typed(typed);
    return suggestion(kByHand);
  }

  double usage(const char* name) const { return report_.at("usage").at(name).to_number<double>(); }

  // By the engine since it started.
  double prefilled() { return engine_status("prefilledTokens"); }

  // Somebody looks until all is read.
  void wait_until_idle() {
    while (engine_status("jobsRunning") + engine_status("jobsWaiting") > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

 private:
  static constexpr int kByHand = 1, kAutomatic = 2;  // InlineCompletionTriggerKind

  double engine_status(const char* name) {
    const json::value status = server_.result_of(server_.request("hearth/status", {}));
    return status.at("engine").at(name).to_number<double>();
  }

  json::object position() const {
    return {{"line", place_->line}, {"character", place_->character + static_cast<int>(typed_.size())}};
  }

  void replace_typed(const std::string& typed) {
    const json::object start{{"line", place_->line}, {"character", place_->character}};
    const json::value change{{"range", {{"start", start}, {"end", position()}}}, {"text", typed}};
    server_.notify("textDocument/didChange", {{"textDocument", {{"uri", place_->uri}, {"version", nullptr}}},
                                              {"contentChanges", json::array{change}}});
    typed_ = typed;
  }

  std::string suggestion(int trigger) {
    const json::value result = server_.result_of(
        server_.request("textDocument/inlineCompletion", {{"textDocument", {{"uri", place_->uri}}},
                                                          {"position", position()},
                                                          {"context", {{"triggerKind", trigger}}}}));
    report_ = server_.notification("hearth/answer");
    if (!result.is_object() || result.at("items").as_array().empty()) return {};
    return std::string(result.at("items").at(0).at("insertText").as_string());
  }

  BenchServer server_;
  const Place* place_ = nullptr;
  std::string typed_;
  json::value report_;
};

Run play(const std::vector<Place>& places, const std::string& model, int threads, const Options& options) {
  Run run;
  Editor editor(model, threads, fs::canonical(options.folder));
  for (const Place& place : places) {
    const double before = editor.prefilled();
    editor.open(place);
    std::this_thread::sleep_for(kLook);  // the pause is what is simulated
    const std::string suggested = editor.press(place.rest.substr(0, 1), run.first);
    std::this_thread::sleep_for(kLook);
    // Not what was suggested: that would be remembered.
    const std::string next = place.rest.substr(1, 1);
    const std::string then = editor.press(suggested.starts_with(next) ? kUnlikely : next, run.second);
    std::this_thread::sleep_for(kLook);
    if (!then.empty() && then.find('\n') == std::string::npos) editor.accept(then, run.accepted);
    editor.wait_until_idle();
    run.answers.push_back(editor.answer_after(place.rest.substr(0, 3)));
    run.prefilled_share.push_back((editor.prefilled() - before) /
                                  std::max(editor.usage("promptTokens"), 1.0));
    editor.close();
  }
  return run;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

json::object as_json(const Answered& key) {
  return {{"engine_answers", key.by_engine},
          {"p50_ms", percentile(key.ms, 0.5)},
          {"p95_ms", percentile(key.ms, 0.95)},
          {"most_ms", percentile(key.ms, 1)},
          {"slowest", key.slowest},
          {"prompt_tokens_median", percentile(key.prompt_tokens, 0.5)},
          {"prompt_tokens_least", percentile(key.prompt_tokens, 0)}};
}

json::object as_json(const Run& run) {
  return {{"first", as_json(run.first)},
          {"second", as_json(run.second)},
          {"accepted",
           {{"answers", run.accepted.ms.size()},
            {"at_once", run.accepted.at_once},
            {"p50_ms", percentile(run.accepted.ms, 0.5)},
            {"p95_ms", percentile(run.accepted.ms, 0.95)}}},
          {"prefilled_share", mean(run.prefilled_share)},
          {"prefilled_share_most", percentile(run.prefilled_share, 1)}};
}

std::string table_row(const char* start, const char* key, const Answered& answered) {
  return fmt::format("{:<10}{:<12}{:>8}{:>9.0f}{:>9.0f}{:>11.0f}{:>9.0f}{:>9.0f}  {}\n", start, key,
                     answered.by_engine, percentile(answered.ms, 0.5), percentile(answered.ms, 0.95),
                     percentile(answered.prompt_tokens, 0.5), percentile(answered.prompt_tokens, 0),
                     percentile(answered.ms, 1), answered.slowest);
}

std::string table_rows(const char* start, const Run& run) {
  return table_row(start, "first key", run.first) + table_row("", "second key", run.second) +
         fmt::format("{:<10}{:<12}{:>8}{:>9.0f}{:>9.0f}  {} of them at once\n", "", "accepted",
                     run.accepted.ms.size(), percentile(run.accepted.ms, 0.5),
                     percentile(run.accepted.ms, 0.95), run.accepted.at_once) +
         fmt::format("{:<10}{:.1f} % of the prompt prefilled, at most {:.1f} %\n", "",
                     100 * mean(run.prefilled_share), 100 * percentile(run.prefilled_share, 1));
}

int run(const Options& options, const Context& context) {
  const OwnCacheFolder cache;
  const std::string model = bench_model(options.common, context);
  const int threads = thread_count(options.common);
  const std::vector<Place> places = choose_places(options);
  const Run first = play(places, model, threads, options);
  const Run again = play(places, model, threads, options);
  int same = 0;
  std::string others;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (first.answers[i] == again.answers[i]) {
      ++same;
    } else {
      others += fmt::format("{}: {} then {}\n", places[i].uri, json::serialize(json::value(first.answers[i])),
                            json::serialize(json::value(again.answers[i])));
    }
  }
  if (options.common.json) {
    std::cout << json::serialize(json::object{{"model", model},
                                              {"cpu", cpu_name()},
                                              {"isa", isa_name()},
                                              {"threads", threads},
                                              {"files", places.size()},
                                              {"cold", as_json(first)},
                                              {"restarted", as_json(again)},
                                              {"same_answers", same}})
              << '\n';
    return 0;
  }
  std::cout << fmt::format("{} files, {} threads, {}\n", places.size(), threads, cpu_name())
            << fmt::format("{:<22}{:>8}{:>9}{:>9}{:>11}{:>9}{:>9}\n", "", "answers", "p50 ms", "p95 ms",
                           "tokens p50", "least", "most ms")
            << table_rows("cold", first) << table_rows("restarted", again)
            << fmt::format("{} of {} answers are the same after the restart\n", same, places.size())
            << others;
  return 0;
}

}  // namespace

void add_bench_start(CLI::App& bench, Context& context) {
  CLI::App* command =
      bench.add_subcommand("start", "The first keys in files of a workspace, cold and after a restart");
  const auto options = std::make_shared<Options>();
  add_common_options(*command, options->common);
  command->add_option("folder", options->folder, "The workspace")->required()->check(CLI::ExistingDirectory);
  command->add_option("--files", options->files, "Files to open")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Which files, and where in them")->capture_default_str();
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
