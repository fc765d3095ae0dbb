#include "indexer/manifest.h"

#include <gtest/gtest.h>

namespace hearth::indexer {
namespace {

// `name@version: dependency wanted =resolved (scope), ...`
std::string described(std::string_view path, std::string_view text, std::string_view lock_name = "",
                      std::string_view lock = "") {
  const ManifestFormat* format = manifest_format(path);
  if (format == nullptr) return "no manifest";
  auto manifest = read_manifest(*format, text);
  if (!manifest) return "nothing";
  if (!lock_name.empty()) resolve_versions(*manifest, read_lock(lock_name, lock));
  std::string described =
      std::string(format->ecosystem) + ' ' + manifest->name + '@' + manifest->version + ':';
  for (const cache::DependencyRow& row : manifest->dependencies) {
    described += ' ' + row.name;
    if (!row.wanted.empty()) described += ' ' + row.wanted;
    if (!row.resolved.empty()) described += " =" + row.resolved;
    if (!row.scope.empty()) described += " (" + row.scope + ')';
    described += ',';
  }
  return described;
}

TEST(Manifest, ReadsPythons) {
  EXPECT_EQ("pypi @: Flask,", described("requirements.txt", "Flask[x"));
  EXPECT_EQ("pypi @: requests ==2.31.0 =2.31.0, numpy >=1.2,<2, six, pkg,",
            described("requirements-dev.txt",
                      "# all\n-r other.txt\nrequests==2.31.0 \\\n  --hash=sha256:0\nnumpy[all] (>=1.2,<2) ; "
                      "python_version>'3'\n"
                      "six # why\n./local\npkg @ https://host/x.whl\n"));
  EXPECT_EQ(
      "pypi shop@1.2: requests >=2 =2.31.0, Ruby_Marshal =1.0, pytest (test), black ==24 =24 (dev), "
      "hatchling (build),",
      described(
          "a/pyproject.toml",
          "[build-system]\n[project]\nname = 'shop'\nversion = \"1.2\"\ndependencies = ['requests>=2', # x\n"
          "  'Ruby_Marshal']\n[project.optional-dependencies]\ntest = ['pytest']\n[dependency-groups]\n"
          "dev = ['black==24']\n[build-system]\nrequires = ['hatchling']\n",
          "uv.lock",
          "version = 1\n[[package]]\nname = \"requests\"\nversion = \"2.31.0\"\n[[package]]\n"
          "name = \"ruby-marshal\"\nversion = \"1.0\"\n"));
  EXPECT_EQ(
      "pypi shop@: django ^4.0, redis >=4, pytest * (test),",
      described("pyproject.toml",
                "[tool.poetry]\nname = 'shop'\n[tool.poetry.dependencies]\npython = '^3.9'\ndjango = '^4.0'\n"
                "redis = { version = '>=4', extras = ['x'] }\n[tool.poetry.group.test.dependencies]\npytest "
                "= '*'\n"));
  EXPECT_EQ("pypi shop@2: attrs >=19, pytest (test),",
            described("setup.cfg",
                      "[metadata]\nname = shop\nversion = 2\n[options]\ninstall_requires =\n    attrs>=19\n"
                      "[options.extras_require]\ntest = pytest\n[flake8]\nignore = E1\n"));
  EXPECT_EQ("nothing", described("setup.cfg", "[flake8]\nignore = E1\n"));
}

TEST(Manifest, ReadsThoseInJson) {
  constexpr std::string_view kPackage =
      R"({"name":"shop","version":"1.0.0","dependencies":{"react":"^18.2.0","@x/y":"*"},"devDependencies":{"jest":"~29"}})";
  EXPECT_EQ("npm shop@1.0.0: react ^18.2.0 =18.3.1, @x/y * =0.1.0, jest ~29 (dev),",
            described("package.json", kPackage, "package-lock.json",
                      R"({"lockfileVersion":3,"packages":{"":{},"node_modules/react":{"version":"18.3.1"},
                      "node_modules/@x/y":{"version":"0.1.0"},"node_modules/a/node_modules/jest":{"version":"1"}}})"));
  EXPECT_EQ("npm shop@1.0.0: react ^18.2.0 =18.0.1, @x/y *, jest ~29 (dev),",
            described("package.json", kPackage, "package-lock.json",
                      R"({"dependencies":{"react":{"version":"18.0.1"}}})"));
  EXPECT_EQ(
      "npm shop@1.0.0: react ^18.2.0 =18.2.1, @x/y * =3.0.0, jest ~29 (dev),",
      described(
          "package.json", kPackage, "yarn.lock",
          "# yarn\n\nreact@^18.2.0, react@18:\n  version \"18.2.1\"\n\n\"@x/y@*\":\n  version: 3.0.0\n"));
  EXPECT_EQ("nothing", described("package.json", "{\"name\": "));
  EXPECT_EQ("nothing", described("package.json", "[]"));
  EXPECT_EQ(
      "packagist a/b@: php >=8, monolog/monolog ^3 =3.5.0, phpunit/phpunit ^10 (dev),",
      described(
          "composer.json",
          R"({"name":"a/b","require":{"php":">=8","monolog/monolog":"^3"},"require-dev":{"phpunit/phpunit":"^10"}})",
          "composer.lock", R"({"packages":[{"name":"monolog/monolog","version":"3.5.0"}]})"));
  EXPECT_EQ(
      "vcpkg shop@1.0: fmt >=10 =10.2.1, zlib, cmake (build),",
      described(
          "vcpkg.json",
          R"({"name":"shop","version-string":"1.0","dependencies":[{"name":"fmt","version>=":"10"},"zlib",
                      {"name":"cmake","host":true}],"overrides":[{"name":"fmt","version":"10.2.1"}]})"));
}

