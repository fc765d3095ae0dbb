// The parts of `hearth bench quality`: projects as they lie on disk, places in them, what copying alone
// would answer, scores, and what is reported. All values; one thread.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lsp/commands/workspace.h"

namespace hearth::commands {

struct QualityFile {
  std::string path;  // from the project's root
  std::string language;
  std::string text;  // line ends are '\n'
  bool is_code = false;
  std::vector<std::size_t> twins;  // the project's files that hold the same (lsp::kSameFileShare)
};

struct QualityProject {
  std::filesystem::path root;
  std::vector<QualityFile> files;                                             // in the order of paths
  std::unordered_map<std::string, std::unordered_set<std::size_t>> definers;  // of each name of a symbol

  // Files that must not be answered from when `file` is completed: itself and its twins.
  std::vector<std::size_t> masked(std::size_t file) const;
  std::vector<std::string> paths(const std::vector<std::size_t>& files) const;
};

// Throws std::runtime_error where it holds no source file.
QualityProject read_quality_project(const std::filesystem::path& root);

// Every folder of `folder` that holds a source file. Throws std::runtime_error where there is none.
std::vector<QualityProject> read_quality_projects(const std::filesystem::path& folder);

// `options.folder`, its index brought up to date. Throws std::runtime_error.
std::unique_ptr<Workspaces> indexed_workspace(WorkspaceOptions options, int threads);

enum class PlaceKind : std::uint8_t { kLine, kBlock };

// Something that was written, to be written again.
struct QualityPlace {
  PlaceKind kind = PlaceKind::kLine;
  std::size_t project = 0, file = 0;
  std::size_t offset = 0;    // of the cursor
  std::string truth;         // what stood from there on: the rest of the line, or of the block
  bool uses_others = false;  // an identifier in it is defined only in another file
  // Of each such identifier, the files that define it and are not masked.
  std::vector<std::set<std::string>> definers;
};

// Deterministic in `seed`. Half of the lines are asked for at their indentation, half within them.
std::vector<QualityPlace> draw_places(const std::vector<QualityProject>& projects, PlaceKind kind, int count,
                                      std::uint64_t seed);

// The file as if the truth had not been written yet.
struct OpenPlace {
  std::string prefix, suffix;
};
OpenPlace open_place(const QualityProject& project, const QualityPlace& place);

// What followed the longest text before the cursor that stands somewhere else, too, to the end of its line:
// in the file itself, the nearest place before the cursor first, or in one that is not masked.
std::string copied_line(const QualityProject& project, const QualityPlace& place, const OpenPlace& open);

struct QualityAnswer {
  std::string text;
  std::string raw;        // as the engine had it
  double confidence = 0;  // from 0 to 1
};

// Means over answered places, and what a mean is made of.
class QualityScore {
 public:
  void add(const QualityPlace& place, std::string_view answer);

  const std::vector<char>& exact() const { return exact_; }  // of each place, in order
  double exact_match() const;
  double cross_file_exact() const;
  std::size_t cross_file_lines() const { return cross_file_; }
  double own_exact() const;  // of places that use no other file
  double edit_similarity() const;
  double chars_saved_share() const;
  double first_identifier() const;
  boost::json::object json() const;

 private:
  std::vector<char> exact_;
  double similarity_ = 0;
  std::size_t cross_file_ = 0, cross_file_exact_ = 0;
  std::size_t saved_ = 0, characters_ = 0;
  std::size_t first_right_ = 0;
};

// How many of the names that lines take from other files have a file that defines them among the first that
// were planned; a mean over lines.
class QualityRecall {
 public:
  void add(const QualityPlace& place, const std::vector<std::string>& planned);

  std::size_t lines() const { return lines_; }
  double at_1() const;
  double at_5() const;

 private:
  std::size_t lines_ = 0;
  double at_1_ = 0, at_5_ = 0;
};

// A 95 % interval by resampling places (Efron's percentile bootstrap).
struct Interval {
  double low = 0, high = 0;
};
Interval interval_of(const std::vector<char>& exact);

// Of a's mean less b's, pair by pair.
Interval interval_of_difference(const std::vector<char>& a, const std::vector<char>& b);

// Of a's mean over b's, pair by pair; 0 where b's is 0.
Interval interval_of_ratio(const std::vector<char>& a, const std::vector<char>& b);

// Something that answers places, and its answers.
struct QualityRow {
  std::string name;
  QualityScore lines{}, blocks{};
  std::vector<QualityAnswer> answers{};  // of the lines, in order
};

struct QualityReport {
  std::vector<QualityRow> rows;         // `copy`, `model`, ..., and `all` last
  std::vector<QualityPlace> lines;      // in the order of the answers
  std::optional<QualityRecall> recall;  // nothing without an index
};

boost::json::object report_json(const QualityReport& report);
std::string report_table(const QualityReport& report);

}  // namespace hearth::commands
