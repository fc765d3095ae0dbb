// Messages over a pair of file descriptors: standard input and output, or a socket twice. Everything
// runs on the io_context's one thread, the protocol thread. Nothing blocks: what is sent waits in a queue
// until the other side reads it. The process must ignore SIGPIPE.
#pragma once

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/framing.h"

namespace hearth::lsp {

struct TransportHandlers {
  std::function<bool(std::string_view body)> message;  // false: the body is not JSON
  std::function<void(const FramingError& error)> broken;
  // Once, when the other side is gone (the argument says how, empty for a clean end) or after `close`.
  std::function<void(std::string_view reason)> closed;
};

class Transport : public std::enable_shared_from_this<Transport> {
 public:
  using Descriptor = boost::asio::posix::stream_descriptor;

  Transport(Descriptor input, Descriptor output);

  // Begins to read. The handlers are dropped after `closed`.
  void start(TransportHandlers handlers);

  void send(std::string_view body);

  // Reads no more, writes what was sent (for a second at most), then calls `closed`.
  void close();

  // Ends at once, without `closed`.
  void abandon();

 private:
  void read();
  void write();
  void finish_when_written(std::string_view reason);
  void finish(std::string_view reason);
  void handle(std::size_t bytes);

  Descriptor input_, output_;
  boost::asio::steady_timer patience_;
  TransportHandlers handlers_;
  FrameDecoder decoder_;
  std::array<char, 64 << 10> chunk_;
  std::deque<std::string> outgoing_;
  std::string reason_;
  bool closing_ = false, finished_ = false;
};

}  // namespace hearth::lsp
