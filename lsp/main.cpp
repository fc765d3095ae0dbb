#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "lsp/commands/commands.h"

namespace {

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

hearth::engine::ModelFolders own_model_folders() {
  std::error_code failure;  // without /proc there is no embedded folder
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", failure);
  return hearth::engine::model_folders(environment_value("XDG_DATA_HOME"), environment_value("HOME"),
                                       executable);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Hearth: code completion on your own machine", "hearth"};
  app.set_version_flag("--version", "hearth " HEARTH_VERSION);
  app.require_subcommand(1);
  hearth::commands::Context context;
  context.models = own_model_folders();
  hearth::commands::add_bench(app, context);
  hearth::commands::add_complete(app, context);
  hearth::commands::add_doctor(app, context);
  hearth::commands::add_index(app, context);
  hearth::commands::add_lsp(app, context);
  hearth::commands::add_model(app, context);
  hearth::commands::add_tokenize(app, context);
  CLI11_PARSE(app, argc, argv);
  return context.exit_code;
}
