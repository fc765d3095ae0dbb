#include "engine/model_catalog.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

using testing::TemporaryFolder;

struct Catalog {
  TemporaryFolder folder;
  ModelFolders folders{folder / "user", folder / "embedded"};

  void add(const char* where, const std::string& name) {
    folder.file(std::string(where) + "/" + name, "model");
  }
};

TEST(ModelFolders, FollowTheXdgSpecificationAndTheExecutable) {
  struct Case {
    std::optional<std::string> xdg, home;
    const char* user;
  };
  for (const Case& c :
       {Case{"/data", "/home/a", "/data/hearth/models"},
        Case{std::nullopt, "/home/a", "/home/a/.local/share/hearth/models"},
        Case{"relative", "/home/a", "/home/a/.local/share/hearth/models"},
        Case{"", "/home/a", "/home/a/.local/share/hearth/models"}, Case{std::nullopt, std::nullopt, ""}}) {
    const ModelFolders folders = model_folders(c.xdg, c.home, "/opt/hearth/bin/hearth");
    EXPECT_EQ(folders.user, c.user);
    EXPECT_EQ(folders.embedded, "/opt/hearth/share/hearth/models");
  }
}

TEST(ModelCatalog, TakesTheDefaultModelWhereItIsAndTheEmbeddedOneOtherwise) {
  Catalog catalog;
  const auto none = choose_model(catalog.folders, std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_NE(none.error().message.find(catalog.folders.embedded.string()), std::string::npos);

  catalog.add("embedded", kEmbeddedModelFile);
  const auto embedded = choose_model(catalog.folders, std::nullopt);
  ASSERT_TRUE(embedded);
  EXPECT_EQ(embedded->kind, ModelKind::kEmbedded);

  catalog.add("user", kDefaultModelFile);
  const auto by_default = choose_model(catalog.folders, std::nullopt);
  ASSERT_TRUE(by_default);
  EXPECT_EQ(by_default->kind, ModelKind::kDefault);
  EXPECT_EQ(by_default->path, catalog.folders.user / kDefaultModelFile);
}

TEST(ModelCatalog, FindsAnAskedModelByPathAndByBareName) {
  Catalog catalog;
  catalog.add("user", "mine.gguf");
  catalog.add("embedded", kEmbeddedModelFile);
  catalog.add("elsewhere", "other.gguf");
  const std::string path = (catalog.folder / "elsewhere/other.gguf").string();
  for (const auto& [asked, found] :
       {std::pair<std::string, std::filesystem::path>{"mine", catalog.folders.user / "mine.gguf"},
        {"mine.gguf", catalog.folders.user / "mine.gguf"},
        {"hearth-code-20m", catalog.folders.embedded / kEmbeddedModelFile},
        {path, path}}) {
    const auto choice = choose_model(catalog.folders, asked);
    ASSERT_TRUE(choice) << asked;
    EXPECT_EQ(choice->path, found);
    EXPECT_EQ(choice->kind, ModelKind::kAsked);
  }
}

TEST(ModelCatalog, NamesWhereItLookedForAnAskedModel) {
  Catalog catalog;
  catalog.add("embedded", kEmbeddedModelFile);
  const auto choice = choose_model(catalog.folders, "absent");
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, ErrorCode::kNotFound);
  for (const std::string& part : {std::string("absent"), (catalog.folders.user / "absent.gguf").string(),
                                  catalog.folders.embedded.string()}) {
    EXPECT_NE(choice.error().message.find(part), std::string::npos) << choice.error().message;
  }
  EXPECT_FALSE(choose_model(catalog.folders, (catalog.folder / "embedded").string()))
      << "a folder is no model";
}

}  // namespace
}  // namespace hearth::engine
