#include "lsp/index_watch.h"

#include <fmt/format.h>
#include <utility>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

std::string_view state_of(IndexNews::Kind kind) {
  switch (kind) {
    case IndexNews::Kind::kBegun:
    case IndexNews::Kind::kProgress: return "indexing";
    case IndexNews::Kind::kDone:
    case IndexNews::Kind::kFollowed: return "indexed";
    case IndexNews::Kind::kFailed: return "failed";
    case IndexNews::Kind::kElsewhere: return "indexed by another process";
    case IndexNews::Kind::kStopped: return "stopped";
    case IndexNews::Kind::kNotice: break;
  }
  return "";
}

}  // namespace

void IndexWatch::hear(const IndexNews& news) {
  if (news.kind == IndexNews::Kind::kNotice)
    return logger_.write(LogLevel::kWarning, fmt::format("{}: {}", news.root, news.message));
  Root& root = roots_[news.root];
  root.state = state_of(news.kind);
  if (news.kind != IndexNews::Kind::kProgress && news.kind != IndexNews::Kind::kFollowed)
    root.message = news.message;
  switch (news.kind) {
    case IndexNews::Kind::kBegun: root.running = true; break;
    case IndexNews::Kind::kProgress:
      // Only what takes a while is worth a bar.
      if (!root.made) begin(root, news.root);
      if (root.begun)
        report(root, {{"kind", "report"}, {"message", news.message}, {"percentage", news.percentage}});
      break;
    case IndexNews::Kind::kFailed:
    case IndexNews::Kind::kElsewhere:
      if (std::exchange(root.failure, news.message) != news.message) {
        logger_.write(LogLevel::kWarning, fmt::format("{} is not indexed here now, which is tried again: {}",
                                                      news.root, news.message));
      }
      [[fallthrough]];
    case IndexNews::Kind::kDone:
    case IndexNews::Kind::kStopped:
      if (news.kind == IndexNews::Kind::kDone) root.failure.clear();
      root.running = root.made = false;
      if (std::exchange(root.begun, false)) report(root, {{"kind", "end"}, {"message", news.message}});
      if (news.kind == IndexNews::Kind::kStopped) roots_.erase(news.root);
      break;
    case IndexNews::Kind::kFollowed:
    case IndexNews::Kind::kNotice: break;
  }
}

void IndexWatch::begin(Root& root, const std::string& name) {
  if (progress_ == ProgressSupport::kNone) return;
  root.made = true;
  root.token = fmt::format("hearth/indexing/{}", ++tokens_);  // each serves once
  endpoint_.request("window/workDoneProgress/create", {{"token", root.token}},
                    [this, name, token = root.token](const json::value* created) {
                      const auto found = roots_.find(name);
                      if (!created || found == roots_.end()) return;
                      Root& root = found->second;
                      if (!root.running || root.token != token) return;
                      root.begun = true;
                      report(root, {{"kind", "begin"}, {"title", "Hearth: indexing"}, {"message", name}});
                    });
}

void IndexWatch::report(const Root& root, json::object value) {
  endpoint_.notify("$/progress", {{"token", root.token}, {"value", std::move(value)}});
}

json::array IndexWatch::status() const {
  json::array roots;
  for (const auto& [name, root] : roots_)
    roots.push_back({{"root", name}, {"state", root.state}, {"message", root.message}});
  return roots;
}

}  // namespace hearth::lsp
