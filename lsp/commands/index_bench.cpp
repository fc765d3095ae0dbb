// `hearth index --bench`: how long indexing takes beside what cannot be avoided, parsing alone.
#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <iostream>
#include <thread>
#include <vector>

#include "cache/store_location.h"
#include "engine/child_process.h"
#include "indexer/file_policy.h"
#include "indexer/languages.h"
#include "indexer/read_file.h"
#include "indexer/syntax_tree.h"
#include "lsp/commands/index_parts.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// Of all threads of this process.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Parsed {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// What a program would take that reads each file and parses it, and nothing else.
Parsed parse_alone(const fs::path& root, const std::vector<std::string>& files, int threads,
                   const std::stop_token& stop) {
  Parsed parsed;
  std::atomic<std::size_t> next = 0, count = 0;
  std::atomic<std::uint64_t> bytes = 0;
  const auto began = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        indexer::SyntaxParser parser;
        for (std::size_t at = next++; at < files.size() && !stop.stop_requested(); at = next++) {
          const auto text = indexer::read_file(root / files[at], indexer::kMaxIndexedBytes);
          const indexer::Language* language = text ? indexer::language_of(files[at], *text) : nullptr;
          if (language == nullptr) continue;
          static_cast<void>(parser.parse(*language, *text, std::chrono::seconds(3), stop));
          ++count;
          bytes += text->size();
        }
      });
    }
  }
  parsed.seconds = seconds_since(began);
  parsed.files = count;
  parsed.bytes = bytes;
  return parsed;
}

// Cold, into a store of its own.
indexer::Result<std::pair<double, indexer::IndexReport>> index_cold(const fs::path& root,
                                                                    const fs::path& store, int threads,
                                                                    const std::stop_token& stop) {
  static_cast<void>(cache::forget_store(store));
  cache::WriterOptions writer;
  writer.now = system_seconds;
  const auto began = Clock::now();
  auto index = indexer::WorkspaceIndex::open(index_options(root, threads), store, writer);
  if (!index) return index.error();
  const auto report = index->update([](const indexer::IndexProgress&) {}, stop);
  if (!report) return report.error();
  return std::pair(seconds_since(began), *report);
}

// It refuses to write many tags into what is no file of its own.
std::optional<double> ctags_seconds(const fs::path& root, const fs::path& tags, const std::stop_token& stop) {
  engine::ChildCommand command;
  command.arguments = {"ctags", "--version"};
  const auto version = engine::run_child(command, stop);
  if (!version || version->output.find("Universal Ctags") == std::string::npos) return std::nullopt;
  command.arguments = {"ctags", "-R", "-f", tags.string(), root.string()};
  command.stall = std::chrono::minutes(10);
  const auto began = Clock::now();
  const auto outcome = engine::run_child(command, stop);
  const double seconds = seconds_since(began);
  std::error_code none;
  fs::remove(tags, none);
  if (!outcome || outcome->exit_code != 0) return std::nullopt;
  return seconds;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

indexer::Result<IndexFigures> bench_index(const fs::path& root, const fs::path& folder, int threads,
                                          const std::stop_token& stop) {
  const fs::path store = folder / fmt::format("bench-{}.db", cache::own_identity().process);
  std::vector<double> parse, index, processor;
  IndexFigures figures;
  std::vector<std::string> files;
  for (int round = 0; round <= kRounds; ++round) {
    const double before = processor_seconds();
    auto indexed = index_cold(root, store, threads, stop);
    const double between = processor_seconds();
    if (!indexed) {
      static_cast<void>(cache::forget_store(store));
      return indexed.error();
    }
    if (round == 0) {  // also brings the files into memory
      auto view = indexer::WorkspaceView::open(root, store);
      if (!view) return view.error();
      files = view->files();
      figures.report = indexed->second;
      std::error_code failure;
      figures.store_bytes = fs::file_size(store, failure);
      continue;
    }
    index.push_back(indexed->first);
    const Parsed parsed = parse_alone(root, files, threads, stop);
    parse.push_back(parsed.seconds);
    processor.push_back((between - before) / (processor_seconds() - between));
    figures.parsed_files = parsed.files;
    figures.parsed_bytes = parsed.bytes;
  }
  static_cast<void>(cache::forget_store(store));
  if (stop.stop_requested()) return indexer::Error{indexer::ErrorCode::kInvalid, root.string() + ": stopped"};
  figures.index_seconds = median(index);
  figures.parse_seconds = median(parse);
  figures.processor_ratio = median(processor);
  figures.ctags_seconds =
      ctags_seconds(root, folder / fmt::format("bench-{}.tags", cache::own_identity().process), stop);
  return figures;
}

void print_figures(const IndexFigures& figures, int threads, bool json) {
  const double ratio = figures.index_seconds / figures.parse_seconds;
  if (json) {
    boost::json::object out{{"files", figures.report.files},
                            {"left_out", figures.report.left_out},
                            {"parsed_files", figures.parsed_files},
                            {"parsed_bytes", figures.parsed_bytes},
                            {"threads", threads},
                            {"index_seconds", figures.index_seconds},
                            {"tree_sitter_seconds", figures.parse_seconds},
                            {"ratio", ratio},
                            {"processor_ratio", figures.processor_ratio},
                            {"store_bytes", figures.store_bytes},
                            {"ctags_seconds", nullptr}};
    if (figures.ctags_seconds) out["ctags_seconds"] = *figures.ctags_seconds;
    std::cout << out << '\n';
    return;
  }
  std::cout << fmt::format("{} files indexed, {} left out; {} parsed, {:.1f} MB; {} threads\n",
                           figures.report.files, figures.report.left_out, figures.parsed_files,
                           static_cast<double>(figures.parsed_bytes) / 1e6, threads)
            << fmt::format("indexing          {:8.2f} s, {:.1f} MB in the store\n", figures.index_seconds,
                           static_cast<double>(figures.store_bytes) / 1e6)
            << fmt::format("tree-sitter alone {:8.2f} s\n", figures.parse_seconds)
            << fmt::format("ratio             {:8.2f}, of processor time {:.2f}\n", ratio,
                           figures.processor_ratio);
  if (figures.ctags_seconds)
    std::cout << fmt::format("universal-ctags   {:8.2f} s, one thread, all files\n", *figures.ctags_seconds);
}

}  // namespace hearth::commands
