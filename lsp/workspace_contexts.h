// What a session asks of its workspaces. The protocol thread calls; nothing here blocks it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/job.h"
#include "lsp/document.h"
#include "lsp/menu_words.h"
#include "lsp/prompt_context.h"
#include "lsp/settings.h"

namespace hearth::lsp {

struct ContextQuery {
  Snapshot document;
  std::size_t cursor = 0;
  std::shared_ptr<const PromptContext> previous;  // what was said before of the same document
};

struct WordQuery {
  Snapshot document;
  std::size_t cursor = 0;
  std::vector<engine::Segment> before;  // the prompt up to the word that the cursor ends
};

// What happens to the index of one root.
struct IndexNews {
  enum class Kind : std::uint8_t {
    kBegun,
    kProgress,
    kDone,
    kFailed,     // what is in the store is read all the same; it is tried again, as with the next one
    kElsewhere,  // another process indexes it; its store is read all the same
    kStopped,    // it is served no more: the last of its news
    kFollowed,   // single files changed, and are read again
    kNotice,     // worth a line in the log; the state is what it was
  };
  Kind kind = Kind::kBegun;
  std::string root;
  std::string message;  // of kProgress ("12 of 300 files"), kDone, kFailed and kNotice
  int percentage = 0;   // of kProgress
};

class WorkspaceContexts {
 public:
  virtual ~WorkspaceContexts() = default;

  // From now on these folders are indexed and watched, as far as the settings and their places allow.
  virtual void serve(const std::vector<std::string>& roots, const Settings& settings) = 0;

  // A file of the client, by its path: it is the one at hand, and what stands in it is the client's to tell.
  virtual void opened(const std::string& path) = 0;

  // The engine's memory has been made to forget this file, which may be told again.
  virtual void forgotten(const std::string& path) = 0;

  // The root whose index holds the file, as far as its path says; empty: none, or it is ignored.
  virtual std::string keeper_of(const std::string& path) const = 0;

  // `done` is called once, later or at once, on the protocol thread: with nothing where no workspace holds
  // the document or no store is there yet. A newer query of the same document takes an older one's place.
  virtual void ask(ContextQuery query, std::function<void(std::shared_ptr<const PromptContext>)> done) = 0;

  // `done` is called once, later or at once, on the protocol thread, with the names for a menu at the cursor;
  // with none in strings and comments, and where a newer query of the same document came.
  virtual void ask_words(WordQuery query, std::function<void(MenuWords)> done) = 0;
};

}  // namespace hearth::lsp
