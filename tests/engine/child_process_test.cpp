#include "engine/child_process.h"

#include <gtest/gtest.h>
#include <thread>

namespace hearth::engine {
namespace {

ChildCommand shell(const std::string& script) {
  ChildCommand command;
  command.arguments = {"/bin/sh", "-c", script};
  return command;
}

TEST(ChildProcess, KeepsOutputAndExitCode) {
  ChildCommand command = shell("echo \"$GREETING\"; echo bad >&2; cat; exit 3");
  command.environment = {"GREETING=good day"};
  const auto outcome = run_child(command, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, ChildOutcome::End::kExited);
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->output, "good day\nbad\n");
}

TEST(ChildProcess, KeepsMoreOutputThanAPipeHolds) {
  const auto outcome = run_child(shell("head -c 1000000 /dev/zero"), {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.size(), 1'000'000u);
}

TEST(ChildProcess, SaysWhichProgramIsMissing) {
  ChildCommand command;
  command.arguments = {"no-such-program-here"};
  const auto outcome = run_child(command, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_NE(outcome.error().message.find("no-such-program-here"), std::string::npos);
}

TEST(ChildProcess, KillsAStalledProgramAndItsChildren) {
  ChildCommand command = shell("sleep 100 & wait");
  command.stall = std::chrono::milliseconds(50);
  const auto outcome = run_child(command, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, ChildOutcome::End::kStalled);
}

TEST(ChildProcess, ActivityKeepsASilentProgramAlive) {
  ChildCommand command = shell("sleep 1; echo done");
  command.stall = std::chrono::milliseconds(500);
  std::uint64_t bytes = 0;
  command.activity = [&bytes] { return ++bytes; };
  const auto outcome = run_child(command, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, ChildOutcome::End::kExited);
  EXPECT_EQ(outcome->output, "done\n");
}

TEST(ChildProcess, EndsWithAProgramThatLeavesAChildHoldingItsOutput) {
  const auto outcome = run_child(shell("sleep 3 & echo $!"), {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, ChildOutcome::End::kExited);
}

TEST(ChildProcess, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const auto outcome = run_child(shell("sleep 100"), source.get_token());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, ChildOutcome::End::kStopped);
}

TEST(ChildProcess, NamesTheSignalThatEndedAProgram) {
  const auto outcome = run_child(shell("kill -TERM $$"), {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 128 + 15);
}

}  // namespace
}  // namespace hearth::engine
