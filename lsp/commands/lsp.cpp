#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <list>
#include <memory>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "cache/kv_store.h"
#include "engine/local_engine.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/plan_keeper.h"
#include "lsp/commands/statistics_keeper.h"
#include "lsp/commands/workspace.h"
#include "lsp/engine_pump.h"
#include "lsp/session.h"

namespace hearth::commands {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Descriptor = lsp::Transport::Descriptor;

struct Options {
  bool stdio = false;
  std::string socket, tcp, model, log_file, log_level;
  std::optional<int> threads, cache_mb;
};

// Another build of the same version may compute otherwise, so the file that runs counts, too.
std::string program_identity() {
  const std::filesystem::path self = "/proc/self/exe";
  std::error_code unknown;
  return fmt::format("{} {} {}", HEARTH_VERSION, std::filesystem::file_size(self, unknown),
                     std::filesystem::last_write_time(self, unknown).time_since_epoch().count());
}

struct LocalEngineParts {
  LocalEngineParts(engine::LocalEngineOptions options, asio::io_context& io)
      : client(engine::start_local_engine(std::move(options))), router(*client), pump(router, io) {}

  std::unique_ptr<engine::EngineClient> client;
  lsp::JobRouter router;
  lsp::EnginePump pump;
};

// The process of `hearth lsp`: its event loop, its one engine, its sessions. One thread, but for the pump's.
class LspProcess {
 public:
  LspProcess(Options options, const engine::ModelFolders& models, std::FILE* log)
      : options_(std::move(options)),
        models_(models),
        logger_(log),
        clock_(io_),
        context_{io_,
                 clock_,
                 logger_,
                 [this](const lsp::Settings& settings) -> lsp::JobRouter& { return router_for(settings); },
                 hub_options(),
                 &plans_,
                 [this](auto statistics) { statistics_.keep(std::move(statistics)); }},
        plans_(cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME")), logger_, writing_),
        statistics_(cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME")),
                    environment("HOME"), logger_, writing_) {
    if (!options_.log_level.empty()) logger_.set_level(level_named(options_.log_level));
    signals_.async_wait([this](error_code error, int) {
      if (!error) io_.stop();
    });
  }

  int serve_stdio() {
    int exit_code = 0;
    open_session(STDIN_FILENO, STDOUT_FILENO, [this, &exit_code](int code) {
      exit_code = code;
      io_.stop();
    });
    io_.run();
    sessions_.clear();
    return exit_code;
  }

  template <class Acceptor>
  int serve(Acceptor acceptor) {
    accept(acceptor);
    io_.run();
    sessions_.clear();
    return 0;
  }

  asio::io_context& io() { return io_; }

 private:
  static lsp::LogLevel level_named(const std::string& name) {
    if (name == "error") return lsp::LogLevel::kError;
    if (name == "warning") return lsp::LogLevel::kWarning;
    return name == "debug" ? lsp::LogLevel::kDebug : lsp::LogLevel::kInfo;
  }

  static lsp::HubOptions hub_options() {
    lsp::HubOptions options;
    if (const auto stores = stores_folder()) {
      options.stores = *stores;
      options.journal = std::make_shared<indexer::ParseJournal>(*stores);
    }
    options.home = environment("HOME");
    options.global_excludes = index_options({}, 1).global_excludes;
    // What the user waits for goes first.
    options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
    options.now = system_seconds;
    return options;
  }

  // What the command line says goes before what the client says.
  lsp::JobRouter& router_for(const lsp::Settings& settings) {
    if (engine_) return engine_->router;
    std::optional<std::string> asked;
    if (!settings.model_path.empty()) asked = settings.model_path;
    if (!options_.model.empty()) asked = options_.model;
    const engine::Result<engine::ModelChoice> choice = engine::choose_model(models_, asked);
    engine::LocalEngineOptions options;
    if (choice) {
      options.model = choice->path;
    } else {
      // The engine says the same of the file and answers every job with it.
      logger_.write(lsp::LogLevel::kError, choice.error().message);
      options.model = asked ? std::filesystem::path(*asked) : models_.embedded / engine::kEmbeddedModelFile;
    }
    logger_.write(lsp::LogLevel::kInfo, "the model is " + options.model.string());
    options.threads = options_.threads.value_or(settings.engine_threads);
    options.cache_bytes = static_cast<std::uint64_t>(options_.cache_mb.value_or(settings.engine_cache_mb))
                          << 20;
    options.kv_type = settings.engine_kv_type;
    options.context_tokens = settings.engine_context_tokens;
    options.memory_bytes = static_cast<std::uint64_t>(settings.memory_size_mb) << 20;
    const auto kv = cache::kv_store_path(environment("XDG_CACHE_HOME"), environment("HOME"));
    if (kv && settings.cache_kv_mb > 0) {
      options.kv_store = {*kv, static_cast<std::uint64_t>(settings.cache_kv_mb) * 1'000'000,
                          program_identity()};
    }
    engine_.emplace(std::move(options), io_);
    return engine_->router;
  }

  void open_session(int input, int output, std::function<void(int)> ended) {
    lsp::ServerOptions options;
    options.version = HEARTH_VERSION;
    options.session = "session " + std::to_string(++last_session_);
    if (!options_.log_level.empty()) options.log_level_from = lsp::ServerOptions::LogLevelFrom::kCommandLine;
    const auto session = sessions_.emplace(sessions_.end());
    *session = std::make_unique<lsp::Session>(
        context_, std::move(options), Descriptor(io_, input), Descriptor(io_, output),
        [this, session, ended = std::move(ended)](int code) {
          // Destroyed only after this call, which runs inside the session.
          asio::post(io_, [this, session] { sessions_.erase(session); });
          ended(code);
        });
    (*session)->start();
  }

  template <class Acceptor>
  void accept(Acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](error_code error, auto socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        logger_.write(lsp::LogLevel::kError, "cannot accept a connection: " + error.message());
      } else {
        const int input = socket.release();
        open_session(input, fcntl(input, F_DUPFD_CLOEXEC, 0), [](int) {});
      }
      accept(acceptor);
    });
  }

  const Options options_;
  const engine::ModelFolders models_;
  lsp::Logger logger_;
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
  lsp::AsioClock clock_;
  std::optional<LocalEngineParts> engine_;
  lsp::SessionContext context_;
  PlanKeeper plans_;  // outlives the sessions, as what follows
  StatisticsKeeper statistics_;
  StoreThread writing_;
  std::list<std::unique_ptr<lsp::Session>> sessions_;
  int last_session_ = 0;
};

