// A plot of tokens a second against depth as an SVG text. Pure.
#pragma once

#include <string>
#include <vector>

namespace hearth::commands {

struct PlotLine {
  std::string name;
  std::string colour;
  std::vector<std::pair<double, double>> points;  // (depth, tokens a second), ascending in depth
};

std::string speed_plot(const std::string& title, const std::vector<PlotLine>& lines);

}  // namespace hearth::commands
