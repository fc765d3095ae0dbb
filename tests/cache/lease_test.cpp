#include "cache/lease.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/store_fixture.h"

namespace hearth::cache {
namespace {

class LeaseTest : public testing::StoreTest {
 protected:
  // An identity whose process another kernel namespace runs: nothing here can tell whether it is alive.
  static ProcessIdentity unseen() {
    ProcessIdentity other = own_identity();
    other.mark.replace(other.mark.find("pid:"), 4, "pid:9");
    return other;
  }
};

TEST_F(LeaseTest, OneProcessHasItUntilItLetsGo) {
  std::optional<StoreWriter> first = writer();
  WriterOptions second = options();
  second.owner = {::getppid(), ""};
  const auto refused = StoreWriter::open(path(), second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(ErrorCode::kBusy, refused.error().code);
  EXPECT_NE(std::string::npos, refused.error().message.find(std::to_string(::getpid())));
  first.reset();
  EXPECT_TRUE(StoreWriter::open(path(), second));
}

TEST_F(LeaseTest, PassesOnWhenItsProcessIsGone) {
  ASSERT_TRUE(prepare_store(path()));
  const pid_t child = ::fork();
  if (child == 0) {
    WriterOptions mine = options();
    mine.owner = own_identity();
    const auto taken = StoreWriter::open(path(), mine);
    ::_exit(taken ? 0 : 1);  // without releasing
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  ASSERT_EQ(0, WEXITSTATUS(status));
  EXPECT_TRUE(StoreWriter::open(path(), options()));
}

TEST_F(LeaseTest, OfAProcessThatCannotBeSeenItEndsAMinuteAfterItsLastWrite) {
  ASSERT_TRUE(prepare_store(path()));
  WriterOptions theirs = options();
  theirs.owner = unseen();
  EXPECT_EQ(Liveness::kUnknown, liveness(theirs.owner));
  StoreWriter other = StoreWriter::open(path(), theirs).value();
  now_ += std::chrono::seconds(59);
  ASSERT_TRUE(other.put(std::vector{record("a.py", 1)}));
  now_ += std::chrono::seconds(59);
  EXPECT_EQ(ErrorCode::kBusy, StoreWriter::open(path(), options()).error().code);
  now_ += std::chrono::seconds(2);
  StoreWriter mine = StoreWriter::open(path(), options()).value();
  EXPECT_EQ(ErrorCode::kBusy, other.put(std::vector{record("a.py", 2)}).error().code);
  EXPECT_TRUE(other.stopped());
  EXPECT_TRUE(mine.put(std::vector{record("a.py", 3)}));
  EXPECT_EQ(3u, reader().file("a.py").value()->hash);
}

TEST_F(LeaseTest, TellsProcessesApart) {
  EXPECT_EQ(Liveness::kAlive, liveness(own_identity()));
  ProcessIdentity reused = own_identity();
  reused.mark += "0";
  EXPECT_EQ(Liveness::kGone, liveness(reused));
  ProcessIdentity rebooted = own_identity();
  rebooted.mark[0] = rebooted.mark[0] == '0' ? '1' : '0';
  EXPECT_EQ(Liveness::kGone, liveness(rebooted));
  EXPECT_EQ(Liveness::kGone, liveness({1, ""}));
}

}  // namespace
}  // namespace hearth::cache
