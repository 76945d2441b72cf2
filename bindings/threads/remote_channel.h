// A channel that lies in another process.
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

/// Asks the process in which the channel lies. After the end of that process it is closed.
class RemoteChannel final : public Channel {
 public:
  RemoteChannel(std::shared_ptr<Connection> connection, uint64_t number)
      : connection_(std::move(connection)), number_(number) {}
  ~RemoteChannel() override;

  bool push(Parcel parcel) override;
  std::optional<Parcel> pop(double seconds) override;
  void close() override;
  bool closed() override { return look().closed; }
  size_t size() override { return look().size; }

  bool goes_over(const Connection& connection) const { return connection_.get() == &connection; }
  uint64_t number() const { return number_; }
  /// Counts that the channel came over the connection.
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
  std::deque<Parcel> kept_;  ///< popped for a wait that an interrupt had ended
};

}  // namespace tide::bindings
