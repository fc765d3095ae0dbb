#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "lsp/commands/bench_quality.h"
#include "lsp/edit_distance.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

constexpr int kResamples = 2000;
constexpr double kTail = 0.025;

// The first word, or sign where no word comes first.
std::string_view first_word(std::string_view text) {
  text = lsp::trim(text);
  std::size_t end = 0;
  while (end < text.size() && lsp::is_word_byte(text[end])) ++end;
  return text.substr(0, std::max<std::size_t>(end, std::min<std::size_t>(text.size(), 1)));
}

// What a user who takes a suggestion word by word keeps of it: its right beginning, in whole words.
std::size_t right_beginning(std::string_view answer, std::string_view truth) {
  const auto [a, t] = std::ranges::mismatch(answer, truth);
  std::size_t same = static_cast<std::size_t>(a - answer.begin());
  const bool cuts_a_word = same > 0 && ((a != answer.end() && lsp::is_word_byte(*a)) ||
                                        (t != truth.end() && lsp::is_word_byte(*t)));
  if (cuts_a_word) {
    while (same > 0 && lsp::is_word_byte(answer[same - 1])) --same;
  }
  return same;
}

double share(double part, double all) { return all > 0 ? part / all : 0; }

double mean(const std::vector<char>& values) {
  return share(std::accumulate(values.begin(), values.end(), 0.0), static_cast<double>(values.size()));
}

// Of what `figure` makes of places, given by their numbers.
Interval bootstrap(std::size_t places, const std::function<double(std::span<const std::size_t>)>& figure) {
  if (places == 0) return {};
  std::mt19937_64 random(1);
  std::vector<double> figures;
  std::vector<std::size_t> drawn(places);
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t& place : drawn) place = random() % places;
    figures.push_back(figure(drawn));
  }
  std::ranges::sort(figures);
  const auto at = static_cast<std::size_t>(kTail * kResamples);
  return {figures[at], figures[kResamples - 1 - at]};
}

double sum_of(const std::vector<char>& values, std::span<const std::size_t> places) {
  return std::accumulate(places.begin(), places.end(), 0.0,
                         [&](double sum, std::size_t place) { return sum + values[place]; });
}

}  // namespace

void QualityScore::add(const QualityPlace& place, std::string_view answer) {
  answer = lsp::trim_right(answer);
  const std::string_view truth = lsp::trim_right(place.truth);
  const bool exact = answer == truth;
  exact_.push_back(exact ? 1 : 0);
  similarity_ += lsp::edit_similarity(answer, truth);
  cross_file_ += place.uses_others ? 1 : 0;
  cross_file_exact_ += place.uses_others && exact ? 1 : 0;
  saved_ += right_beginning(answer, truth);
  characters_ += truth.size();
  first_right_ += first_word(answer) == first_word(truth) ? 1 : 0;
}

void QualityRecall::add(const QualityPlace& place, const std::vector<std::string>& planned) {
  if (place.definers.empty()) return;
  ++lines_;
  const auto found = [&](std::size_t most) {
    const auto first = std::span(planned).first(std::min(most, planned.size()));
    const auto among = [&](const std::set<std::string>& definers) {
      return std::ranges::any_of(first, [&](const std::string& path) { return definers.contains(path); });
    };
    return share(static_cast<double>(std::ranges::count_if(place.definers, among)),
                 static_cast<double>(place.definers.size()));
  };
  at_1_ += found(1);
  at_5_ += found(5);
}

double QualityRecall::at_1() const { return share(at_1_, static_cast<double>(lines_)); }
double QualityRecall::at_5() const { return share(at_5_, static_cast<double>(lines_)); }

double QualityScore::exact_match() const { return mean(exact_); }
double QualityScore::cross_file_exact() const {
  return share(static_cast<double>(cross_file_exact_), static_cast<double>(cross_file_));
}
double QualityScore::own_exact() const {
  const auto exact = static_cast<double>(std::ranges::count(exact_, 1));
  return share(exact - static_cast<double>(cross_file_exact_),
               static_cast<double>(exact_.size() - cross_file_));
}
double QualityScore::edit_similarity() const {
  return share(similarity_, static_cast<double>(exact_.size()));
}
double QualityScore::chars_saved_share() const {
  return share(static_cast<double>(saved_), static_cast<double>(characters_));
}
double QualityScore::first_identifier() const {
  return share(static_cast<double>(first_right_), static_cast<double>(exact_.size()));
}

boost::json::object QualityScore::json() const {
  return {{"lines", exact_.size()},
          {"exact_match", exact_match()},
          {"edit_similarity", edit_similarity()},
          {"chars_saved_share", chars_saved_share()},
          {"first_identifier", first_identifier()},
          {"cross_file", {{"lines", cross_file_}, {"exact_match", cross_file_exact()}}}};
}

Interval interval_of(const std::vector<char>& exact) {
  return bootstrap(exact.size(), [&](std::span<const std::size_t> places) {
    return sum_of(exact, places) / static_cast<double>(places.size());
  });
}

Interval interval_of_difference(const std::vector<char>& a, const std::vector<char>& b) {
  return bootstrap(a.size(), [&](std::span<const std::size_t> places) {
    return (sum_of(a, places) - sum_of(b, places)) / static_cast<double>(places.size());
  });
}

Interval interval_of_ratio(const std::vector<char>& a, const std::vector<char>& b) {
  return bootstrap(a.size(), [&](std::span<const std::size_t> places) {
    return share(sum_of(a, places), sum_of(b, places));
  });
}

}  // namespace hearth::commands
