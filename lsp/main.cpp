#include "lsp/commands/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Hearth: code completion on your own machine", "hearth"};
  app.set_version_flag("--version", "hearth " HEARTH_VERSION);
  app.require_subcommand(1);
  hearth::commands::Context context;
  CLI11_PARSE(app, argc, argv);
  return context.exit_code;
}
