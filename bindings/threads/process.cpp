// Starts processes, and runs functions in them.
#include "bindings/threads/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "bindings/device/functions.h"
#include "bindings/module.h"
#include "bindings/objects/device_object.h"
#include "bindings/threads/cancellation.h"
#include "bindings/threads/waiting.h"
#include "runtime/record/engine.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

extern char** environ;

namespace tide::bindings {
namespace {

using namespace std::chrono_literals;

/// The descriptor of the socket in the new process.
constexpr int kSocket = 3;
/// The time a cancelled function has to stop before its process is ended.
constexpr auto kGrace = 1s;

std::string own_command;

[[noreturn]] void fail(const char* what, int error) {
  throw Error(std::string("process: ") + what + ": " + std::strerror(error));
}

/// Writes the script's settings for the entire process.
void write_settings(ByteWriter& body) {
  body.number(default_device_is_set());
  body.number(default_device());
  body.number(default_dtype());
  body.text(accelerator_asked_for());
  body.number(engine::threads());
}

void apply_settings(ByteReader& body) {
  const bool is_set = body.number<bool>();
  const auto device = body.number<Device>();
  if (is_set) set_default_device(device);
  set_default_dtype(body.number<DType>());
  if (const std::string name(body.text()); !name.empty()) set_accelerator(name);
  engine::set_threads(body.number<int>());
}

/// Describes how a process without results ended.
std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "ended with exit status " + std::to_string(WEXITSTATUS(status)) +
         " before its function returned";
}

/// Starts this program with the socket as kSocket, no standard input, and our outputs.
pid_t spawn(int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocket);
  posix_spawn_file_actions_addclosefrom_np(&actions, kSocket + 1);
  std::string program = "tide";
  char* const arguments[] = {program.data(), own_command.data(), nullptr};
  pid_t id;
  const int error = posix_spawn(&id, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) fail("cannot start a process", error);
  return id;
}

}  // namespace

std::shared_ptr<Process> Process::start(const JobCall& call) {
  if (own_command.empty())
    throw Error("process: only the `tide` program can start processes; run the script with `tide`");
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    fail("cannot create a socket pair", errno);
  std::shared_ptr<Process> process(new Process);
  process->connection_ = std::make_shared<Connection>(sockets[0]);
  ByteWriter body;
  try {
    write_settings(body);
    body.text(call.path);
    body.text(call.c_path);
    body.values(call.values, *process->connection_);
    process->id_ = spawn(sockets[1]);
  } catch (...) {
    process->reaped_ = true;  // not started
    close(sockets[1]);
    throw;
  }
  close(sockets[1]);
  process->connection_->send(Message::call, body.take());
  process->connection_->start(
      {[&self = *process](Message message, ByteReader text) { self.receive(message, text); },
       [&self = *process] { self.reap(); }});
  return process;
}

Process::~Process() {
  cancel();
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 2 * kGrace, [&] { return reaped_; })) kill(id_, SIGKILL);
  }
  connection_->cut();
}

void Process::receive(Message message, ByteReader body) try {
  if (message == Message::results) outcome_ = body.values(*connection_);
  if (message == Message::failure) outcome_ = std::string(body.text());
} catch (const Error& error) {
  outcome_ = std::string(error.what());
}

void Process::reap() {
  // WNOWAIT: the process id must not be reused while the process may be killed.
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const std::lock_guard lock(mutex_);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  if (auto* results = std::get_if<SerializedValues>(&outcome_))
    end(std::move(*results));
  else if (auto* error = std::get_if<std::string>(&outcome_))
    end(std::nullopt, std::move(*error));
  else
    end(std::nullopt, end_text(status));
  reaped_ = true;
  changed_.notify_all();
}

namespace {

/// The state of the new process: messages received from its parent.
struct ProcessCall {
  Cancellation cancellation;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Payload> call;
  bool is_over = false;  ///< nothing is left to call

  void receive(Message message, ByteReader body) {
    if (message == Message::cancel) stop();
    if (message != Message::call) return;
    const std::lock_guard lock(mutex);
    call = body.remaining();
    changed.notify_all();
  }

  /// Stops the function; ends the process if that takes longer than kGrace.
  void stop() {
    const std::lock_guard lock(mutex);
    if (std::exchange(is_over, true)) return;
    cancellation.ask();
    std::thread([] {
      std::this_thread::sleep_for(kGrace);
      std::_Exit(EXIT_FAILURE);
    }).detach();
    changed.notify_all();
  }
};

/// Runs the function of a call, and sends its results or its error.
void answer_call(lua_State* L, const Payload& payload, Connection& connection) {
  try {
    ByteReader body(payload);
    apply_settings(body);
    JobCall call{std::string(body.text()), {}, {}};
    call.c_path = body.text();
    call.values = body.values(connection);
    ByteWriter results;
    results.values(run_job(L, call, "process"), connection);
    connection.send(Message::results, results.take());
  } catch (const std::exception& error) {
    ByteWriter failure;
    failure.text(error.what());
    connection.send(Message::failure, failure.take());
  }
}

}  // namespace
}  // namespace tide::bindings

using namespace tide::bindings;

void tide_set_process_command(const char* word) { own_command = word; }

int tide_run_process(lua_State* L) {
  signal(SIGINT, SIG_IGN);  // Ctrl-C is handled by the parent process.
  fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  const auto connection = std::make_shared<Connection>(kSocket);
  ProcessCall process;
  connection->start({[&](Message message, ByteReader body) { process.receive(message, body); },
                     [&] { process.stop(); }});
  std::unique_lock lock(process.mutex);
  process.changed.wait(lock, [&] { return process.call || process.is_over; });
  lock.unlock();
  cancellation = &process.cancellation;
  if (process.call) answer_call(L, *process.call, *connection);
  cancellation = nullptr;
  lock.lock();
  process.is_over = true;  // the connection may end from here on
  lock.unlock();
  connection->finish();
  return EXIT_SUCCESS;
}
