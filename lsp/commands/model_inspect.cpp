#include <boost/json.hpp>
#include <iomanip>
#include <iostream>
#include <memory>
#include <type_traits>

#include "engine/gguf.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/model_commands.h"

namespace hearth::commands {
namespace {

constexpr std::size_t kElementsShown = 6;
constexpr std::size_t kTextShown = 100;

struct InspectArguments {
  std::string file;
  bool json = false;
};

std::string type_name(const engine::GgufTensor& tensor) {
  if (tensor.weight_type) return kernels::name(*tensor.weight_type);
  return "ggml type " + std::to_string(tensor.ggml_type);
}

boost::json::value as_json(const engine::GgufValue& value) {
  return std::visit([](const auto& held) { return boost::json::value_from(held); }, value);
}

// Long arrays and texts are cut: a vocabulary says little to a reader.
std::string as_text(const engine::GgufValue& value) {
  boost::json::value json = as_json(value);
  if (boost::json::array* array = json.if_array(); array != nullptr && array->size() > kElementsShown) {
    const std::size_t size = array->size();
    array->resize(kElementsShown);
    std::string text = boost::json::serialize(*array);
    text.pop_back();
    return text + ",...] (" + std::to_string(size) + ")";
  }
  const std::string text = boost::json::serialize(json);
  if (text.size() <= kTextShown) return text;
  return text.substr(0, kTextShown) + "... (" + std::to_string(text.size()) + " bytes)";
}

void print_text(const engine::GgufFile& file) {
  std::cout << file.name() << ": " << file.size_bytes() << " bytes, " << file.keys().size() << " keys, "
            << file.tensors().size() << " tensors\n";
  for (const std::string& key : file.keys()) std::cout << key << " = " << as_text(*file.find(key)) << '\n';
  for (const engine::GgufTensor& tensor : file.tensors()) {
    std::cout << std::left << std::setw(28) << tensor.name << ' ' << std::setw(6) << type_name(tensor);
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      std::cout << (i == 0 ? " " : " x ") << tensor.shape[i];
    std::cout << '\n';
  }
}

void print_json(const engine::GgufFile& file) {
  boost::json::object metadata;
  for (const std::string& key : file.keys()) metadata[key] = as_json(*file.find(key));
  boost::json::array tensors;
  for (const engine::GgufTensor& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", type_name(tensor)},
                       {"shape", boost::json::value_from(tensor.shape)},
                       {"bytes", tensor.bytes.size()}});
  }
  print_json_line(boost::json::object{{"file", file.name()},
                                      {"bytes", file.size_bytes()},
                                      {"metadata", std::move(metadata)},
                                      {"tensors", std::move(tensors)}});
}

int inspect(const InspectArguments& arguments) {
  const auto file = engine::GgufFile::open(arguments.file);
  if (!file) return report(file.error());
  if (arguments.json) {
    print_json(*file);
  } else {
    print_text(*file);
  }
  return 0;
}

}  // namespace

void add_model_inspect(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = model.add_subcommand("inspect", "A model file's metadata and tensors");
  command->add_option("file", arguments->file, "A GGUF file")->required();
  command->add_flag("--json", arguments->json, "Everything, as JSON");
  command->callback([arguments, &context] { context.exit_code = inspect(*arguments); });
}

}  // namespace hearth::commands
