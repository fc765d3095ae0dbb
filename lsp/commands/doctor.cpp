#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cache/store_location.h"
#include "engine/child_process.h"
#include "engine/model_catalog.h"
#include "engine/model_verify.h"
#include "engine/sidecar.h"
#include "kernels/cpu/cpu_device.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/doctor_parts.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/interrupt.h"
#include "lsp/commands/json_line.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLittleMemory = 1'000'000'000;

enum class Health { kGood, kPoor, kBroken };  // poor: works, but could be better

struct Finding {
  std::string about;
  std::string text;
  Health health = Health::kGood;
  std::string cure;
};

struct DoctorArguments {
  std::string file, model;
  bool json = false;
};

const char* name(Health health) {
  switch (health) {
    case Health::kGood: return "good";
    case Health::kPoor: return "poor";
    case Health::kBroken: return "broken";
  }
  return "";
}

std::vector<Finding> examine_processor() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int cores = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0
                        ? CPU_COUNT(&allowed)
                        : static_cast<int>(std::thread::hardware_concurrency());
  Finding core_finding{"cores", std::to_string(cores) + " for this process", Health::kGood, ""};
  if (cores < 2) {
    core_finding.health = Health::kPoor;
    core_finding.cure = "completions come faster on two cores and more";
  }
  std::string isas;
  const std::vector<kernels::CpuIsa> supported = kernels::supported_cpu_isas();
  for (const kernels::CpuIsa isa : supported)
    isas += (isas.empty() ? "" : ", ") + std::string(kernels::name(isa));
  Finding isa_finding{"instructions", isas + " (the last is used)", Health::kGood, ""};
  if (supported.size() == 1) {
    isa_finding.health = Health::kPoor;
    isa_finding.cure =
        "this processor lacks AVX2, so the portable kernels run, which are several times slower; "
        "in a virtual machine, let the guest see the host's processor";
  }
  return {core_finding, isa_finding};
}

Finding examine_memory() {
  struct sysinfo info {};
  ::sysinfo(&info);
  const std::uint64_t total = std::uint64_t{info.totalram} * info.mem_unit;
  Finding finding{"memory", std::to_string(total / 1'000'000) + " MB", Health::kGood, ""};
  if (total < kLittleMemory) {
    finding.health = Health::kPoor;
    finding.cure = "use the embedded model (--model hearth-code-20m) and a small --cache-mb";
  }
  return finding;
}

std::vector<Finding> examine_model(const engine::ModelFolders& folders, const DoctorArguments& arguments,
                                   std::stop_token stop) {
  const auto choice = engine::choose_model(
      folders, arguments.model.empty() ? std::nullopt : std::optional<std::string>(arguments.model));
  if (!choice) {
    return {{"model", choice.error().message, Health::kBroken,
             "run `hearth model fetch`, install Hearth again, or name a GGUF file with --model"}};
  }
  std::vector<Finding> findings;
  constexpr std::array kKinds = {"asked for", "the default one", "the embedded one"};
  Finding which{"model", choice->path.string() + " (" + kKinds[static_cast<std::size_t>(choice->kind)] + ")",
                Health::kGood, ""};
  if (choice->kind == engine::ModelKind::kEmbedded) {
    which.health = Health::kPoor;
    which.cure =
        "it is small and weak: `hearth model fetch` brings the default model (about 95 MB to download)";
  }
  findings.push_back(which);
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  const engine::ModelReport report = engine::verify_model(choice->path, threads, stop);
  for (const engine::Error& fault : report.faults) {
    findings.push_back({"model", fault.message, Health::kBroken,
                        choice->kind == engine::ModelKind::kDefault
                            ? "run `hearth model fetch --force`"
                            : "use another copy of the file, or another model"});
  }
  if (report.faults.empty())
    findings.push_back({"model", "whole, sha256 " + report.sha256, Health::kGood, ""});
  if (const auto sidecar = engine::read_sidecar(choice->path); !sidecar) {
    findings.push_back({"sidecar", sidecar.error().message, Health::kPoor,
                        "it is not used: remove it, or run `hearth model calibrate`"});
  }
  return findings;
}

