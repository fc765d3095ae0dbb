#include "lsp/completion_query.h"

#include <memory>
#include <utility>

namespace hearth::lsp {
namespace {

CompletionQuery with_text(const CompletionQuery& query, std::string text, std::size_t cursor) {
  CompletionQuery other = query;
  other.cursor = cursor;
  other.document = std::make_shared<const Document>(query.document->uri(), query.document->language(),
                                                    query.document->version(), std::move(text));
  return other;
}

}  // namespace

CursorPlace place_of(const CompletionQuery& query) {
  return {query.document->text(), query.cursor, query.path, query.document->language()};
}

engine::Priority priority_of(const CompletionQuery& query) {
  return query.urgency == Urgency::kByHand ? engine::Priority::kInvoked : engine::Priority::kAutomatic;
}

bool is_unasked(const CompletionQuery& query) {
  return query.urgency == Urgency::kAutomatic || query.method == CompletionMethod::kWhy;
}

bool same_work(const CompletionQuery& a, const CompletionQuery& b) {
  const bool both_ask_why = (a.method == CompletionMethod::kWhy) == (b.method == CompletionMethod::kWhy);
  return both_ask_why && a.document->uri() == b.document->uri() && a.cursor == b.cursor &&
         a.urgency == b.urgency && a.extent == b.extent &&
         (a.document == b.document || a.document->text() == b.document->text());
}

CompletionQuery accepted(const CompletionQuery& query, const Insertion& insertion) {
  std::string text = query.document->text();
  text.replace(query.cursor, insertion.replaces_after, insertion.text);
  return with_text(query, std::move(text), query.cursor + insertion.text.size());
}

CompletionQuery untyped(const CompletionQuery& query, std::size_t begin) {
  std::string text = query.document->text();
  text.erase(begin, query.cursor - begin);
  return with_text(query, std::move(text), begin);
}

}  // namespace hearth::lsp
