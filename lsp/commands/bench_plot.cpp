#include "lsp/commands/bench_plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hearth::commands {
namespace {

constexpr double kWidth = 640, kHeight = 400;
constexpr double kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
constexpr int kTicks = 5;

// The smallest of 1, 2, 5, 10, 20, 50 ... that covers `value` in kTicks steps.
double tick_step(double value) {
  const double least = std::max(value, 1e-9) / kTicks;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least) return factor * decade;
  }
  return 10 * decade;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

struct Axes {
  double x_step, y_step;

  double x(double depth) const { return kLeft + depth / (x_step * kTicks) * (kWidth - kLeft - kRight); }
  double y(double speed) const {
    return kHeight - kBottom - speed / (y_step * kTicks) * (kHeight - kTop - kBottom);
  }
};

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string grid(const Axes& axes) {
  std::string out;
  for (int i = 0; i <= kTicks; ++i) {
    const double depth = i * axes.x_step, speed = i * axes.y_step;
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}M{:.1f} {:.1f}V{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
                       axes.y(speed), kWidth - kRight, axes.x(depth), kTop, kHeight - kBottom);
    out += label(kLeft - 6, axes.y(speed) + 4, "end", fmt::format("{:g}", speed));
    out += label(axes.x(depth), kHeight - kBottom + 18, "middle", fmt::format("{:g}", depth));
  }
  out += label((kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", "tokens of context");
  out += label(kLeft, kTop - 8, "end", "tokens/s");
  return out;
}

}  // namespace

std::string speed_plot(const std::string& title, const std::vector<PlotLine>& lines) {
  double deepest = 0, fastest = 0;
  for (const PlotLine& line : lines) {
    for (const auto& [depth, speed] : line.points) {
      deepest = std::max(deepest, depth);
      fastest = std::max(fastest, speed);
    }
  }
  const Axes axes{tick_step(deepest), tick_step(fastest)};
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#fff\"/>\n",
      kWidth, kHeight);
  out += label(kWidth / 2, 20, "middle", title) + grid(axes);
  double key_y = kTop + 16;
  for (const PlotLine& line : lines) {
    std::string path;
    for (const auto& [depth, speed] : line.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', axes.x(depth), axes.y(speed));
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", axes.x(depth),
                         axes.y(speed), line.colour);
    }
    out +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, line.colour);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"3\" fill=\"{}\"/>\n",
                       kWidth - kRight - 130, key_y - 5, line.colour);
    out += label(kWidth - kRight - 112, key_y, "start", line.name);
    key_y += 18;
  }
  return out + "</svg>\n";
}

}  // namespace hearth::commands
