// A channel in another process.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bindings/threads/channel.h"
#include "bindings/threads/connection.h"

namespace tide::bindings {

/// Forwards calls to the process that owns the channel. When that process ends, the channel is
/// closed.
class RemoteChannel final : public Channel {
 public:
  RemoteChannel(std::shared_ptr<Connection> connection, uint64_t number)
      : connection_(std::move(connection)), number_(number) {}
  ~RemoteChannel() override;

  bool push(SerializedValues values) override;
  std::optional<SerializedValues> pop(double seconds) override;
  void close() override;
  bool closed() override { return look().closed; }
  size_t size() override { return look().size; }

  bool goes_over(const Connection& connection) const { return connection_.get() == &connection; }
  uint64_t number() const { return number_; }
  /// Counts how often the channel was received.
  void came() { ++times_; }

 private:
  struct State {
    bool closed;
    uint64_t size;
  };
  State look();

  const std::shared_ptr<Connection> connection_;
  const uint64_t number_;
  std::atomic<uint64_t> times_{0};
  std::mutex mutex_;
  std::deque<SerializedValues> kept_;  ///< popped for waits that were interrupted
};

}  // namespace tide::bindings
