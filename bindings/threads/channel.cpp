// Channels of this process, and the Lua functions of all channels.
#include "bindings/threads/channel.h"

#include <limits>
#include <string>
#include <utility>

#include "bindings/support/arguments.h"
#include "bindings/threads/functions.h"
#include "bindings/threads/waiting.h"

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

Channel& channel_at(lua_State* L, const char* function) {
  return *check<std::shared_ptr<Channel>>(L, 1, function);
}

int new_channel(lua_State* L) {
  check_may_have_threads("channel");
  size_t capacity = std::numeric_limits<size_t>::max();
  if (!lua_isnoneornil(L, 1)) {
    if (!lua_isinteger(L, 1)) throw_expected(L, 1, "channel: capacity", "a positive integer");
    const lua_Integer given = lua_tointeger(L, 1);
    if (given < 1)
      throw ArgumentError("channel: capacity must be positive, got " + std::to_string(given));
    capacity = static_cast<size_t>(given);
  }
  push_object(L, std::shared_ptr<Channel>(std::make_shared<LocalChannel>(capacity)));
  return 1;
}

int channel_push(lua_State* L) {
  Channel& channel = channel_at(L, "push");
  const int count = lua_gettop(L);
  Packer packer(L, "push");
  for (int i = 2; i <= count; ++i) packer.add(i, "argument " + std::to_string(i - 1));
  if (!channel.push(packer.take())) throw Error("push: the channel is closed");
  return 0;
}

int channel_pop(lua_State* L) {
  Channel& channel = channel_at(L, "pop");
  const double seconds = timeout_at(L, 2, "pop");
  lua_settop(L, 0);
  // In a userdata, so that it is released if unpacking raises an error.
  auto& values = push_object(L, channel.pop(seconds));
  if (values) return values->unpack(L);
  lua_pushnil(L);
  return 1;
}

/// A loop iterator: ignores the control variable.
int channel_next(lua_State* L) {
  lua_settop(L, 1);
  return channel_pop(L);
}

int channel_iter(lua_State* L) {
  channel_at(L, "iter");
  lua_pushcfunction(L, guard<channel_next>);
  lua_pushvalue(L, 1);
  return 2;
}

int channel_close(lua_State* L) {
  channel_at(L, "close").close();
  return 0;
}

int channel_closed(lua_State* L) {
  lua_pushboolean(L, channel_at(L, "is_closed").closed());
  return 1;
}

int channel_length(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(channel_at(L, "#").size()));
  return 1;
}

int channel_text(lua_State* L) {
  Channel& channel = channel_at(L, "tostring");
  lua_pushfstring(L, "channel with %d waiting%s", static_cast<int>(channel.size()),
                  channel.closed() ? ", closed" : "");
  return 1;
}

constexpr Function kChannelMethods[] = {
    {"push", guard<channel_push>, "value, ...",
     "Adds values, which a single pop returns; waits while the channel is full. Raises an error if "
     "it is closed",
     "local c = tide.channel(); c:push(1, \"two\"); c:pop() --> 1, \"two\""},
    {"pop", guard<channel_pop>, "timeout?",
     "The values of the oldest push; waits up to timeout seconds for one. nil on timeout, or if "
     "the channel is closed and empty",
     "local c = tide.channel(); c:pop(0) --> nil"},
    {"iter", guard<channel_iter>, "", "for value in c:iter(): pops until the channel is closed",
     "local c = tide.channel(); c:push(2); c:close(); local sum = 0; for x in c:iter() do sum = "
     "sum "
     "+ x end; sum --> 2"},
    {"close", guard<channel_close>, "",
     "Rejects further pushes; values in the queue can still be popped",
     "local c = tide.channel(); c:close(); c:pop() --> nil"},
    {"is_closed", guard<channel_closed>, "", "Whether the channel was closed",
     "tide.channel():is_closed() --> false"},
};

}  // namespace

std::span<const Function> channel_functions() {
  static constexpr Function kFunctions[] = {
      {"channel", guard<new_channel>, "capacity?",
       "A queue of values between threads and processes, with room for capacity pushes. Values are "
       "copied as by tide.thread and tide.process",
       "local c = tide.channel(); c:push(3); #c --> 1"}};
  return kFunctions;
}

std::span<const Function> channel_methods() { return kChannelMethods; }

void open_channel_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__len", guard<channel_length>},
                                  {"__tostring", guard<channel_text>},
                                  {"__close", guard<channel_close>},
                                  {nullptr, nullptr}};
  open_class<std::shared_ptr<Channel>>(L, metamethods, kChannelMethods, "channel");
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<std::optional<SerializedValues>>(L, none, none);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
