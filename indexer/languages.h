// The table of languages that are parsed. A language is one row: its names, its grammar, its query files, and
// the rules that no query can say. Constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct TSLanguage;

namespace hearth::indexer {

// What makes a symbol one that other files can use.
enum class Visibility : std::uint8_t {
  kAlways,
  kUnderscore,  // no name that begins with '_', but for `__special__` ones
  kExport,      // exported, or anything where a file exports nothing; class members unless private
  kCapital,     // names with a capital letter
  kPub,         // `pub`, or a member of a trait
  kModifier,    // unless `private` or `protected` is said
  kLinkage,     // unless static, in an unnamed namespace or in a private part of a class
  kRuby,        // until a bare `private` or `protected`
  kLocal,       // unless `local` is said
};

// How an import's text finds a file of the workspace.
enum class ImportRule : std::uint8_t {
  kNone,
  kPython,
  kJavaScript,
  kInclude,
  kGo,
  kRust,
  kJava,
  kRuby,
  kPhp,
  kLua,
  kRelative,
};

struct Language {
  std::string_view id;          // as the LSP names it
  std::string_view extensions;  // without dots, with blanks around each
  std::string_view file_names;  // whole names, with blanks around each
  const TSLanguage* (*grammar)();
  std::string_view queries;        // names of query files, with blanks between
  std::string_view line_comments;  // what opens one, with blanks between
  Visibility visibility = Visibility::kAlways;
  ImportRule imports = ImportRule::kNone;
};

std::span<const Language> languages();

// nullptr: none of these. The text decides between C and C++ headers and names the interpreter of a script
// without an extension; its first kilobytes are enough.
const Language* language_of(std::string_view path, std::string_view text);

const Language* language_named(std::string_view id);

// The text of all its query files.
std::string query_of(const Language& language);

}  // namespace hearth::indexer
