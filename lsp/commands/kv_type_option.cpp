#include "lsp/commands/kv_type_option.h"

#include <map>
#include <string>

namespace hearth::commands {

void add_kv_type_option(CLI::App& command, engine::KvType& type) {
  std::map<std::string, engine::KvType> types;
  for (const std::string_view name : engine::kKvTypeNames)
    types.emplace(name, static_cast<engine::KvType>(types.size()));
  command
      .add_option("--kv-type", type,
                  "The KV cache's numbers; auto: bf16 where this machine is faster with it and the model is "
                  "quantised")
      ->transform(CLI::CheckedTransformer(types).description("{auto,f16,bf16}"));
}

}  // namespace hearth::commands
