// `hearth index`: a workspace read into its store, without an editor.
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "cache/store_location.h"
#include "indexer/ignore_rules.h"
#include "indexer/index_run.h"
#include "indexer/scanner.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/interrupt.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::uint64_t kAllStores = 4'000'000'000;  // bytes, of all workspaces together

struct IndexArguments {
  std::string folder = ".";
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  bool json = false;
  bool forget = false;
};

std::chrono::sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

int fail(const std::string& message) {
  std::cerr << "hearth: " << message << '\n';
  return 1;
}

// What the command says while it runs and at its end: lines of JSON, or a bar and a sentence.
class Teller {
 public:
  explicit Teller(bool json) : json_(json) {}

  void progress(const indexer::IndexProgress& at) {
    if (!json_) {
      bar_.show("indexing", at.bytes, at.all_bytes);
      return;
    }
    std::cout << json::object{{"event", "progress"},
                              {"files", at.files},
                              {"all_files", at.all_files},
                              {"bytes", at.bytes},
                              {"all_bytes", at.all_bytes}}
              << std::endl;
  }

  void set_aside(const fs::path& path) {
    bar_.clear();
    std::cerr << "hearth: the store was corrupt; it is rebuilt, and what it was is in " << path.string()
              << '\n';
  }

  void done(const fs::path& root, const fs::path& store, const indexer::IndexReport& report, double seconds) {
    bar_.clear();
    if (json_) {
      std::cout << json::object{{"event", "done"},
                                {"files", report.files},
                                {"left_out", report.left_out},
                                {"analysed", report.analysed},
                                {"removed", report.removed},
                                {"unreadable", report.unreadable},
                                {"evicted", report.evicted},
                                {"bytes", report.bytes},
                                {"seconds", seconds},
                                {"store", store.filename().string()}}
                << std::endl;
      return;
    }
    std::cout << root.string() << ": " << report.files << " files indexed, " << report.analysed
              << " of them new or changed; " << report.left_out << " left out";
    if (report.removed > 0) std::cout << "; " << report.removed << " gone";
    if (report.unreadable > 0) std::cout << "; " << report.unreadable << " could not be read";
    if (report.evicted > 0) std::cout << "; " << report.evicted << " evicted over the size limit";
    std::cout << '\n';
  }

 private:
  bool json_;
  ProgressBar bar_;
};

struct Failure {
  std::string message;
  bool corrupt = false;  // the store
};

Failure failure_of(const cache::Error& error) {
  return {error.message, error.code == cache::ErrorCode::kCorrupt};
}

// One attempt; nothing when it went well.
std::optional<Failure> index_once(const IndexArguments& arguments, const fs::path& root, const fs::path& path,
                                  Teller& teller, std::stop_token stop) {
  const auto started = std::chrono::steady_clock::now();
  const auto prepared = cache::prepare_store(path);
  if (!prepared) return failure_of(prepared.error());
  if (prepared->set_aside) teller.set_aside(*prepared->set_aside);
  cache::WriterOptions writer_options;
  writer_options.now = now;
  auto writer = cache::StoreWriter::open(path, writer_options);
  if (!writer) return failure_of(writer.error());
  auto reader = cache::StoreReader::open(path);
  if (!reader) return failure_of(reader.error());
  indexer::IndexOptions options;
  options.root = root;
  options.global_excludes =
      indexer::global_excludes_file(environment("XDG_CONFIG_HOME"), environment("HOME"));
  options.threads = arguments.threads;
  const auto report = indexer::index_workspace(
      options, *reader, *writer, [&](const indexer::IndexProgress& at) { teller.progress(at); }, stop);
  if (!report) {
    const bool corrupt = writer->stopped() && writer->stopped()->code == cache::ErrorCode::kCorrupt;
    return Failure{report.error().message, corrupt};
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  teller.done(root, path, *report, took.count());
  return std::nullopt;
}

int index(const IndexArguments& arguments) {
  const Interrupt interrupt;
  const auto root = indexer::workspace_root(arguments.folder, environment("HOME"));
  if (!root) return fail(root.error().message);
  const auto folder = cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (!folder) return fail("no folder for the store: neither XDG_CACHE_HOME nor HOME is set");
  const fs::path path = cache::store_path(*folder, *root);
  if (arguments.forget) {
    const auto forgotten = cache::forget_store(path);
    if (!forgotten) return fail(forgotten.error().message);
    if (!arguments.json)
      std::cout << root->string() << (*forgotten ? " is forgotten\n" : " was not in the store\n");
    return 0;
  }
  Teller teller(arguments.json);
  std::optional<Failure> failure = index_once(arguments, *root, path, teller, interrupt.token());
  if (failure && failure->corrupt) {
    cache::mark_corrupt(path);
    failure = index_once(arguments, *root, path, teller, interrupt.token());
  }
  if (failure) return fail(failure->message);
  const auto evicted = cache::evict_stores(*folder, kAllStores, path, now());
  if (!evicted) return fail(evicted.error().message);
  return 0;
}

}  // namespace

void add_index(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<IndexArguments>();
  CLI::App* command =
      app.add_subcommand("index", "Read a workspace into its store, or bring the store up to date");
  command->add_option("folder", arguments->folder, "The workspace's root")->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads that parse")->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "A JSON object a line: progress, and what was done");
  command->add_flag("--forget", arguments->forget, "Remove the workspace from the store");
  command->callback([arguments, &context] { context.exit_code = index(*arguments); });
}

}  // namespace hearth::commands
