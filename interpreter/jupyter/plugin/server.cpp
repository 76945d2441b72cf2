// Receives requests one by one and passes them to xeus.
#include "interpreter/jupyter/plugin/server.h"

#include <pthread.h>
#include <signal.h>

#include <exception>
#include <iostream>
#include <utility>
#include <xeus/xzmq_serializer.hpp>
#include <zmq_addon.hpp>

namespace tide::jupyter {
namespace {

namespace nl = nlohmann;
using std::chrono::milliseconds;

constexpr milliseconds kForever(-1);
constexpr milliseconds kPollInterval(50);

/// Blocks SIGINT while it exists: an interrupted ZeroMQ call would fail.
class WithoutInterrupts {
 public:
  WithoutInterrupts() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
  }
  ~WithoutInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutInterrupts(const WithoutInterrupts&) = delete;
  WithoutInterrupts& operator=(const WithoutInterrupts&) = delete;

 private:
  sigset_t before_;
};

/// Waits until one of the sockets has a message or `time` has passed.
template <size_t kCount>
void wait_for_message(zmq::pollitem_t (&items)[kCount], milliseconds time) {
  try {
    zmq::poll(items, kCount, time);
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
    for (zmq::pollitem_t& item : items) item.revents = 0;
  }
}

}  // namespace

/// Receives a pending message. False, with a note on stderr, if it is not a valid message of a
/// front end.
bool Server::receive(zmq::socket_t& socket, xeus::xmessage& message) {
  try {
    const WithoutInterrupts guard;
    zmq::multipart_t parts;
    if (!parts.recv(socket, ZMQ_DONTWAIT)) return false;
    message = xeus::xzmq_serializer::deserialize(parts, *p_auth);
    return true;
  } catch (const std::exception& error) {
    std::cerr << "a message was refused: " << error.what() << std::endl;
    return false;
  }
}

void Server::start_impl(xeus::xpub_message message) {
  session_ = message.header().value("session", "");
  user_ = message.header().value("username", "");
  start_publisher_thread();
  start_heartbeat_thread();
  publish(std::move(message), xeus::channel::SHELL);
  while (!m_request_stop) {
    if (!waiting_.empty()) {
      xeus::xmessage first = std::move(waiting_.front());
      waiting_.pop_front();
      handle_shell(std::move(first));
      continue;
    }
    zmq::pollitem_t items[] = {{m_controller, 0, ZMQ_POLLIN, 0}, {m_shell, 0, ZMQ_POLLIN, 0}};
    wait_for_message(items, kForever);
    if (items[0].revents & ZMQ_POLLIN) handle_control();
    xeus::xmessage request;
    if (!m_request_stop && items[1].revents & ZMQ_POLLIN && receive(m_shell, request))
      handle_shell(std::move(request));
  }
  stop_channels();
}

void Server::handle_control() {
  xeus::xmessage request;
  if (receive(m_controller, request)) notify_control_listener(std::move(request));
}

void Server::handle_shell(xeus::xmessage message) {
  if (message.header().value("msg_type", "") != "execute_request")
    return notify_shell_listener(std::move(message));
  nl::json content = message.content();
  const bool silent = content.value("silent", false);
  aborts_ = !silent && content.value("stop_on_error", true);
  shows_silent_input_ = !silent && !content.value("store_history", true);
  content["silent"] = silent || shows_silent_input_;
  content["stop_on_error"] = false;  // The queue is aborted here.
  notify_shell_listener(xeus::xmessage(message.identities(), message.header(),
                                       message.parent_header(), message.metadata(),
                                       std::move(content), xeus::buffer_sequence()));
  aborts_ = false;
  for (const xeus::xmessage& input : aborted_) refuse(input);
  aborted_.clear();
}

void Server::send_shell_impl(xeus::xmessage message) {
  // Collected before the reply, as requests sent after the front end sees the error must run.
  if (aborts_ && message.content().value("status", "") == "error") take_queue();
  xserver_zmq::send_shell_impl(std::move(message));
}

void Server::publish_impl(xeus::xpub_message message, xeus::channel channel) {
  const std::lock_guard lock(publishing_);
  const WithoutInterrupts guard;
  xserver_zmq::publish_impl(std::move(message), channel);
}

/// Receives the requests queued after a failed input.
void Server::take_queue() {
  zmq::pollitem_t items[] = {{m_shell, 0, ZMQ_POLLIN, 0}};
  while (true) {
    wait_for_message(items, milliseconds(0));
    if (!(items[0].revents & ZMQ_POLLIN)) return;
    xeus::xmessage request;
    if (!receive(m_shell, request)) continue;
    if (request.header().value("msg_type", "") == "execute_request")
      aborted_.push_back(std::move(request));
    else
      waiting_.push_back(std::move(request));
  }
}

/// Replies that an input was aborted.
void Server::refuse(const xeus::xmessage& message) {
  const auto publish_status = [&](const char* state) {
    publish(
        xeus::xpub_message("status", xeus::make_header("status", user_, session_), message.header(),
                           nl::json::object(), {{"execution_state", state}}, {}),
        xeus::channel::SHELL);
  };
  publish_status("busy");
  send_shell(xeus::xmessage(message.identities(),
                            xeus::make_header("execute_reply", user_, session_), message.header(),
                            nl::json::object(), {{"status", "aborted"}}, {}));
  publish_status("idle");
}

void Server::send_stdin_impl(xeus::xmessage message) {
  xeus::xmessage reply;
  zmq::pollitem_t items[] = {{m_stdin, 0, ZMQ_POLLIN, 0}, {m_controller, 0, ZMQ_POLLIN, 0}};
  // Discard late replies to an interrupted request.
  for (wait_for_message(items, milliseconds(0)); items[0].revents & ZMQ_POLLIN;
       wait_for_message(items, milliseconds(0)))
    receive(m_stdin, reply);
  {
    const WithoutInterrupts guard;
    xeus::xzmq_serializer::serialize(std::move(message), *p_auth, m_error_handler).send(m_stdin);
  }
  while (!m_request_stop && !is_interrupted_()) {
    wait_for_message(items, kPollInterval);
    if (items[1].revents & ZMQ_POLLIN) handle_control();
    if (items[0].revents & ZMQ_POLLIN && receive(m_stdin, reply))
      return notify_stdin_listener(std::move(reply));
  }
}

}  // namespace tide::jupyter
