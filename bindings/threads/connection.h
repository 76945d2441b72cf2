// A connection between two processes that run Lua: messages, and channels that both use.
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
#include "bindings/threads/parcel_bytes.h"

namespace tide::bindings {

class RemoteChannel;

/// The kinds of messages.
enum class Message : uint8_t {
  call,     ///< to the new process: what it is to do
  results,  ///< from it: a parcel
  failure,  ///< from it: the text of an error
  cancel,   ///< to it
  // Of a channel, to the process in which it lies. Each that has a number is answered once.
  push,
  pop,
  look,
  withdraw,  ///< answers the push or pop of that number at once
  close,
  release,  ///< the sender no longer has the channel, which went to it so many times
  answer
};

/// How a request was answered.
enum class Outcome : uint8_t { done, withdrawn, closed, failed };

/// One end of a connection. Channels that go over it stay in the process that made them; at the
/// other end they are a RemoteChannel, whose calls are requests. Both ends are the same.
///
/// One thread reads: it hands requests to the other, answers to who waits for them, and everything
/// else to `receive`. The other thread serves requests and writes, so that neither end can block
/// the other by not reading.
class Connection final : public ChannelWatcher,
                         public ChannelNames,
                         public std::enable_shared_from_this<Connection> {
 public:
  /// What happens to messages that concern no channel, and at the end of the other process. Called
  /// on the thread that reads.
  struct Owner {
    std::function<void(Message, ByteReader)> receive;
    std::function<void()> ended;
  };

  /// Takes over one end of a pair of sockets.
  explicit Connection(int socket) : socket_(socket) {}
  /// After finish() or cut().
  ~Connection();
  void start(Owner owner);

  /// Queues a message behind those queued before.
  void send(Message message, Payload body);
  /// Writes what is queued, then ends the connection.
  void finish();
  /// Ends the connection.
  void cut();

  /// The answer to a request: an Outcome, and what goes with it; none if the other process has
  /// ended. Whatever ends the wait for it (see waiting.h), or after `seconds`, the request is
  /// withdrawn; if it was served all the same, `late` gets the answer before an error is passed on.
  using Late = std::function<void(ByteReader)>;
  std::optional<Payload> request(Message message, uint64_t channel, Payload body, double seconds,
                                 const Late& late = {});

  void channel_changed() override;
  ChannelName name(const std::shared_ptr<Channel>& channel) override;
  std::shared_ptr<Channel> channel(ChannelName name) override;

 private:
  struct Head;  // in front of each message
  struct Frame {
    Message message;
    Payload body;
  };
  /// What the other end wants of a channel of this one.
  struct Request {
    Message message;
    uint64_t number;
    std::shared_ptr<LocalChannel> channel;  ///< null: it is gone
    Parcel parcel;                          ///< of a push
  };
  struct Waiting {
    bool answered = false;
    Payload answer;
  };
  struct Lent {
    std::shared_ptr<LocalChannel> channel;
    uint64_t times;  ///< that it went over
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
  std::list<Request> unanswered_;  ///< of the thread that writes
  bool look_again_ = false;        ///< A channel has changed.
  bool finishing_ = false;         ///< No message comes any more.
  bool ended_ = false;             ///< The other process has ended.
  uint64_t last_number_ = 0;
  std::unordered_map<uint64_t, Waiting> waiting_;
  std::unordered_map<uint64_t, Lent> lent_;
  std::unordered_map<uint64_t, std::weak_ptr<RemoteChannel>> remote_;
  std::thread reader_, writer_;
};

}  // namespace tide::bindings
