#include "lsp/json_rpc.h"

#include <fmt/format.h>
#include <utility>

#include "lsp/json_text.h"
#include "lsp/utf8.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

bool is_id(const json::value* value) {
  return value && (value->is_string() || value->is_int64() || value->is_uint64());
}

json::object error_object(const RpcError& error) {
  return {{"code", static_cast<int>(error.code)}, {"message", error.message}};
}

}  // namespace

struct Reply::Call {
  Endpoint* endpoint = nullptr;  // nullptr once answered, or when the endpoint is gone
  json::value id;
  std::function<void()> on_cancel;
};

Reply::~Reply() {
  if (call_) error({RpcCode::kInternalError, "the server gave no answer"});
}

bool Reply::answered() const { return call_->endpoint == nullptr; }

void Reply::result(json::value value) {
  if (Endpoint* endpoint = call_->endpoint) endpoint->answer(*call_, {{"result", std::move(value)}});
}

void Reply::error(RpcError error) {
  if (Endpoint* endpoint = call_->endpoint) endpoint->answer(*call_, {{"error", error_object(error)}});
}

void Reply::on_cancel(std::function<void()> handler) {
  if (call_->endpoint) call_->on_cancel = std::move(handler);
}

Endpoint::Endpoint(Send send, Gate gate, Logger& logger)
    : send_(std::move(send)), gate_(std::move(gate)), logger_(logger) {}

Endpoint::~Endpoint() {
  for (auto& [key, call] : calls_) {
    call->endpoint = nullptr;
    call->on_cancel = nullptr;
  }
}

void Endpoint::send(json::object message) {
  message["jsonrpc"] = "2.0";
  send_(as_valid_utf8(json::serialize(message)));
}

void Endpoint::answer(Reply::Call& call, json::object message) {
  call.endpoint = nullptr;
  call.on_cancel = nullptr;
  message["id"] = call.id;
  send(std::move(message));
  calls_.erase(json::serialize(call.id));
}

void Endpoint::report(RpcError error) {
  logger_.write(LogLevel::kWarning, error.message);
  send({{"id", nullptr}, {"error", error_object(error)}});
}

void Endpoint::notify(std::string_view method, json::value params) {
  send({{"method", method}, {"params", std::move(params)}});
}

void Endpoint::request(std::string_view method, json::value params,
                       std::function<void(const json::value*)> done) {
  const std::int64_t id = next_id_++;
  awaited_.emplace(id, std::move(done));
  send({{"id", id}, {"method", method}, {"params", std::move(params)}});
}

bool Endpoint::receive(std::string_view body) {
  boost::system::error_code error;
  const json::value parsed = parse_json(body, error);
  if (error) {
    report({RpcCode::kParseError,
            fmt::format("a message of {} bytes is not JSON: {}", body.size(), error.message())});
    return false;
  }
  const json::object* message = parsed.if_object();
  if (!message) {
    report({RpcCode::kInvalidRequest, "a message is not a JSON object (batches are not part of LSP)"});
    return true;
  }
  const json::value* id = message->if_contains("id");
  const json::value* method = message->if_contains("method");
  const json::value* version = message->if_contains("jsonrpc");
  if (!method && is_id(id) && (message->contains("result") || message->contains("error"))) {
    receive_response(*message);
    return true;
  }
  const auto invalid = [&](std::string_view what) {
    logger_.write(LogLevel::kWarning, what);
    send({{"id", is_id(id) ? *id : json::value()},
          {"error", error_object({RpcCode::kInvalidRequest, std::string(what)})}});
    return true;
  };
  if (!version || *version != "2.0") return invalid("a message's jsonrpc is not \"2.0\"");
  if (!method || !method->is_string()) return invalid("a message has no method");
  if (id && !is_id(id)) return invalid("a request's id is neither a whole number nor a string");
  const json::value* params = message->if_contains("params");
  if (params && !params->is_structured() && !params->is_null()) {
    return invalid("a message's params are neither an object nor an array");
  }
  static const json::value kNoParams;
  const std::string_view name(method->get_string().data(), method->get_string().size());
  if (id) {
    receive_request(*id, name, params ? *params : kNoParams);
  } else if (name == "$/cancelRequest") {
    cancel(params ? *params : kNoParams);
  } else if (const auto handler = notifications_.find(name); handler != notifications_.end()) {
    if (const std::optional<RpcError> refusal = gate_(name)) {
      logger_.write(LogLevel::kWarning, fmt::format("{} is ignored: {}", name, refusal->message));
    } else {
      handler->second(params ? *params : kNoParams);
    }
  }
  return true;
}

void Endpoint::receive_request(const json::value& id, std::string_view method, const json::value& params) {
  std::string key = json::serialize(id);
  const auto call = std::make_shared<Reply::Call>(Reply::Call{this, id, {}});
  if (!calls_.emplace(key, call).second) {
    logger_.write(LogLevel::kWarning, fmt::format("the id {} is in use by a request not yet answered", key));
    return send(
        {{"id", id},
         {"error", error_object({RpcCode::kInvalidRequest, fmt::format("the id {} is in use", key)})}});
  }
  Reply reply(call);
  if (std::optional<RpcError> refusal = gate_(method)) return reply.error(std::move(*refusal));
  const auto handler = requests_.find(method);
  if (handler == requests_.end()) {
    return reply.error({RpcCode::kMethodNotFound, fmt::format("the method {} is not known here", method)});
  }
  handler->second(params, std::move(reply));
}

void Endpoint::receive_response(const json::object& message) {
  const std::int64_t* id = message.at("id").if_int64();
  const auto awaited = id ? awaited_.find(*id) : awaited_.end();
  if (awaited == awaited_.end()) {
    logger_.write(LogLevel::kWarning, "a response answers no request of the server's");
    return;
  }
  const auto done = std::move(awaited->second);
  awaited_.erase(awaited);
  done(message.if_contains("result"));
}

void Endpoint::cancel(const json::value& params) {
  const json::object* object = params.if_object();
  const json::value* id = object ? object->if_contains("id") : nullptr;
  const auto found = id ? calls_.find(json::serialize(*id)) : calls_.end();
  if (found == calls_.end()) return;  // answered already, or never asked
  const std::shared_ptr<Reply::Call> call = found->second;
  const std::function<void()> handler = std::exchange(call->on_cancel, nullptr);
  answer(*call, {{"error", error_object({RpcCode::kRequestCancelled, "cancelled by the client"})}});
  if (handler) handler();
}

void Endpoint::refuse(JsonProblem problem, Reply* reply, std::string_view method) {
  if (reply) return reply->error({RpcCode::kInvalidParams, std::move(problem)});
  logger_.write(LogLevel::kWarning, fmt::format("{} is ignored: {}", method, problem));
}

}  // namespace hearth::lsp
