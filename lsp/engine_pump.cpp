#include "lsp/engine_pump.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace hearth::lsp {
namespace {

constexpr std::chrono::hours kPatience(1);  // any; waiting goes on after it

}  // namespace

EnginePump::EnginePump(JobRouter& router, boost::asio::io_context& context)
    : router_(router), context_(context) {
  thread_ = std::jthread([this](std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::optional<engine::Event> event =
          router_.engine().wait(std::chrono::steady_clock::now() + kPatience);
      if (!event) continue;
      boost::asio::post(context_, [this, event = std::move(*event)] { router_.deliver(event); });
    }
  });
}

EnginePump::~EnginePump() {
  thread_.request_stop();
  router_.engine().wake();
}

}  // namespace hearth::lsp
