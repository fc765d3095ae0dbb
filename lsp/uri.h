// Document URIs as paths. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::lsp {

// The path of a file: URI with its escapes resolved, '/' between; nullopt for other schemes.
std::optional<std::string> path_of_uri(std::string_view uri);

// One spelling of all that mean the same: escapes only where they are needed, a drive's letter small
// ("file:///C%3A/a" is "file:///c:/a").
std::string canonical_uri(std::string_view uri);

// The innermost of `roots` (paths) that holds the document; empty where none does.
std::string folder_of_uri(std::string_view uri, const std::vector<std::string>& roots);

// What the engine calls a document: its path where it is a file, however its URI is escaped, else the URI.
std::string document_name(std::string_view uri);

// How a model should see the document's path: relative to the innermost of `roots` (paths) that holds
// it, else its last part.
std::string path_in_workspace(std::string_view uri, const std::vector<std::string>& roots);

}  // namespace hearth::lsp
