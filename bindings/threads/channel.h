// Channels: queues of values between threads and processes that run Lua.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bindings/support/object.h"
#include "bindings/threads/serialized_values.h"

namespace tide::bindings {

/// A queue of serialized values. Waits can be interrupted, as in wait_until (waiting.h).
class Channel {
 public:
  virtual ~Channel() = default;
  /// Adds an item; waits while the channel is full. False if it is closed.
  virtual bool push(SerializedValues values) = 0;
  /// Removes the oldest item; waits up to `seconds` for one. None on timeout, or if the channel is
  /// closed and empty.
  virtual std::optional<SerializedValues> pop(double seconds) = 0;
  /// Rejects further pushes; items in the queue can still be popped.
  virtual void close() = 0;
  virtual bool closed() = 0;
  virtual size_t size() = 0;
};

/// Is notified of changes to a channel. The callback must not use the channel.
class ChannelWatcher {
 public:
  virtual void channel_changed() = 0;

 protected:
  ~ChannelWatcher() = default;
};

/// A channel of this process.
class LocalChannel final : public Channel {
 public:
  /// `capacity`: the maximum number of items in the queue.
  explicit LocalChannel(size_t capacity) : capacity_(capacity) {}

  bool push(SerializedValues values) override;
  std::optional<SerializedValues> pop(double seconds) override;
  void close() override;
  bool closed() override;
  size_t size() override;

  /// Like push, but returns none instead of waiting if the channel is full; `values` is then
  /// unchanged.
  std::optional<bool> try_push(SerializedValues& values);
  /// Like pop, but never waits.
  std::optional<SerializedValues> try_pop();
  /// Notifies the watcher of changes during its lifetime.
  void watch(const std::shared_ptr<ChannelWatcher>& watcher);

 private:
  std::optional<SerializedValues> take_first();
  void notify();

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SerializedValues> items_;
  std::vector<std::weak_ptr<ChannelWatcher>> watchers_;
  bool closed_ = false;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Channel>>{"tide.Channel", "channel"};
/// Popped values while they are being unpacked.
template <>
inline constexpr ClassInfo kClass<std::optional<SerializedValues>>{"tide.SerializedValues"};

}  // namespace tide::bindings