TEST(Manifest, ReadsBuildTools) {
  EXPECT_EQ(
      "cargo shop@0.1.0: serde 1.0 =1.0.200, tokio 1, money, rand 0.8 (dev), libc 0.2,",
      described(
          "Cargo.toml",
          "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n[dependencies]\nserde = { version = \"1.0\", "
          "features = [\"derive\"] }\ntokio = \"1\"\nmoney = { path = \"../money\" }\n[dev-dependencies]\n"
          "rand = \"0.8\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
          "Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"1.0.200\"\n"));
  EXPECT_EQ(
      "go example.com/shop@go 1.21: a.b/c v1.2.3 =v1.2.3, d.e/f v0.1.0 =v0.1.0 (indirect), g v2 =v2,",
      described(
          "go.mod",
          "module example.com/shop\n\ngo 1.21\nrequire (\n\ta.b/c v1.2.3\n\td.e/f v0.1.0 // indirect\n)\n"
          "require g v2\nreplace a.b/c => ../c\n"));
  EXPECT_EQ(
      "maven org.shop:cart@1.0: org.x:y 2.5 =2.5, org.x:z 1.0 =1.0 (test), org.x:w,",
      described(
          "pom.xml",
          "<?xml version=\"1.0\"?><!-- c --><project xmlns=\"x\"><groupId>org.shop</groupId>"
          "<artifactId>cart</artifactId><version>1.0</version><properties><y.version>2.5</y.version></"
          "properties>"
          "<dependencies><dependency><groupId>org.x</groupId><artifactId>y</artifactId>"
          "<version>${y.version}</version></dependency><dependency><groupId>org.x</groupId>"
          "<artifactId>z</artifactId><version>${project.version}</version><scope>test</scope></dependency>"
          "<dependency><groupId>org.x</groupId><artifactId>w</artifactId></dependency></dependencies></"
          "project>"));
  EXPECT_EQ(
      "maven @1.5: org.x:y 2.5 =2.5, org.x:z 1.+ (test), org.x:w,",
      described(
          "build.gradle",
          "version = '1.5'\ndependencies {\n  implementation 'org.x:y:2.5' // why\n"
          "  testImplementation(\"org.x:z:1.+\")\n  api 'org.x:w'\n  implementation project(':money')\n}\n"));
  EXPECT_EQ(
      "nuget Shop@: Serilog 3.0.1 =3.1.1, Moq 4.*,",
      described(
          "src/Shop.csproj",
          "<Project Sdk=\"x\"><PropertyGroup><AssemblyName>Shop</AssemblyName></PropertyGroup><ItemGroup>"
          "<PackageReference Include=\"Serilog\" Version=\"3.0.1\" /><PackageReference Include=\"Moq\">"
          "<Version>4.*</Version></PackageReference></ItemGroup></Project>",
          "packages.lock.json", R"({"dependencies":{"net8.0":{"Serilog":{"resolved":"3.1.1"}}}})"));
}

