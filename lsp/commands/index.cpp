// `hearth index`: a workspace read into its store, without an editor.
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "cache/kv_store.h"
#include "cache/store_location.h"
#include "indexer/folder_watch.h"
#include "indexer/index_check.h"
#include "indexer/scanner.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/index_parts.h"
#include "lsp/commands/interrupt.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/progress_bar.h"
#include "lsp/commands/survive.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct IndexArguments {
  std::string folder = ".";
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  bool json = false;
  bool forget = false;
  bool check = false;
  bool bench = false;
  bool watch = false;
};

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
    print_json_line(json::object{{"event", "progress"},
                                 {"files", at.files},
                                 {"all_files", at.all_files},
                                 {"bytes", at.bytes},
                                 {"all_bytes", at.all_bytes}});
  }

  void set_aside(const std::optional<fs::path>& path) {
    if (!path) return;
    bar_.clear();
    std::cerr << "hearth: the store was corrupt; it is rebuilt, and what it was is in " << path->string()
              << '\n';
  }

  void done(const fs::path& root, const fs::path& store, const indexer::IndexReport& report, double seconds) {
    bar_.clear();
    if (json_) {
      print_json_line(json::object{{"event", "done"},
                                   {"files", report.files},
                                   {"left_out", report.left_out},
                                   {"analysed", report.analysed},
                                   {"removed", report.removed},
                                   {"unreadable", report.unreadable},
                                   {"first_unreadable", json::value_from(report.first_unreadable)},
                                   {"evicted", report.evicted},
                                   {"bytes", report.bytes},
                                   {"seconds", seconds},
                                   {"store", store.filename().string()}});
      return;
    }
    std::cout << root.string() << ": " << report.files << " files indexed, " << report.analysed
              << " of them new or changed; " << report.left_out << " left out";
    if (report.removed > 0) std::cout << "; " << report.removed << " gone";
    if (report.unreadable > 0) std::cout << "; " << report.unreadable << " could not be read";
    if (report.evicted > 0) std::cout << "; " << report.evicted << " evicted over the size limit";
    std::cout << std::endl;
    for (const std::string& path : report.first_unreadable)
      std::cerr << "hearth: " << path << ": cannot be read now; it is tried again each time\n";
    const auto unnamed = report.unreadable - static_cast<std::int64_t>(report.first_unreadable.size());
    if (unnamed > 0) std::cerr << "hearth: so it is with " << unnamed << " more\n";
  }

  // Before each wait: said once, and once more when not all folders can be watched.
  void watching(const indexer::FolderWatch& watch) {
    const bool partial = watch.is_partial();
    if (said_watching_ && (said_partial_ || !partial)) return;
    said_watching_ = true;
    said_partial_ = partial;
    if (json_) {
      print_json_line(
          json::object{{"event", "watching"}, {"folders", watch.folders()}, {"partial", partial}});
    } else if (partial) {
      std::cerr << "hearth: " << watch.folders()
                << " folders are watched, which is this program's share of the "
                << "system's watches; all are looked at every minute\n";
    }
  }

  void checked(const fs::path& root, const indexer::CheckReport& report) {
    for (const indexer::IndexFault& fault : report.faults) {
      const std::string path = fault.path.empty() ? std::string("the store") : fault.path;
      if (json_)
        print_json_line(json::object{{"event", "fault"}, {"path", path}, {"what", fault.what}});
      else
        std::cout << path << ": " << fault.what << '\n';
    }
    if (json_)
      print_json_line(
          json::object{{"event", "checked"}, {"files", report.files}, {"faults", report.faults.size()}});
    else
      std::cout << root.string() << ": " << report.files << " files looked at, " << report.faults.size()
                << " differ from the store" << std::endl;
  }

 private:
  bool json_;
  bool said_watching_ = false, said_partial_ = false;
  ProgressBar bar_;
};

int check(const fs::path& root, const fs::path& store, Teller& teller, std::stop_token stop) {
  auto reader = cache::StoreReader::open(store);
  if (!reader) return fail(reader.error().message);
  const auto report = indexer::check_index(index_options(root, 1), *reader, std::move(stop));
  if (!report) return fail(report.error().message);
  teller.checked(root, *report);
  return report->faults.empty() ? 0 : 1;
}

