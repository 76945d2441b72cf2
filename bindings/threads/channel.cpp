// Channels of this process, and the Lua functions of all channels.
#include "bindings/threads/channel.h"

#include <limits>
#include <string>
#include <utility>

#include "bindings/ops/typed_function.h"
#include "bindings/threads/functions.h"
#include "bindings/threads/waiting.h"
#include "runtime/ops/checks.h"

namespace tide::bindings {

bool LocalChannel::push(SerializedValues values) {
  std::unique_lock lock(mutex_);
  wait_until(lock, changed_, kForever, [&] { return closed_ || items_.size() < capacity_; });
  if (closed_) return false;
  items_.push_back(std::move(values));
  notify();
  return true;
}

std::optional<bool> LocalChannel::try_push(SerializedValues& values) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (items_.size() >= capacity_) return std::nullopt;
  items_.push_back(std::move(values));
  notify();
  return true;
}

std::optional<SerializedValues> LocalChannel::pop(double seconds) {
  std::unique_lock lock(mutex_);
  wait_until(lock, changed_, seconds, [&] { return closed_ || !items_.empty(); });
  return take_first();
}

std::optional<SerializedValues> LocalChannel::try_pop() {
  const std::lock_guard lock(mutex_);
  return take_first();
}

/// Requires the mutex, like notify.
std::optional<SerializedValues> LocalChannel::take_first() {
  if (items_.empty()) return std::nullopt;
  std::optional<SerializedValues> values(std::move(items_.front()));
  items_.pop_front();
  notify();
  return values;
}

void LocalChannel::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  notify();
}

bool LocalChannel::closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

size_t LocalChannel::size() {
  const std::lock_guard lock(mutex_);
  return items_.size();
}

void LocalChannel::watch(const std::shared_ptr<ChannelWatcher>& watcher) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watchers_, [&](const auto& other) {
    const auto there = other.lock();
    return !there || there == watcher;
  });
  watchers_.push_back(watcher);
}

void LocalChannel::notify() {
  changed_.notify_all();
  for (const auto& watcher : watchers_)
    if (const auto there = watcher.lock()) there->channel_changed();
}

namespace {

using ChannelHandle = std::shared_ptr<Channel>;

ChannelHandle new_channel(std::optional<int64_t> capacity) {
  check_may_have_threads("channel");
  if (capacity) check_least("channel", "capacity", *capacity, 1);
  return std::make_shared<LocalChannel>(capacity ? static_cast<size_t>(*capacity)
                                                 : std::numeric_limits<size_t>::max());
}

int channel_push(lua_State* L, const ChannelHandle& channel, Values values) {
  Packer packer(L, "push");
  for (int i = 0; i < values.count; ++i)
    packer.add(values.first + i, "argument " + std::to_string(i + 1));
  if (!channel->push(packer.take())) throw Error("push: the channel is closed");
  return 0;
}

int channel_pop(lua_State* L, const ChannelHandle& channel, std::optional<double> timeout) {
  // In a userdata, so that it is released if unpacking raises an error.
  auto& values = push_object(L, channel->pop(checked_timeout(timeout, "pop")));
  if (values) return values->unpack(L);
  lua_pushnil(L);
  return 1;
}

/// A loop iterator: ignores the control variable.
int channel_next(lua_State* L) {
  return channel_pop(L, check<ChannelHandle>(L, 1, "pop"), std::nullopt);
}

int channel_iter(lua_State* L, [[maybe_unused]] const ChannelHandle& channel) {
  lua_pushcfunction(L, guard<channel_next>);
  lua_pushvalue(L, 1);
  return 2;
}

void channel_close(const ChannelHandle& channel) { channel->close(); }

/// __close, which is also called with an error.
int channel_end(lua_State* L) {
  check<ChannelHandle>(L, 1, "close")->close();
  return 0;
}

bool channel_closed(const ChannelHandle& channel) { return channel->closed(); }

int channel_length(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(check<ChannelHandle>(L, 1, "#")->size()));
  return 1;
}

std::string channel_text(const ChannelHandle& channel) {
  return "channel with " + std::to_string(channel->size()) + " waiting" +
         (channel->closed() ? ", closed" : "");
}

constexpr Function kChannelMethods[] = {
    typed_method<channel_push, "push", "channel, value...">(
        "Adds values, which a single pop returns; waits while the channel is full. Raises an error "
        "if "
        "it is closed",
        "local c = tide.channel(); c:push(1, \"two\"); c:pop() --> 1, \"two\""),
    typed_method<channel_pop, "pop", "channel, timeout?">(
        "The values of the oldest push; waits up to timeout seconds for one. nil on timeout, or if "
        "the channel is closed and empty",
        "local c = tide.channel(); c:pop(0) --> nil"),
    typed_method<channel_iter, "iter", "channel">(
        "for value in c:iter(): pops until the channel is closed",
        "local c = tide.channel(); c:push(2); c:close(); local sum = 0; for x in c:iter() do sum = "
        "sum "
        "+ x end; sum --> 2"),
    typed_method<channel_close, "close", "channel">(
        "Rejects further pushes; values in the queue can still be popped",
        "local c = tide.channel(); c:close(); c:pop() --> nil"),
    typed_method<channel_closed, "is_closed", "channel">("Whether the channel was closed",
                                                         "tide.channel():is_closed() --> false"),
};

}  // namespace

std::span<const Function> channel_functions() {
  static constexpr Function kFunctions[] = {
      typed_function<new_channel, "channel", "capacity?">(
          "A queue of values between threads and processes, of at most capacity pushes. Values are "
          "copied as by tide.thread and tide.process",
          "local c = tide.channel(); c:push(3); #c --> 1"),
  };
  return kFunctions;
}

std::span<const Function> channel_methods() { return kChannelMethods; }

void open_channel_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__len", guard<channel_length>},
                                  {"__tostring", guard<typed<channel_text, "tostring", "channel">>},
                                  {"__close", guard<channel_end>},
                                  {nullptr, nullptr}};
  open_class<std::shared_ptr<Channel>>(L, metamethods, kChannelMethods, "channel");
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<std::optional<SerializedValues>>(L, none, none);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
