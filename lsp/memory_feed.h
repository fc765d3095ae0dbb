// Keeps the engine's workspace memory at the files that one client has open, or had lately. The protocol
// thread owns it; no call blocks.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine_client.h"
#include "lsp/document.h"

namespace hearth::lsp {

class MemoryFeed {
 public:
  // Versions are told from `first_version` on: of two clients with the same file, the engine heeds the one
  // with the higher versions.
  MemoryFeed(engine::EngineClient& engine, std::int64_t first_version)
      : engine_(engine), version_(first_version) {}

  // Takes what it told with it.
  ~MemoryFeed();
  MemoryFeed(const MemoryFeed&) = delete;
  MemoryFeed& operator=(const MemoryFeed&) = delete;

  // What is no file (a notebook's cell, an unnamed text) or too large to be indexed stays out. Secrets are
  // masked and lines end as they do in prompts.
  void opened(const Snapshot& document);

  // Only what differs from the text that was told last is told.
  void changed(const Snapshot& document);

  // Stays in memory until others were closed after it. What is forgotten in its place, if something is.
  std::optional<std::string> closed(const std::string& uri);

  // Nothing of it stays.
  void forget(const std::string& uri);

  // Switching it off empties the memory.
  void set_enabled(bool enabled);

 private:
  struct Open {
    Snapshot document;
    std::string told;  // its text, secrets masked, line ends "\n"
  };
  void tell(const std::string& name, engine::TextEdit edit);

  engine::EngineClient& engine_;
  bool enabled_ = true;
  std::int64_t version_;              // a document that is opened again begins its own versions anew
  std::map<std::string, Open> open_;  // by name
  std::deque<std::string> closed_;    // names, the latest first
};

}  // namespace hearth::lsp