TEST(Manifest, ReadsScripts) {
  EXPECT_EQ(
      "cmake shop@1.0: Boost >=1.81, fmt, googletest v1.14.0 =v1.14.0, gtk+-3.0 >=3.20,",
      described(
          "CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\nPROJECT(shop VERSION 1.0) # x (y)\n"
          "find_package(Boost 1.81 REQUIRED COMPONENTS json)\nfind_package(fmt)\n#[[ find_package(No) ]]\n"
          "FetchContent_Declare(googletest\n  GIT_REPOSITORY \"https://host/x(1).git\"\n  GIT_TAG v1.14.0)\n"
          "pkg_check_modules(GTK REQUIRED gtk+-3.0>=3.20)\n"));
  EXPECT_EQ("nothing", described("CMakeLists.txt", "add_subdirectory(a)\n"));
  EXPECT_EQ("conan @: zlib 1.3 =1.3, fmt [>=10 <11], cmake 3.27 =3.27 (build),",
            described("conanfile.txt",
                      "[requires]\nzlib/1.3@user/channel\nfmt/[>=10 <11]\n[tool_requires]\ncmake/3.27\n"));
  EXPECT_EQ(
      "conan shop@1.0: zlib 1.3 =1.3, fmt 10 =10,",
      described("conanfile.py",
                "class A(ConanFile):\n    name = \"shop\"\n    version = '1.0'\n    requires = \"zlib/1.3\"\n"
                "    def requirements(self):\n        self.requires(\"fmt/10\")\n"));
  EXPECT_EQ(
      "rubygems @: rails ~> 7.0, >= 7.0.4 =7.0.8, puma, rspec (test),",
      described("Gemfile",
                "source 'https://host'\ngem 'rails', '~> 7.0', \">= 7.0.4\"\ngem \"puma\", require: false\n"
                "group :test do\n  gem 'rspec'\nend\n",
                "Gemfile.lock", "GEM\n  specs:\n    rails (7.0.8)\n      actioncable (= 7.0.8)\n"));
}

TEST(Manifest, TakesBrokenOnesInPart) {
  for (const char* path : {"requirements.txt", "pyproject.toml", "setup.cfg", "package.json", "Cargo.toml",
                           "go.mod", "CMakeLists.txt", "vcpkg.json", "conanfile.txt", "conanfile.py",
                           "pom.xml", "build.gradle", "Gemfile", "composer.json", "a.csproj"}) {
    for (const char* text : {"",
                             "\n",
                             "(",
                             "[",
                             "{",
                             "<",
                             "<a",
                             "</a>",
                             "\"",
                             "'",
                             "=",
                             "a = [",
                             "gem '",
                             "<a b=\"",
                             "[[x",
                             "${",
                             "find_package(",
                             "require (",
                             "\xff\xfe\0",
                             "<project><version>${x</version>"}) {
      described(path, text);
    }
  }
  for (const char* lock : {"Cargo.lock", "package-lock.json", "yarn.lock", "Gemfile.lock", "composer.lock",
                           "packages.lock.json"}) {
    for (const char* text :
         {"", "{", "[]", "[[package]]\nname = \"", "    a (", "{\"packages\": 1}", "@", "\"@"})
      EXPECT_TRUE(read_lock(lock, text).empty()) << lock << ' ' << text;
  }
  EXPECT_EQ(nullptr, manifest_format("a/b.json"));
}

}  // namespace
}  // namespace hearth::indexer
