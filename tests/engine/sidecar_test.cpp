#include "engine/sidecar.h"

#include <fstream>
#include <gtest/gtest.h>

#include "engine/gguf_writer.h"
#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

struct Bench {
  Bench() { std::ofstream(model) << "a model"; }

  testing::TemporaryFolder folder;
  std::filesystem::path model = folder.path() / "some.gguf";
};

TEST(Sidecar, IsReadAsItWasWritten) {
  const Bench bench;
  const Sidecar sidecar{{-4.25, 1, 0.5, 0, 3, 1, 2, 1e-3f, -7, 8}};
  ASSERT_TRUE(write_sidecar(bench.model, sidecar));
  EXPECT_EQ(sidecar_path(bench.model), bench.folder.path() / "some.gsm");
  const auto read = read_sidecar(bench.model);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(*read);
  EXPECT_EQ((*read)->mixture, sidecar.mixture);
}

TEST(Sidecar, MayBeMissing) {
  const Bench bench;
  const auto read = read_sidecar(bench.model);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(*read);
}

TEST(Sidecar, OfAnotherModelIsRefused) {
  const Bench bench;
  ASSERT_TRUE(write_sidecar(bench.model, {}));
  std::ofstream(bench.model) << "another model";
  const auto read = read_sidecar(bench.model);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("hearth.model.bytes"), std::string::npos) << read.error().message;
}

TEST(Sidecar, OfAnotherModelOfTheSameSizeIsRefused) {
  const Bench bench;
  std::string weights(1 << 20, 'w');
  std::ofstream(bench.model) << weights;
  ASSERT_TRUE(write_sidecar(bench.model, {}));
  ASSERT_TRUE(read_sidecar(bench.model));
  for (const std::size_t at : {std::size_t{0}, weights.size() - 1}) {
    std::string other = weights;
    other[at] = 'v';
    std::ofstream(bench.model) << other;
    const auto read = read_sidecar(bench.model);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kMismatch);
    EXPECT_NE(read.error().message.find("hearth.model.ends_sha256"), std::string::npos)
        << read.error().message;
  }
}

TEST(Sidecar, ThatDoesNotSayOfWhichModelItIsIsRefused) {
  const Bench bench;
  auto writer = GgufWriter::create(sidecar_path(bench.model),
                                   {{"general.architecture", std::string("hearth-sidecar")},
                                    {"hearth.model.bytes", std::uint64_t{7}},
                                    {"hearth.memory.mixture", std::vector<double>(kMixtureFigures)}},
                                   {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->finish());
  const auto read = read_sidecar(bench.model);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("hearth.model.ends_sha256"), std::string::npos) << read.error().message;
}

TEST(Sidecar, ThatIsBrokenIsRefused) {
  const Bench bench;
  std::ofstream(sidecar_path(bench.model)) << "GGUF of sorts";
  const auto read = read_sidecar(bench.model);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("some.gsm"), std::string::npos) << read.error().message;
}

}  // namespace
}  // namespace hearth::engine