// Until it is stopped, which is a good end.
int follow(indexer::WorkspaceIndex& index, indexer::FolderWatch& watch, Teller& teller, const fs::path& store,
           const std::stop_token& stop) {
  auto looked = std::chrono::steady_clock::now();  // at the whole
  while (!stop.stop_requested()) {
    teller.watching(watch);
    const auto changes = watch.wait(watch.limit_since(looked), stop);
    if (stop.stop_requested()) return 0;
    if (changes && changes->root_gone) return fail(index.root().string() + ": is gone");
    const auto started = std::chrono::steady_clock::now();
    const bool whole = !changes || changes->whole;
    if (whole) looked = started;
    const auto report = whole ? index.update([](const indexer::IndexProgress&) {}, stop)
                              : index.update_paths(changes->paths, stop);
    teller.set_aside(index.take_set_aside());
    if (stop.stop_requested()) return 0;
    if (!report) return fail(report.error().message);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    if (report->analysed > 0 || report->removed > 0) teller.done(index.root(), store, *report, took.count());
  }
  return 0;
}

int index(const IndexArguments& arguments) {
  const Interrupt interrupt;
  const auto root = indexer::workspace_root(arguments.folder, environment("HOME"));
  if (!root) return fail(root.error().message);
  const auto folder = stores_folder();
  if (!folder) return fail(folder.error().message);
  const fs::path path = cache::store_path(*folder, *root);
  if (arguments.forget) {
    const auto forgotten = cache::forget_store(path);
    if (!forgotten) return fail(forgotten.error().message);
    const auto kv = cache::kv_store_path(environment("XDG_CACHE_HOME"), environment("HOME"));
    const auto kv_forgotten = kv ? cache::forget_kv(*kv, root->string()) : false;
    if (!kv_forgotten) return fail(kv_forgotten.error().message);
    if (!arguments.json)
      std::cout << root->string()
                << (*forgotten || *kv_forgotten ? " is forgotten\n" : " was not in the store\n");
    return 0;
  }
  Teller teller(arguments.json);
  if (arguments.check) return check(*root, path, teller, interrupt.token());
  if (arguments.bench) {
    const auto figures = bench_index(*root, *folder, arguments.threads, interrupt.token());
    if (!figures) return fail(figures.error().message);
    print_figures(*figures, arguments.threads, arguments.json);
    return 0;
  }
  const auto started = std::chrono::steady_clock::now();
  auto index = open_index(*root, arguments.threads);
  if (!index) return fail(index.error().message);
  // Watched from before the first look, so that nothing falls between them.
  std::optional<indexer::FolderWatch> watch;
  if (arguments.watch) {
    const indexer::IndexOptions options = index_options(*root, 1);
    auto opened =
        indexer::FolderWatch::open({.root = *root, .global_excludes = options.global_excludes, .enter = {}},
                                   indexer::watch_budget(), interrupt.token());
    if (!opened) return fail(opened.error().message);
    watch.emplace(std::move(*opened));
  }
  const auto report =
      index->update([&](const indexer::IndexProgress& at) { teller.progress(at); }, interrupt.token());
  teller.set_aside(index->take_set_aside());
  if (!report) return fail(report.error().message);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  teller.done(*root, path, *report, took.count());
  const auto evicted = cache::evict_stores(*folder, cache::kAllStoresBytes, path, system_seconds());
  if (!evicted) return fail(evicted.error().message);
  if (!watch) return 0;
  return follow(*index, *watch, teller, path, interrupt.token());
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
  CLI::Option* watch = command->add_flag("--watch", arguments->watch, "Go on, and follow what changes");
  CLI::Option* check = command->add_flag("--check", arguments->check,
                                         "Only compare the store with the disk, and say what differs");
  CLI::Option* bench =
      command->add_flag("--bench", arguments->bench,
                        "Only measure: indexing from nothing, beside parsing alone on the same files");
  check->excludes(watch)->excludes(bench);
  bench->excludes(watch);
  command->callback([arguments, &context] {
    const bool writes = !arguments->bench && !arguments->check && !arguments->forget;
    if (!writes) {
      context.exit_code = index(*arguments);
      return;
    }
    context.exit_code = survive([&] { return index(*arguments); },
                                [] {
                                  std::cerr << "hearth: indexing crashed and begins again; a file that "
                                               "crashes its parser twice is left out\n";
                                });
  });
}

}  // namespace hearth::commands
