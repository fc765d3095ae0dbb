#include "lsp/commands/on_or_off.h"

#include <map>
#include <string>

namespace hearth::commands {

CLI::CheckedTransformer on_or_off() {
  const std::map<std::string, bool> switches{{"on", true}, {"off", false}};
  CLI::CheckedTransformer transformer(switches);
  transformer.description("{on,off}");
  return transformer;
}

}  // namespace hearth::commands