int fail(const std::string& message) {
  std::cerr << "hearth: " << message << '\n';
  return 1;
}

int serve_socket(LspProcess& process, const std::string& path) {
  using Protocol = asio::local::stream_protocol;
  error_code error;
  Protocol::endpoint endpoint;
  if (path.size() >= 108)
    return fail("--socket " + path + ": the path is longer than the 107 bytes a socket may have");
  endpoint.path(path);
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode))
      return fail("--socket " + path + ": something that is no socket is there already");
    Protocol::socket probe(process.io());
    probe.connect(endpoint, error);
    if (!error) return fail("--socket " + path + ": another process is listening there");
    unlink(path.c_str());
  }
  Protocol::acceptor acceptor(process.io());
  acceptor.open(endpoint.protocol(), error);
  const mode_t mask = umask(0177);  // the socket is the user's alone from its first moment
  if (!error) acceptor.bind(endpoint, error);
  umask(mask);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail("--socket " + path + ": " + error.message());
  const int exit_code = process.serve(std::move(acceptor));
  unlink(path.c_str());
  return exit_code;
}

int serve_tcp(LspProcess& process, const std::string& address) {
  using Protocol = asio::ip::tcp;
  const auto colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  unsigned short port = 0;
  error_code error;
  const auto ip = asio::ip::make_address(host, error);
  const char* const end = address.data() + address.size();
  const auto digits = colon == std::string::npos
                          ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                          : std::from_chars(address.data() + colon + 1, end, port);
  if (error || digits.ec != std::errc() || digits.ptr != end) {
    return fail("--tcp " + address + ": expected an address like 127.0.0.1:7000");
  }
  if (!ip.is_loopback())
    return fail("--tcp " + address + ": only this machine's own addresses (127.0.0.1, ::1) are served");
  const Protocol::endpoint endpoint(ip, port);
  Protocol::acceptor acceptor(process.io());
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail("--tcp " + address + ": " + error.message());
  std::cerr << "hearth: listening on " << acceptor.local_endpoint() << std::endl;
  return process.serve(std::move(acceptor));
}

int run(const Options& options, const engine::ModelFolders& models) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_file(nullptr, std::fclose);
  if (!options.log_file.empty()) {
    log_file.reset(std::fopen(options.log_file.c_str(), "ae"));
    if (!log_file) return fail("--log-file " + options.log_file + ": cannot be written");
  }
  // A client that is gone shows as an error of the write.
  signal(SIGPIPE, SIG_IGN);
  LspProcess process(options, models, log_file ? log_file.get() : stderr);
  if (!options.socket.empty()) return serve_socket(process, options.socket);
  if (!options.tcp.empty()) return serve_tcp(process, options.tcp);
  return process.serve_stdio();
}

}  // namespace

void add_lsp(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("lsp", "The language server, which editors start");
  const auto options = std::make_shared<Options>();
  CLI::Option* stdio =
      command->add_flag("--stdio", options->stdio, "Standard input and output (the default)");
  CLI::Option* socket =
      command->add_option("--socket", options->socket, "Listen on a Unix socket at this path");
  CLI::Option* tcp =
      command->add_option("--tcp", options->tcp, "Listen on a loopback address, such as 127.0.0.1:7000");
  stdio->excludes(socket)->excludes(tcp);
  socket->excludes(tcp);
  command->add_option("--model", options->model, "The model's file, or its name in the model folders");
  command->add_option("--threads", options->threads, "Compute threads; 0: one for each core")
      ->check(CLI::Range(0, 256));
  command->add_option("--cache-mb", options->cache_mb, "Memory for what the model has read, in MiB")
      ->check(CLI::Range(16, 65536));
  command->add_option("--log-file", options->log_file, "Log here instead of standard error");
  command->add_option("--log-level", options->log_level, "error, warning, info or debug")
      ->check(CLI::IsMember({"error", "warning", "info", "debug"}));
  command->add_option("--clientProcessId", "Ignored: the initialize request says it")->group("");
  command->callback([options, &context] { context.exit_code = run(*options, context.models); });
}

}  // namespace hearth::commands