Finding examine_cache_folder() {
  const auto stores = cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (!stores)
    return {"cache", "no folder: neither HOME nor XDG_CACHE_HOME is set", Health::kPoor, "set HOME"};
  const fs::path folder = stores->parent_path();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure || ::access(folder.c_str(), W_OK) != 0) {
    return {"cache", folder.string() + " cannot be written", Health::kPoor,
            "make it writable for you, or set XDG_CACHE_HOME to a folder that is"};
  }
  return {"cache", folder.string() + " can be written", Health::kGood, ""};
}

std::vector<Finding> examine_editors(std::stop_token stop) {
  struct Editor {
    const char* program;
    const char* name;
  };
  constexpr std::array kEditors = {Editor{"nvim", "Neovim"}, Editor{"emacs", "Emacs"}, Editor{"vim", "Vim"},
                                   Editor{"code", "Visual Studio Code"},
                                   Editor{"code-server", "code-server"}};
  std::vector<Finding> findings;
  for (const Editor& editor : kEditors) {
    engine::ChildCommand command;
    command.arguments = {editor.program, "--version"};
    command.stall = std::chrono::seconds(10);
    const auto outcome = engine::run_child(command, stop);
    if (!outcome || outcome->end != engine::ChildOutcome::End::kExited || outcome->exit_code != 0) continue;
    const std::string version = outcome->output.substr(0, outcome->output.find('\n'));
    findings.push_back({"editor", std::string(editor.name) + ": " + version, Health::kGood, ""});
  }
  if (findings.empty()) {
    findings.push_back({"editor", "none of Neovim, Emacs, Vim, Visual Studio Code is in PATH", Health::kPoor,
                        "install one, or set up yours to start `hearth lsp`"});
  }
  return findings;
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const char* mark = finding.health == Health::kGood   ? "ok  "
                       : finding.health == Health::kPoor ? "hint"
                                                         : "BAD ";
    std::cout << mark << ' ' << finding.about << ": " << finding.text << '\n';
    if (!finding.cure.empty()) std::cout << "     -> " << finding.cure << '\n';
  }
}

void print_json(const std::vector<Finding>& findings, bool usable) {
  boost::json::array array;
  for (const Finding& finding : findings) {
    boost::json::object object = {
        {"about", finding.about}, {"text", finding.text}, {"health", name(finding.health)}};
    if (!finding.cure.empty()) object["cure"] = finding.cure;
    array.push_back(std::move(object));
  }
  print_json_line(boost::json::object{{"usable", usable}, {"findings", std::move(array)}});
}

int examine(const DoctorArguments& arguments, const engine::ModelFolders& folders) {
  const Interrupt interrupt;
  std::vector<Finding> findings = {{"version", "hearth " HEARTH_VERSION, Health::kGood, ""}};
  const auto append = [&findings](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  append(examine_processor());
  append({examine_memory()});
  append(examine_model(folders, arguments, interrupt.token()));
  append({examine_cache_folder()});
  append(examine_editors(interrupt.token()));

  bool usable = true;
  for (const Finding& finding : findings) usable &= finding.health != Health::kBroken;
  if (arguments.json) {
    print_json(findings, usable);
  } else {
    print_text(findings);
  }
  return usable ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = app.add_subcommand("doctor", "What is wrong with this machine or set-up, and the cure");
  CLI::Option* file =
      command->add_option("file", arguments->file, "Instead: what the index makes of this file, and why");
  command
      ->add_option("--model", arguments->model, "A model to look at in place of the one that would be used")
      ->excludes(file);
  command->add_flag("--json", arguments->json, "One JSON object");
  command->callback([arguments, &context] {
    context.exit_code = arguments->file.empty() ? examine(*arguments, context.models)
                                                : doctor_file(arguments->file, arguments->json);
  });
}

}  // namespace hearth::commands
