#include <filesystem>

#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"

namespace {

hearth::engine::ModelFolders own_model_folders() {
  std::error_code failure;  // without /proc there is no embedded folder
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", failure);
  using hearth::commands::environment;
  return hearth::engine::model_folders(environment("XDG_DATA_HOME"), environment("HOME"), executable);
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
  hearth::commands::add_stats(app, context);
  hearth::commands::add_search(app, context);
  hearth::commands::add_tokenize(app, context);
  CLI11_PARSE(app, argc, argv);
  return context.exit_code;
}
