// JSON-RPC 2.0 as LSP uses it: one message a body, no batches. Every request is answered exactly once,
// whatever its handler does with its Reply. The protocol thread owns all of it.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lsp/json_mapper.h"
#include "lsp/logger.h"

namespace hearth::lsp {

enum class RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kRequestCancelled = -32800,
};

struct RpcError {
  RpcCode code = RpcCode::kInternalError;
  std::string message;
};

class Endpoint;

// The right to answer one request. Dropped without an answer, it answers with an error. Answers after
// the first go nowhere (the client may have cancelled meanwhile).
class Reply {
 public:
  Reply(Reply&&) = default;
  Reply& operator=(Reply&&) = delete;
  ~Reply();

  void result(boost::json::value value);
  void error(RpcError error);

  // Called when the client cancels, after the request has been answered with RequestCancelled.
  void on_cancel(std::function<void()> handler);

  bool answered() const;

 private:
  friend class Endpoint;
  struct Call;
  explicit Reply(std::shared_ptr<Call> call) : call_(std::move(call)) {}

  std::shared_ptr<Call> call_;
};

class Endpoint {
 public:
  using Send = std::function<void(std::string_view body)>;
  // Whether a method may be called now; a refused notification is ignored.
  using Gate = std::function<std::optional<RpcError>(std::string_view method)>;

  Endpoint(Send send, Gate gate, Logger& logger);
  ~Endpoint();

  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // Params that `Params` cannot be read from are answered with InvalidParams.
  template <class Params>
  void on_request(std::string method, std::function<void(Params, Reply)> handler) {
    requests_[std::move(method)] = [this, handler = std::move(handler)](const boost::json::value& value,
                                                                        Reply reply) {
      if (std::optional<Params> params = read<Params>(value, &reply))
        handler(std::move(*params), std::move(reply));
    };
  }
  template <class Params>
  void on_notification(std::string method, std::function<void(Params)> handler) {
    notifications_[method] = [this, method, handler = std::move(handler)](const boost::json::value& value) {
      if (std::optional<Params> params = read<Params>(value, nullptr, method)) handler(std::move(*params));
    };
  }

  // False when the body is not JSON.
  bool receive(std::string_view body);

  // An error that belongs to no request.
  void report(RpcError error);

  void notify(std::string_view method, boost::json::value params);
  // `done` gets the result, nullptr when the client answered with an error.
  void request(std::string_view method, boost::json::value params,
               std::function<void(const boost::json::value* result)> done);

 private:
  friend class Reply;

  template <class Params>
  std::optional<Params> read(const boost::json::value& value, Reply* reply, std::string_view method = {}) {
    JsonProblem problem;
    std::optional<Params> params(std::in_place);
    if (from_json(value, *params, JsonPath("params", problem))) return params;
    refuse(std::move(problem), reply, method);
    return std::nullopt;
  }
  void refuse(JsonProblem problem, Reply* reply, std::string_view method);
  void receive_request(const boost::json::value& id, std::string_view method,
                       const boost::json::value& params);
  void receive_response(const boost::json::object& message);
  void cancel(const boost::json::value& params);
  void answer(Reply::Call& call, boost::json::object message);
  void send(boost::json::object message);

  Send send_;
  Gate gate_;
  Logger& logger_;
  std::map<std::string, std::function<void(const boost::json::value&, Reply)>, std::less<>> requests_;
  std::map<std::string, std::function<void(const boost::json::value&)>, std::less<>> notifications_;
  std::map<std::string, std::shared_ptr<Reply::Call>> calls_;  // unanswered, by serialised id
  std::map<std::int64_t, std::function<void(const boost::json::value*)>> awaited_;
  std::int64_t next_id_ = 1;
};

}  // namespace hearth::lsp
