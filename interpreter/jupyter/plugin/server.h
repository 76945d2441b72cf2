// The sockets of a kernel: xeus's server, made to live through interrupts.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>
#include <xeus/xserver_zmq.hpp>

namespace tide::jupyter {

/// Beside what xeus's own does: messages may be published from any thread, only inputs behind a
/// failed one are aborted, an input is read until it is interrupted, and the kernel ends with the
/// process that started it.
class Server final : public xeus::xserver_zmq {
 public:
  using xserver_zmq::xserver_zmq;

  /// Whether the input that runs is to be shown, though it leaves no trace. To xeus, which knows
  /// no such inputs, it is a silent one.
  bool shows_silent_input() const { return shows_silent_input_; }

  /// While an input waits for a line it looks here whether it shall go on.
  void set_interrupted(std::function<bool()> is_interrupted) {
    is_interrupted_ = std::move(is_interrupted);
  }

  /// Ends the kernel behind the present message.
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
  std::deque<xeus::xmessage> waiting_;   ///< requests that were behind a failed input
  std::vector<xeus::xmessage> aborted_;  ///< inputs among them
  std::string session_, user_;
  bool aborts_ = false;  ///< An error of the input that runs aborts those behind it.
  bool shows_silent_input_ = false;
};

}  // namespace tide::jupyter
