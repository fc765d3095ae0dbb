#include <algorithm>

#include "lsp/commands/bench_quality.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

constexpr std::size_t kFewestBytes = 9;      // of a line that is asked for
constexpr std::size_t kHeadLines = 3;        // of a file, never asked for
constexpr std::size_t kShortestRest = 3;     // bytes
constexpr std::size_t kMostBlockLines = 12;  // as the default setting has it
constexpr int kTabColumns = 4;
constexpr int kMostTries = 1000;  // for one place
constexpr std::size_t kShortestCopy = 2;
constexpr std::size_t kLongestCopy = 256;

using Lines = std::vector<std::string_view>;

int indent_of(std::string_view line) { return lsp::columns(lsp::indentation(line), kTabColumns); }

// Lines below `line` that are deeper than it, without blank ones at the end.
std::size_t block_lines(const Lines& lines, std::size_t line) {
  std::size_t last = line;
  for (std::size_t i = line + 1; i < lines.size(); ++i) {
    if (lsp::is_blank(lines[i])) continue;
    if (indent_of(lines[i]) <= indent_of(lines[line])) break;
    last = i;
  }
  return last - line;
}

// An identifier that the cursor stands in counts whole.
void find_definers(const QualityProject& project, QualityPlace& place) {
  const std::string_view text = project.files[place.file].text;
  const auto masked = project.masked(place.file);
  std::size_t at = place.offset;
  while (at > 0 && lsp::is_word_byte(text[at - 1])) --at;
  for (const std::size_t last = place.offset + place.truth.size(); at < last;) {
    std::size_t end = at;
    while (end < text.size() && lsp::is_word_byte(text[end])) ++end;
    const auto definers = project.definers.find(std::string(text.substr(at, end - at)));
    if (definers != project.definers.end() && !definers->second.contains(place.file)) {
      place.uses_others = true;
      std::set<std::string> paths;
      for (const std::size_t file : definers->second) {
        if (std::ranges::find(masked, file) == masked.end()) paths.insert(project.files[file].path);
      }
      if (!paths.empty()) place.definers.push_back(std::move(paths));
    }
    at = std::max(end, at + 1);
  }
}

struct Drawer {
  const std::vector<QualityProject>& projects;
  std::mt19937_64 random;

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random() % n); }

  // Of the code files, by their size: each byte is as likely as any other.
  std::size_t file_of(const QualityProject& project) {
    std::size_t all = 0;
    for (const QualityFile& file : project.files) all += file.is_code ? file.text.size() : 0;
    std::size_t at = below(std::max<std::size_t>(all, 1));
    for (std::size_t i = 0; i < project.files.size(); ++i) {
      const std::size_t size = project.files[i].is_code ? project.files[i].text.size() : 0;
      if (at < size) return i;
      at -= size;
    }
    return 0;
  }

  std::optional<QualityPlace> line(const std::string& text, const Lines& lines, std::size_t number) {
    const std::string_view whole = lsp::trim_right(lines[number]);
    const std::size_t indent = lsp::indentation(whole).size();
    if (whole.size() - indent < kFewestBytes) return std::nullopt;
    const std::size_t within = indent + below(whole.size() - kShortestRest - indent + 1);
    const std::size_t column = below(2) == 0 ? indent : lsp::floor_to_character(whole, within);
    QualityPlace place;
    place.offset = static_cast<std::size_t>(whole.data() - text.data()) + column;
    place.truth = whole.substr(column);
    if (lsp::is_blank(place.truth)) return std::nullopt;
    return place;
  }

  std::optional<QualityPlace> block(const std::string& text, const Lines& lines, std::size_t number) {
    const std::size_t count = lsp::is_blank(lines[number]) ? 0 : block_lines(lines, number);
    if (count == 0 || count > kMostBlockLines) return std::nullopt;
    QualityPlace place;
    place.kind = PlaceKind::kBlock;
    place.offset = static_cast<std::size_t>(lines[number].data() - text.data()) + lines[number].size();
    const std::string_view last = lines[number + count];
    const std::size_t end = static_cast<std::size_t>(last.data() - text.data()) + last.size();
    place.truth = text.substr(place.offset, end - place.offset);
    return place;
  }

  QualityPlace draw(PlaceKind kind) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      const std::size_t in = below(projects.size());
      const std::size_t file = file_of(projects[in]);
      const std::string& text = projects[in].files[file].text;
      const Lines lines = lsp::split_lines(text);
      if (lines.size() <= kHeadLines) continue;
      const std::size_t number = kHeadLines + below(lines.size() - kHeadLines);
      auto place = kind == PlaceKind::kLine ? line(text, lines, number) : block(text, lines, number);
      if (!place) continue;
      place->project = in;
      place->file = file;
      find_definers(projects[in], *place);
      return *place;
    }
    throw std::runtime_error("the projects hold too few lines to ask for");
  }
};

// Where `text` holds a longer part of what stands before the cursor than has been found yet, and the last
// such place.
struct Copier {
  std::string_view before;  // the cursor
  std::size_t longest = kShortestCopy - 1;
  std::string_view followed{};  // by what

  bool holds(std::string_view text, std::size_t length) const {
    return text.find(before.substr(before.size() - length)) != std::string_view::npos;
  }

  void search(std::string_view text) {
    const std::size_t most = std::min({before.size(), text.size(), kLongestCopy});
    if (longest >= most || !holds(text, longest + 1)) return;
    std::size_t low = longest + 1, high = most;  // what holds a length holds every shorter one
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      holds(text, middle) ? void(low = middle) : void(high = middle - 1);
    }
    longest = low;
    const std::size_t at = text.rfind(before.substr(before.size() - low)) + low;
    followed = text.substr(at, text.find('\n', at) - at);
  }
};

}  // namespace

std::vector<QualityPlace> draw_places(const std::vector<QualityProject>& projects, PlaceKind kind, int count,
                                      std::uint64_t seed) {
  Drawer drawer{projects, std::mt19937_64(seed)};
  std::vector<QualityPlace> places;
  for (int i = 0; i < count; ++i) places.push_back(drawer.draw(kind));
  return places;
}

OpenPlace open_place(const QualityProject& project, const QualityPlace& place) {
  const std::string& text = project.files[place.file].text;
  const std::size_t end = text.find('\n', place.offset + place.truth.size());
  return {text.substr(0, place.offset), end == std::string::npos ? std::string() : text.substr(end)};
}

std::string copied_line(const QualityProject& project, const QualityPlace& place, const OpenPlace& open) {
  Copier copier{open.prefix};
  if (!open.prefix.empty()) copier.search(std::string_view(open.prefix).substr(0, open.prefix.size() - 1));
  copier.search(open.suffix);
  const auto masked = project.masked(place.file);
  for (std::size_t i = 0; i < project.files.size(); ++i) {
    if (std::ranges::find(masked, i) == masked.end()) copier.search(project.files[i].text);
  }
  return std::string(lsp::trim_right(copier.followed));
}

}  // namespace hearth::commands
