// Where plans of documents outlive a session (kept_plan.h). The protocol thread calls; nothing here blocks
// it.
#pragma once

#include <optional>
#include <string>

namespace hearth::lsp {

class PlanStore {
 public:
  virtual ~PlanStore() = default;

  // What was kept last of a document, a path, in the workspace of that root.
  virtual std::optional<std::string> plan_of(const std::string& workspace, const std::string& document) = 0;

  virtual void keep(const std::string& workspace, const std::string& document, std::string plan) = 0;
};

}  // namespace hearth::lsp
