// Workspaces that say what the test says, at once or when it says so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/workspace_contexts.h"

namespace hearth::tests {

class FakeContexts : public lsp::WorkspaceContexts {
 public:
  using Done = std::function<void(std::shared_ptr<const lsp::PromptContext>)>;

  void serve(const std::vector<std::string>& roots, const lsp::Settings& settings) override {
    served = settings.index_enabled ? roots : std::vector<std::string>();
  }

  void opened(const std::string& path) override { at_hand.push_back(path); }
  void forgotten(const std::string& path) override { let_go.push_back(path); }

  std::string keeper_of(const std::string& path) const override {
    return path.ends_with("ignored.py") ? "" : keeper;
  }

  void ask(lsp::ContextQuery query, Done done) override {
    asked.push_back(std::move(query));
    if (at_once) return done(answer);
    waiting.push_back(std::move(done));
  }

  void ask_words(lsp::WordQuery query, std::function<void(lsp::MenuWords)> done) override {
    asked_words.push_back(std::move(query));
    if (at_once) return done(words);
    waiting_for_words.push_back(std::move(done));
  }

  bool at_once = true;
  std::shared_ptr<const lsp::PromptContext> answer;
  std::vector<std::string> served, at_hand, let_go;
  lsp::MenuWords words;
  std::string keeper = "/project";
  std::vector<lsp::ContextQuery> asked;
  std::vector<lsp::WordQuery> asked_words;
  std::vector<Done> waiting;
  std::vector<std::function<void(lsp::MenuWords)>> waiting_for_words;
};

}  // namespace hearth::tests
