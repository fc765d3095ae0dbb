#include "lsp/json_rpc.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "lsp/protocol.h"

namespace hearth::lsp {
namespace {

namespace json = boost::json;

struct EndpointFixture {
  EndpointFixture() {
    endpoint.on_request<Position>("echo", [](Position position, Reply reply) {
      reply.result({{"line", position.line}});
    });
    endpoint.on_request<Position>("drop", [](Position, Reply) {});
    endpoint.on_request<Position>("keep", [this](Position, Reply reply) {
      kept = std::make_shared<Reply>(std::move(reply));
      kept->on_cancel([this] { ++cancels; });
    });
    endpoint.on_notification<Position>("note", [this](Position) { ++notes; });
  }

  json::object only() const { return sent.size() == 1 ? sent.front() : json::object{{"sent", sent.size()}}; }

  std::vector<json::object> sent;
  Logger logger{nullptr};
  std::shared_ptr<Reply> kept;
  int cancels = 0, notes = 0;
  Endpoint endpoint{[this](std::string_view body) {
                      sent.push_back(json::parse(json::string_view(body.data(), body.size())).as_object());
                    },
                    [](std::string_view) { return std::optional<RpcError>(); }, logger};
};

struct ErrorCase {
  const char* message;
  int code;
  const char* id;  // JSON
};

TEST(JsonRpc, AnswersWhatCannotBeServedWithTheRightError) {
  const std::vector<ErrorCase> cases{
      {"", -32700, "null"},
      {"{", -32700, "null"},
      {"{}{}", -32700, "null"},
      {"\xff", -32700, "null"},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}", -32700, "null"},
      {"[]", -32600, "null"},
      {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}]", -32600, "null"},
      {"7", -32600, "null"},
      {"{}", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, "1"},
      {R"({"id":1,"method":"echo"})", -32600, "1"},
      {R"({"jsonrpc":"1.0","id":"x","method":"echo"})", -32600, "\"x\""},
      {R"({"jsonrpc":"2.0","id":1,"method":2})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":{},"method":"echo"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"echo"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":null,"method":"echo"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":1,"method":"echo","params":"x"})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"nobody","params":{}})", -32601, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"echo"})", -32602, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"echo","params":[]})", -32602, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"line":-1,"character":0}})", -32602, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"line":0.5,"character":0}})", -32602, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"drop","params":{"line":0,"character":0}})", -32603, "1"},
  };
  for (const ErrorCase& item : cases) {
    EndpointFixture fixture;
    EXPECT_EQ(fixture.endpoint.receive(item.message), item.code != -32700) << item.message;
    const json::object answer = fixture.only();
    ASSERT_TRUE(answer.contains("error")) << item.message << " -> " << answer;
    EXPECT_EQ(answer.at("error").at("code"), item.code) << item.message;
    EXPECT_EQ(answer.at("id"), json::parse(item.id)) << item.message;
    EXPECT_FALSE(answer.at("error").at("message").as_string().empty());
  }
}

TEST(JsonRpc, NamesTheFieldThatIsWrong) {
  EndpointFixture fixture;
  fixture.endpoint.receive(
      R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"line":0,"character":"private"}})");
  EXPECT_EQ(fixture.only().at("error").at("message"),
            "params.character: expected a whole number of at least 0, got a string");
}

TEST(JsonRpc, AnswersARequestWithItsIdAsItCame) {
  EndpointFixture fixture;
  fixture.endpoint.receive(
      R"({"jsonrpc":"2.0","id":"1","method":"echo","params":{"line":3.0,"character":0}})");
  EXPECT_EQ(fixture.only(), json::parse(R"({"jsonrpc":"2.0","id":"1","result":{"line":3}})").as_object());
}

TEST(JsonRpc, IgnoresNotificationsThatNobodyKnowsOrThatAreWrong) {
  EndpointFixture fixture;
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"nobody","params":{}})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/nobody"})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"note","params":{"line":1}})");
  EXPECT_TRUE(fixture.sent.empty());
  EXPECT_EQ(fixture.notes, 0);
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"note","params":{"line":1,"character":0}})");
  EXPECT_EQ(fixture.notes, 1);
}

TEST(JsonRpc, AnswersACancelledRequestAtOnceAndOnlyOnce) {
  EndpointFixture fixture;
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"keep","params":{"line":0,"character":0}})");
  EXPECT_TRUE(fixture.sent.empty());
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}})");
  ASSERT_EQ(fixture.sent.size(), 1u);
  EXPECT_EQ(fixture.sent[0].at("error").at("code"), -32800);
  EXPECT_EQ(fixture.cancels, 1);
  fixture.kept->result(1);
  fixture.kept.reset();
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}})");
  EXPECT_EQ(fixture.sent.size(), 1u);
  EXPECT_EQ(fixture.cancels, 1);
}

TEST(JsonRpc, TellsIdsThatLookAlikeApart) {
  EndpointFixture fixture;
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"keep","params":{"line":0,"character":0}})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"5"}})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{}})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest"})");
  EXPECT_TRUE(fixture.sent.empty());
}

TEST(JsonRpc, RefusesAnIdThatIsInUse) {
  EndpointFixture fixture;
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"keep","params":{"line":0,"character":0}})");
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"echo","params":{"line":0,"character":0}})");
  EXPECT_EQ(fixture.only().at("error").at("code"), -32600);
  fixture.kept->result(nullptr);
  fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"echo","params":{"line":0,"character":0}})");
  ASSERT_EQ(fixture.sent.size(), 3u);
  EXPECT_TRUE(fixture.sent[2].contains("result"));
}

TEST(JsonRpc, OutlivesNothing) {
  std::shared_ptr<Reply> kept;
  {
    EndpointFixture fixture;
    fixture.endpoint.receive(R"({"jsonrpc":"2.0","id":5,"method":"keep","params":{"line":0,"character":0}})");
    kept = fixture.kept;
  }
  kept->result(1);
}

TEST(JsonRpc, GivesTheClientsAnswersToWhoAsked) {
  EndpointFixture fixture;
  std::vector<json::value> answers;
  const auto note = [&](const json::value* result) {
    answers.push_back(result ? *result : json::value("refused"));
  };
  fixture.endpoint.request("ask", nullptr, note);
  fixture.endpoint.request("ask", nullptr, note);
  const json::value first = fixture.sent[0].at("id"), second = fixture.sent[1].at("id");
  EXPECT_NE(first, second);
  fixture.endpoint.receive(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", second}, {"result", 2}}));
  fixture.endpoint.receive(json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"id", first}, {"error", {{"code", 1}, {"message", "no"}}}}));
  fixture.endpoint.receive(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", first}, {"result", 3}}));
  EXPECT_EQ(answers, (std::vector<json::value>{2, "refused"}));
  EXPECT_EQ(fixture.sent.size(), 2u);
}

TEST(JsonRpc, ReadsHalfASurrogatePairAsOneReplacementCharacter) {
  EndpointFixture fixture;
  std::string text;
  fixture.endpoint.on_notification<SetTraceParams>("text",
                                                   [&](SetTraceParams params) { text = params.value; });
  fixture.endpoint.receive(
      R"({"jsonrpc":"2.0","method":"text","params":{"value":"a\ud83db\ude00c\\ud83d\ud83d\ude00"}})");
  EXPECT_EQ(text, "a\ufffdb\ufffdc\\ud83d\U0001F600");
  EXPECT_TRUE(fixture.sent.empty());
}

}  // namespace
}  // namespace hearth::lsp
