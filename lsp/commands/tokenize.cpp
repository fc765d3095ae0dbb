#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "engine/gguf.h"
#include "engine/tokenizer.h"
#include "lsp/commands/model_commands.h"

namespace hearth::commands {
namespace {

struct TokenizeArguments {
  std::string model;
  bool decode = false;
};

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

void print_ids(const engine::Tokenizer& tokenizer, std::string_view text, std::ostream& out) {
  const char* separator = "";
  for (const engine::TokenId token : tokenizer.encode(text)) {
    out << separator << token;
    separator = " ";
  }
  out << '\n';
}

engine::Result<std::vector<engine::TokenId>> read_ids(std::istream& in, const engine::Tokenizer& tokenizer) {
  std::vector<engine::TokenId> ids;
  for (std::string word; in >> word;) {
    engine::TokenId id = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (failure != std::errc() || end != word.data() + word.size() || id < 0 || id >= tokenizer.size()) {
      return engine::Error{
          engine::ErrorCode::kInvalid,
          "standard input: \"" + word + "\" is not an id from 0 to " + std::to_string(tokenizer.size() - 1)};
    }
    ids.push_back(id);
  }
  return ids;
}

std::optional<engine::Error> tokenize(const TokenizeArguments& arguments,
                                      const engine::ModelFolders& folders) {
  const auto asked = arguments.model.empty() ? std::nullopt : std::optional(arguments.model);
  const auto choice = engine::choose_model(folders, asked);
  if (!choice) return choice.error();
  const auto file = engine::GgufFile::open(choice->path);
  if (!file) return file.error();
  const auto tokenizer = engine::Tokenizer::from_gguf(*file);
  if (!tokenizer) return tokenizer.error();
  if (arguments.decode) {
    const auto ids = read_ids(std::cin, **tokenizer);
    if (!ids) return ids.error();
    std::cout << (*tokenizer)->decode(*ids);
  } else {
    print_ids(**tokenizer, read_all(std::cin), std::cout);
  }
  if (!std::cout.flush())
    return engine::Error{engine::ErrorCode::kUnreadable, "standard output cannot be written"};
  return std::nullopt;
}

}  // namespace

void add_tokenize(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<TokenizeArguments>();
  CLI::App* command = app.add_subcommand("tokenize", "Text on standard input to token ids on one line");
  command->add_option("--model", arguments->model, "A model file, or the name of one that is installed");
  command->add_flag("--decode", arguments->decode, "Ids on standard input to the bytes they stand for");
  command->callback([arguments, &context] {
    const auto error = tokenize(*arguments, context.models);
    if (error) context.exit_code = report(*error);
  });
}

}  // namespace hearth::commands
