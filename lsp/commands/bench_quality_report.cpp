#include <algorithm>
#include <fmt/format.h>

#include "lsp/commands/bench_quality.h"
#include "lsp/settings.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

json::object row_json(const QualityRow& row) {
  const Interval interval = interval_of(row.lines.exact());
  json::object object = row.lines.json();
  object["ci95"] = json::array{interval.low, interval.high};
  if (!row.blocks.exact().empty()) object["blocks"] = row.blocks.json();
  return object;
}

const QualityRow& row_of(const QualityReport& report, std::string_view name) {
  return *std::ranges::find(report.rows, name, &QualityRow::name);
}

// As far as they would be shown unasked.
struct Shown {
  double share = 0, right = 0;
};

// `least`: completion.minConfidence.
Shown shown_of(const QualityRow& row, int least) {
  double shown = 0, right = 0;
  for (std::size_t i = 0; i < row.answers.size(); ++i) {
    if (row.answers[i].text.empty() || row.answers[i].confidence < least / 100.0) continue;
    shown += 1;
    right += row.lines.exact()[i];
  }
  return {shown / static_cast<double>(row.answers.size()), shown > 0 ? right / shown : 0};
}

// Of lines that use no other file.
std::vector<char> own_exact(const QualityReport& report, const QualityRow& row) {
  std::vector<char> exact;
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    if (!report.lines[i].uses_others) exact.push_back(row.lines.exact()[i]);
  }
  return exact;
}

}  // namespace

json::object report_json(const QualityReport& report) {
  const QualityRow& all = report.rows.back();
  const Shown shown = shown_of(all, lsp::Settings().completion_min_confidence);
  json::object rows;
  for (const QualityRow& row : report.rows) rows[row.name] = row_json(row);
  json::object out = {{"with_workspace", all.lines.json()},
                      {"without", row_of(report, "model").lines.json()},
                      {"recall_at_1", nullptr},
                      {"recall_at_5", nullptr},
                      {"rows", std::move(rows)},
                      {"shown", {{"share", shown.share}, {"right", shown.right}}}};
  if (report.recall) {
    out["recall_at_1"] = report.recall->at_1();
    out["recall_at_5"] = report.recall->at_5();
  }
  return out;
}

std::string report_table(const QualityReport& report) {
  const QualityRow& all = report.rows.back();
  std::string table = fmt::format("{:<10}{:>8}{:>16}{:>12}{:>13}{:>12}{:>14}{:>18}\n", "row", "exact", "95 %",
                                  "similarity", "chars saved", "first word", "other files'", "all less it");
  for (const QualityRow& row : report.rows) {
    const Interval own = interval_of(row.lines.exact());
    const Interval less = interval_of_difference(all.lines.exact(), row.lines.exact());
    table += fmt::format("{:<10}{:>8.3f}{:>16}{:>12.3f}{:>13.3f}{:>12.3f}{:>14.3f}{:>18}\n", row.name,
                         row.lines.exact_match(), fmt::format("{:.3f} to {:.3f}", own.low, own.high),
                         row.lines.edit_similarity(), row.lines.chars_saved_share(),
                         row.lines.first_identifier(), row.lines.cross_file_exact(),
                         &row == &all ? "" : fmt::format("{:+.3f} to {:+.3f}", less.low, less.high));
  }
  for (const char* name : {"copy", "model"}) {
    const QualityRow& row = row_of(report, name);
    if (row.lines.exact_match() == 0) continue;
    const Interval ratio = interval_of_ratio(all.lines.exact(), row.lines.exact());
    table += fmt::format("`all` is {:.2f} times as often right as `{}` (95 %: {:.2f} to {:.2f})\n",
                         all.lines.exact_match() / row.lines.exact_match(), name, ratio.low, ratio.high);
  }
  const QualityRow& model = row_of(report, "model");
  const Interval hurt = interval_of_difference(own_exact(report, all), own_exact(report, model));
  table += fmt::format(
      "{} lines use names of other files; of the {} that do not, `all` has {:.3f} right, "
      "`model` {:.3f} (difference {:+.3f} to {:+.3f})\n",
      all.lines.cross_file_lines(), report.lines.size() - all.lines.cross_file_lines(), all.lines.own_exact(),
      model.lines.own_exact(), hurt.low, hurt.high);
  if (report.recall) {
    table += fmt::format(
        "names of other files whose definition is among the files planned: {:.3f} in the "
        "first, {:.3f} in the first five ({} lines)\n",
        report.recall->at_1(), report.recall->at_5(), report.recall->lines());
  }
  const int standard = lsp::Settings().completion_min_confidence;
  for (const int least : {0, standard - 5, standard, standard + 5}) {
    const Shown shown = shown_of(all, least);
    table += fmt::format(
        "shown unasked with completion.minConfidence {}{}: {:.1f} % of places, {:.1f} % of these right\n",
        least, least == standard ? " (the default)" : "", 100 * shown.share, 100 * shown.right);
  }
  for (const QualityRow& row : report.rows) {
    if (row.blocks.exact().empty()) continue;
    table += fmt::format("{:<10}{} blocks: exact {:.3f}, similarity {:.3f}\n", row.name,
                         row.blocks.exact().size(), row.blocks.exact_match(), row.blocks.edit_similarity());
  }
  return table;
}

}  // namespace hearth::commands
