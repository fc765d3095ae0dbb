#include "lsp/session.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace hearth::lsp {

Session::Session(SessionContext& context, ServerOptions options, Transport::Descriptor input,
                 Transport::Descriptor output, std::function<void(int)> ended)
    : context_(context),
      name_(options.session),
      transport_(std::make_shared<Transport>(std::move(input), std::move(output))),
      server_(std::move(options),
              {[transport = transport_](std::string_view body) { transport->send(body); }, context.engine,
               [&context](JobRouter& router, std::function<void(const IndexNews&)> told) {
                 return std::make_unique<WorkspaceHub>(
                     context.workspaces, router, context.logger,
                     [&io = context.io](std::function<void()> run) { boost::asio::post(io, std::move(run)); },
                     std::move(told));
               },
               [this](pid_t process) {
                 client_watch_.emplace(context_.io, process, [this] {
                   context_.logger.write(LogLevel::kInfo,
                                         fmt::format("{}: the client's process is gone", name_));
                   transport_->close();
                 });
               },
               [this] { transport_->close(); }, context.plans, context.keep_statistics,
               context.workspaces.journal},
              context.clock, context.logger),
      ended_(std::move(ended)) {}

Session::~Session() { transport_->abandon(); }

void Session::start() {
  transport_->start({[this](std::string_view body) { return server_.receive(body); },
                     [this](const FramingError& error) { server_.receive_broken(error.message); },
                     [this](std::string_view reason) {
                       if (!reason.empty()) {
                         context_.logger.write(LogLevel::kWarning, fmt::format("{}: {}", name_, reason));
                       }
                       const auto ended = std::move(ended_);
                       ended(server_.exit_code());
                     }});
}

}  // namespace hearth::lsp
