// Server's classic completion: the model's suggestions first, then names that the model ranks.
#include "lsp/server.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr int kInvokedCompletion = 1;  // CompletionTriggerKind

}  // namespace

void Server::complete(CompletionParams params, Reply reply) {
  const Snapshot document = documents_.find(params.textDocument.uri);
  if (!document) {
    return reply.error({RpcCode::kInvalidParams, params.textDocument.uri + " is not open"});
  }
  if (!settings_.completion_menu) {
    return reply.result({{"isIncomplete", false}, {"items", json::array()}});
  }
  const CompletionContext context = params.context.value_or(CompletionContext{});
  // Editors that draw inline completions ask for both at each key; the others ask for what the user wants.
  const bool typing = client_.inlineCompletion || context.triggerKind != kInvokedCompletion;
  const PopupLines lines =
      settings_.completion_multi_line == MultiLine::kAlways ? PopupLines::kAll : PopupLines::kFirst;
  const TypingOn typing_on = client_.inlineCompletion ? TypingOn::kOnlyFilters : TypingOn::kMayBringOthers;
  const DocumentPlace here{document, document->offset(params.position, documents_.encoding())};
  CompletionQuery query = query_at(notebooks_.joined(here), CompletionMethod::kCompletion);
  query.left_out = left_out(document->uri());
  query.urgency = typing ? Urgency::kAutomatic : Urgency::kByHand;
  query.extent = lines == PopupLines::kFirst && !client_.inlineCompletion ? Extent::kLine : Extent::kAuto;
  ask(query, std::move(reply),
      [this, here, lines, typing_on, query, context, encoding = documents_.encoding()](
          const CompletionAnswer& answer, const std::shared_ptr<Reply>& asker) {
        if (!client_.inlineCompletion) note_shown(here, answer);
        json::object list =
            completion_list(*here.document, here.cursor, answer.insertions, lines, encoding, typing_on);
        if (!wants_words(query, context, answer)) return asker->result(std::move(list));
        const std::size_t begin = word_start(query.document->text(), query.cursor);
        workspaces_->ask_words({query.document, query.cursor, completions_->prompt_before(query, begin)},
                               [this, here, encoding, asker, list = std::move(list)](MenuWords menu) mutable {
                                 sent_menu_ = {sent_menu_.id + 1, std::move(menu)};
                                 add_word_items(list, *here.document, here.cursor, sent_menu_, encoding);
                                 asker->result(std::move(list));
                               });
      });
}

// Not behind every comma: an empty word asks for names behind a dot, or by hand.
bool Server::wants_words(const CompletionQuery& query, const CompletionContext& context,
                         const CompletionAnswer& answer) const {
  if (!workspaces_ || is_ban(answer.silence)) return false;
  const std::string_view before = std::string_view(query.document->text()).substr(0, query.cursor);
  return word_start(before, query.cursor) < query.cursor || context.triggerKind == kInvokedCompletion ||
         is_behind_a_dot(before, query.cursor);
}

}  // namespace hearth::lsp
