#include "lsp/transport.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

namespace hearth::lsp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kFlushPatience(1);

}  // namespace

Transport::Transport(Descriptor input, Descriptor output)
    : input_(std::move(input)), output_(std::move(output)), patience_(input_.get_executor()) {}

void Transport::start(TransportHandlers handlers) {
  handlers_ = std::move(handlers);
  read();
}

void Transport::read() {
  input_.async_read_some(
      asio::buffer(chunk_), [self = shared_from_this()](error_code error, std::size_t bytes) {
        if (self->closing_ || self->finished_) return;
        if (!error) {
          self->handle(bytes);
          if (!self->closing_ && !self->finished_) self->read();
        } else if (error == asio::error::eof) {
          self->finish_when_written(
              self->decoder_.between_messages() ? "" : "the stream ended in the middle of a message");
        } else {
          self->finish(error.message());
        }
      });
}

void Transport::handle(std::size_t bytes) {
  decoder_.feed({chunk_.data(), bytes});
  while (!closing_ && !finished_) {
    const std::optional<Frame> frame = decoder_.next();
    if (!frame) return;
    if (const auto* error = std::get_if<FramingError>(&*frame)) {
      handlers_.broken(*error);
    } else {
      const std::string& body = std::get<std::string>(*frame);
      if (!handlers_.message(body)) decoder_.reject(body);
    }
  }
}

void Transport::send(std::string_view body) {
  if (finished_ || closing_) return;
  outgoing_.push_back(encode_frame(body));
  if (outgoing_.size() == 1) write();
}

void Transport::write() {
  asio::async_write(output_, asio::buffer(outgoing_.front()),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      if (self->finished_) return;
                      if (error) return self->finish(error.message());
                      self->outgoing_.pop_front();
                      if (!self->outgoing_.empty()) return self->write();
                      if (self->closing_) self->finish(self->reason_);
                    });
}

void Transport::close() { finish_when_written(""); }

void Transport::finish_when_written(std::string_view reason) {
  if (finished_ || std::exchange(closing_, true)) return;
  reason_ = reason;
  // Never at once, because `close` is called from inside a handler.
  patience_.expires_after(outgoing_.empty() ? std::chrono::seconds(0) : kFlushPatience);
  patience_.async_wait([self = shared_from_this()](error_code error) {
    if (!error) self->finish(self->reason_);
  });
}

void Transport::finish(std::string_view reason) {
  if (finished_) return;
  // A copy, because the handlers go with `abandon`, and because the callee may destroy what they refer to.
  const auto closed = handlers_.closed;
  abandon();
  closed(reason);
}

void Transport::abandon() {
  if (std::exchange(finished_, true)) return;
  error_code ignored;
  input_.close(ignored);
  output_.close(ignored);
  patience_.cancel();
  handlers_ = {};
}

}  // namespace hearth::lsp
