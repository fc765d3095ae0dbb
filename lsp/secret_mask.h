// Keys and tokens inside a text, hidden before a model sees it: each byte of a secret becomes `x`, so that
// lengths and line ends stay. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hearth::lsp {

// Hidden are the body of a private key block, tokens in the shapes that services give them (AWS, GitHub,
// GitLab, Google, OpenAI, Slack, Stripe, npm, JSON Web Tokens), the password in an address, and a value
// of many different characters that a name like `password`, `secret`, `token` or `api_key` is given: quoted,
// or, as in YAML, INI files and shells, bare, where it looks like no name and no expression. A name that ends
// with what is said of a secret (`token_type`) gives none.
std::string with_secrets_masked(std::string_view text);

}  // namespace hearth::lsp
