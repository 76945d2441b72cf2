// The sockets of a kernel: xeus's server, adapted to survive interrupts.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>
#include <xeus/xserver_zmq.hpp>

namespace tide::jupyter {

/// Unlike xeus's own server: messages may be published from any thread, only inputs queued after a
/// failed one are aborted, reading input can be interrupted, and requests can be waited for
/// together with control messages.
class Server final : public xeus::xserver_zmq {
 public:
  using xserver_zmq::xserver_zmq;

  /// Whether the current input is shown but not stored. xeus does not support such inputs and
  /// treats it as silent.
  bool shows_silent_input() const { return shows_silent_input_; }

  /// Sets the function that is polled while an input waits for a line; true stops the wait.
  void set_interrupted(std::function<bool()> is_interrupted) {
    is_interrupted_ = std::move(is_interrupted);
  }

  /// Ends the kernel after the current message.
  void end() { m_request_stop = true; }

 private:
  void start_impl(xeus::xpub_message message) override;
  void send_shell_impl(xeus::xmessage message) override;
  void send_stdin_impl(xeus::xmessage message) override;
  void publish_impl(xeus::xpub_message message, xeus::channel channel) override;

  void handle_shell(xeus::xmessage message);
  void handle_control();
  void take_queue();
  void refuse(const xeus::xmessage& message);
  bool receive(zmq::socket_t& socket, xeus::xmessage& message);

  std::mutex publishing_;
  std::function<bool()> is_interrupted_;
  std::deque<xeus::xmessage> waiting_;   ///< other requests received after a failed input
  std::vector<xeus::xmessage> aborted_;  ///< inputs received after a failed input
  std::string session_, user_;
  bool aborts_ = false;  ///< an error of the current input aborts the queued ones
  bool shows_silent_input_ = false;
};

}  // namespace tide::jupyter
