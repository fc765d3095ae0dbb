// `hearth index`: a workspace read into its store, without an editor.
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "cache/kv_store.h"
#include "cache/store_location.h"
#include "indexer/folder_watch.h"
#include "indexer/index_check.h"
#include "indexer/scanner.h"
#include "indexer/store_error.h"
#include "lsp/back_off.h"
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
    waiting_for_.clear();
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

  // What is in the way is told once, until it is over.
  void waiting(const std::string& message) {
    if (std::exchange(waiting_for_, message) == message) return;
    bar_.clear();
    std::cerr << "hearth: " << message << "; it is tried again until it works\n";
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
  std::string waiting_for_;
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

struct Task {
  fs::path root, stores, store;
  int threads = 1;
};

// Until it is stopped, which is a good end.
indexer::Result<void> follow(indexer::WorkspaceIndex& index, indexer::FolderWatch& watch, Teller& teller,
                             const fs::path& store, const std::stop_token& stop) {
  auto looked = std::chrono::steady_clock::now();  // at the whole
  while (!stop.stop_requested()) {
    teller.watching(watch);
    const auto changes = watch.wait(watch.limit_since(looked), stop);
    if (stop.stop_requested()) return {};
    if (changes && changes->root_gone)
      return indexer::Error{indexer::ErrorCode::kUnreadable, index.root().string() + ": is gone"};
    const auto started = std::chrono::steady_clock::now();
    const bool whole = !changes || changes->whole;
    if (whole) looked = started;
    const auto report = whole ? index.update([](const indexer::IndexProgress&) {}, stop)
                              : index.update_paths(changes->paths, stop);
    teller.set_aside(index.take_set_aside());
    if (stop.stop_requested()) return {};
    if (!report) return report.error();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    if (report->analysed > 0 || report->removed > 0) teller.done(index.root(), store, *report, took.count());
  }
  return {};
}

indexer::Result<void> update(const Task& task, indexer::WorkspaceIndex& index, Teller& teller,
                             const std::stop_token& stop) {
  const auto started = std::chrono::steady_clock::now();
  const auto report = index.update([&](const indexer::IndexProgress& at) { teller.progress(at); }, stop);
  teller.set_aside(index.take_set_aside());
  if (!report) return report.error();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  teller.done(task.root, task.store, *report, took.count());
  const auto evicted = cache::evict_stores(task.stores, cache::kAllStoresBytes, task.store, system_seconds());
  if (!evicted) return indexer::store_error(evicted.error());
  return {};
}

int index_once(const Task& task, Teller& teller, const std::stop_token& stop) {
  auto index = open_index(task.root, task.threads);
  if (!index) return fail(index.error().message);
  const auto updated = update(task, *index, teller, stop);
  return updated ? 0 : fail(updated.error().message);
}

indexer::Result<void> update_and_follow(const Task& task, Teller& teller, lsp::BackOff& back_off,
                                        const std::stop_token& stop) {
  auto index = open_index(task.root, task.threads);
  if (!index) return index.error();
  // Watched from before the first look, so that nothing falls between them.
  auto watch = indexer::FolderWatch::open(
      {.root = task.root, .global_excludes = index_options(task.root, 1).global_excludes, .enter = {}},
      indexer::watch_budget(), stop);
  if (!watch) return watch.error();
  if (const auto updated = update(task, *index, teller, stop); !updated) return updated.error();
  back_off.succeeded();
  return follow(*index, *watch, teller, task.store, stop);
}

int watch(const Task& task, Teller& teller, const std::stop_token& stop) {
  lsp::BackOff back_off;
  while (true) {
    const auto ended = update_and_follow(task, teller, back_off, stop);
    if (ended || stop.stop_requested()) return 0;
    const indexer::Error& error = ended.error();
    const bool may_pass = error.code == indexer::ErrorCode::kBusy || error.code == indexer::ErrorCode::kFull;
    if (!may_pass) return fail(error.message);
    teller.waiting(error.message);
    back_off.rest(stop);
  }
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
    indexer::ParseJournal::forget(*folder, *root);
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
  const Task task{*root, *folder, path, arguments.threads};
  return (arguments.watch ? watch : index_once)(task, teller, interrupt.token());
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
                                               "crashes its parser is left out\n";
                                });
  });
}

}  // namespace hearth::commands
