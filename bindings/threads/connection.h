// A connection between two processes that run Lua: messages and shared channels.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bindings/threads/channel.h"
#include "bindings/threads/serialized_bytes.h"

namespace tide::bindings {

class RemoteChannel;

/// The kinds of messages.
enum class Message : uint8_t {
  call,     ///< to the new process: the function to run
  results,  ///< from it: serialized values
  failure,  ///< from it: an error message
  cancel,   ///< to it
  // Channel messages, to the process that owns the channel. Each with a number is answered once.
  push,
  pop,
  look,
  withdraw,  ///< answers the push or pop of that number immediately
  close,
  release,  ///< the sender no longer holds the channel; with the number of times it received it
  answer
};

/// The outcome of a request.
enum class Outcome : uint8_t { done, withdrawn, closed, failed };

/// One end of a connection. Channels sent over it stay in the process that created them; the other
/// end gets a RemoteChannel, whose calls are requests. The connection is symmetric.
///
/// A reader thread passes requests to the writer thread, answers to waiting callers, and other
/// messages to `receive`. The writer thread serves requests and writes. As the reader never writes,
/// the two ends cannot deadlock.
class Connection final : public ChannelWatcher,
                         public ChannelNames,
                         public std::enable_shared_from_this<Connection> {
 public:
  /// Callbacks for messages not about channels, and for the end of the other process. Called on the
  /// reader thread.
  struct Owner {
    std::function<void(Message, ByteReader)> receive;
    std::function<void()> ended;
  };

  /// Takes ownership of one end of a socket pair.
  explicit Connection(int socket) : socket_(socket) {}
  /// Requires finish() or cut() before.
  ~Connection();
  void start(Owner owner);

  /// Queues a message.
  void send(Message message, Payload body);
  /// Writes all queued messages, then closes the connection.
  void finish();
  /// Closes the connection.
  void cut();

  /// Sends a request and returns the answer, an Outcome and its data; none if the other process has
  /// ended. If the wait is interrupted (see waiting.h) or `seconds` pass, the request is withdrawn;
  /// if it was served anyway, `late` receives the answer before an error is rethrown.
  using Late = std::function<void(ByteReader)>;
  std::optional<Payload> request(Message message, uint64_t channel, Payload body, double seconds,
                                 const Late& late = {});

  void channel_changed() override;
  ChannelName name(const std::shared_ptr<Channel>& channel) override;
  std::shared_ptr<Channel> channel(ChannelName name) override;

 private:
  struct Head;  // precedes each message
  struct Frame {
    Message message;
    Payload body;
  };
  /// A request of the other end for a channel of this process.
  struct Request {
    Message message;
    uint64_t number;
    std::shared_ptr<LocalChannel> channel;  ///< null if it no longer exists
    SerializedValues values;                ///< of a push
  };
  struct Waiting {
    bool answered = false;
    Payload answer;
  };
  struct Lent {
    std::shared_ptr<LocalChannel> channel;
    uint64_t times;  ///< how often it was sent
  };

  void read();
  bool read_head(Head& head, std::vector<std::shared_ptr<SharedMemory>>& memory);
  bool read_bytes(char* bytes, size_t size);
  void take(Message message, ByteReader body);
  void take_request(Message message, ByteReader body);
  void take_answer(ByteReader body);
  void take_release(uint64_t channel, uint64_t times);
  void note_end();
  void serve_and_write();
  void serve(std::deque<Request> incoming, std::deque<Frame>& answers);
  std::optional<Payload> serve(Request& request);
  bool write(const Frame& frame);
  bool write_head(const Frame& frame);
  bool write_bytes(const char* bytes, size_t size);
  void queue(Message message, Payload body);
  std::shared_ptr<LocalChannel> lent(uint64_t number);

  const int socket_;
  Owner owner_;
  std::mutex mutex_;
  std::condition_variable work_, answered_;
  std::deque<Frame> outgoing_;
  std::deque<Request> requests_;
  std::list<Request> unanswered_;  ///< used by the writer thread
  bool look_again_ = false;        ///< a channel has changed
  bool finishing_ = false;         ///< no further messages will be queued
  bool ended_ = false;             ///< the other process has ended
  uint64_t last_number_ = 0;
  std::unordered_map<uint64_t, Waiting> waiting_;
  std::unordered_map<uint64_t, Lent> lent_;
  std::unordered_map<uint64_t, std::weak_ptr<RemoteChannel>> remote_;
  std::thread reader_, writer_;
};

}  // namespace tide::bindings
