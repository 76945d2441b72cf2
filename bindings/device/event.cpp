// Events and streams: the queues of a device, and points in them.
#include <string>
#include <string_view>

#include "bindings/device/functions.h"
#include "bindings/modes/modes.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/event_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// The stream at `index`, or the current stream of the device there.
engine::StreamId stream_at(lua_State* L, int index, Device fallback, const char* function) {
  if (const StreamObject* stream = find<StreamObject>(L, index)) return stream->id;
  return engine::current_stream(device_or(L, index, fallback, function));
}

/// The device at `index`, or that of the stream there.
Device place_at(lua_State* L, int index, Device fallback, const char* function) {
  if (const StreamObject* stream = find<StreamObject>(L, index)) return stream->id.device;
  return device_or(L, index, fallback, function);
}

/// Reads Event{device =, timing =} or Event(device).
EventObject read_event(lua_State* L) {
  EventObject event{timed_device(), false, {}, false};
  if (lua_type(L, 1) != LUA_TTABLE) {
    event.device = place_at(L, 1, event.device, "Event");
    return event;
  }
  for_each_option(L, 1, "Event", "device, ctx, timing, enable_timing",
                  [&](std::string_view key, int value) {
                    if (key == "device" || key == "ctx")
                      event.device = place_at(L, value, event.device, "Event");
                    else if (lua_isboolean(L, value))
                      event.timing = lua_toboolean(L, value);
                    else
                      throw_expected(L, value, "Event: timing", "boolean");
                  });
  return event;
}

int new_event(lua_State* L) {
  push_object(L, read_event(L));
  return 1;
}

void record(EventObject& event, engine::StreamId stream) {
  event.device = stream.device;
  event.mark = engine::mark(stream);
  event.recorded = true;
}

int event_text(lua_State* L) {
  const EventObject& event = check<EventObject>(L, 1, "tostring");
  const char* const state = !event.recorded               ? "not recorded"
                            : engine::reached(event.mark) ? "reached"
                                                          : "recorded";
  lua_pushfstring(L, "Event(device = %s, timing = %s, %s)", event.device.name().c_str(),
                  event.timing ? "true" : "false", state);
  return 1;
}

int event_record(lua_State* L) {
  EventObject& event = check<EventObject>(L, 1, "record");
  record(event, stream_at(L, 2, event.device, "record"));
  lua_settop(L, 1);
  return 1;
}

int event_wait(lua_State* L) {
  const EventObject& event = check<EventObject>(L, 1, "wait");
  const engine::StreamId stream = stream_at(L, 2, default_device(), "wait");
  if (event.recorded) engine::wait_on_stream(stream, event.mark);
  return 0;
}

int event_query(lua_State* L) {
  const EventObject& event = check<EventObject>(L, 1, "query");
  lua_pushboolean(L, !event.recorded || engine::reached(event.mark));
  return 1;
}

int event_synchronize(lua_State* L) {
  const EventObject& event = check<EventObject>(L, 1, "synchronize");
  if (event.recorded) engine::wait(event.mark, "event");
  return 0;
}

int event_elapsed(lua_State* L) {
  const EventObject& from = check<EventObject>(L, 1, "elapsed_time");
  const EventObject& to = check<EventObject>(L, 2, "elapsed_time");
  if (!from.timing || !to.timing)
    throw Error("elapsed_time: both events must be created with {timing = true}");
  if (!from.recorded || !to.recorded) throw Error("elapsed_time: both events must be recorded");
  for (const EventObject* event : {&from, &to}) engine::wait(event->mark, "elapsed_time");
  lua_pushnumber(L, 1e3 * engine::elapsed(from.mark, to.mark));
  return 1;
}

int new_stream(lua_State* L) {
  if (lua_type(L, 1) == LUA_TTABLE) {
    for_each_option(L, 1, "Stream", "device", [](std::string_view, int) {});
    lua_getfield(L, 1, "device");
    lua_replace(L, 1);
  }
  push_object(L, StreamObject{engine::add_stream(place_at(L, 1, default_device(), "Stream"))});
  return 1;
}

int stream_synchronize(lua_State* L) {
  engine::synchronize(check<StreamObject>(L, 1, "synchronize").id, "stream");
  return 0;
}

int stream_query(lua_State* L) {
  lua_pushboolean(L, engine::idle(check<StreamObject>(L, 1, "query").id));
  return 1;
}

int stream_wait_event(lua_State* L) {
  const StreamObject& stream = check<StreamObject>(L, 1, "wait_event");
  const EventObject& event = check<EventObject>(L, 2, "wait_event");
  if (event.recorded) engine::wait_on_stream(stream.id, event.mark);
  return 0;
}

int stream_wait_stream(lua_State* L) {
  const StreamObject& stream = check<StreamObject>(L, 1, "wait_stream");
  const StreamObject& other = check<StreamObject>(L, 2, "wait_stream");
  engine::wait_on_stream(stream.id, engine::mark(other.id));
  return 0;
}

int stream_record_event(lua_State* L) {
  const engine::StreamId stream = check<StreamObject>(L, 1, "record_event").id;
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    push_object(L, EventObject{stream.device, false, {}, false});
  }
  record(check<EventObject>(L, 2, "record_event"), stream);
  lua_settop(L, 2);
  return 1;
}

int stream_device(lua_State* L) {
  push_device(L, check<StreamObject>(L, 1, "device").id.device);
  return 1;
}

int current_stream(lua_State* L) {
  push_object(L, StreamObject{stream_at(L, 1, default_device(), "current_stream")});
  return 1;
}

/// tide.stream(s [, fn, ...]).
int stream_scope(lua_State* L) {
  const engine::StreamId stream = check<StreamObject>(L, 1, "stream").id;
  lua_remove(L, 1);
  return open_stream_scope(L, stream);
}

int same_stream(lua_State* L) {
  const StreamObject *a = find<StreamObject>(L, 1), *b = find<StreamObject>(L, 2);
  lua_pushboolean(L, a && b && a->id == b->id);
  return 1;
}

int stream_text(lua_State* L) {
  const engine::StreamId id = check<StreamObject>(L, 1, "tostring").id;
  const std::string text =
      (id.number ? "stream " + std::to_string(id.number) : "the first stream") + " of " +
      id.device.name();
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

constexpr Function kEventFunctions[] = {
    {"Event", guard<new_event>, "{device, timing, ctx, enable_timing}",
     "A point in the queue of a device: the one named, else the default device, if it was set, or "
     "that of --device",
     "local a, b = tide.Event{timing = true}, tide.Event{timing = true}; a:record(); b:record(); "
     "a:elapsed_time(b) >= 0 --> true"},
    {"Stream", guard<new_stream>, "device?",
     "A new queue of a device: work of different streams runs concurrently",
     "local s = tide.Stream(\"sim\"); s:get_device() --> sim:0"},
    {"stream", guard<stream_scope>, "stream, fn?, ...",
     "Sends work for the stream's device to it in fn, or until the returned value is closed. "
     "Values can be used in any stream, which then waits for the stream that computes them",
     "tide.stream(tide.Stream(\"sim\"), function() return tide.ones(2, {device = \"sim\"}) end) "
     "--> {1.0, 1.0}"},
    {"current_stream", guard<current_stream>, "device?", "The current stream",
     "tide.current_stream(\"cpu\"):get_device() --> cpu"},
};

constexpr Function kEventMethods[] = {
    {"record", guard<event_record>, "stream_or_device?", "Marks the current end of the queue",
     "local e = tide.Event(); e:record(); e:synchronize(); e:query() --> true"},
    {"wait", guard<event_wait>, "stream_or_device?",
     "Makes later work of the stream or device start after the event; the script does not wait",
     "local e = tide.Event(); e:record(); e:wait(\"sim\")"},
    {"query", guard<event_query>, "", "Whether the device has reached the event",
     "local e = tide.Event(); e:record(); tide.synchronize(); e:query() --> true"},
    {"synchronize", guard<event_synchronize>, "", "Waits until the device has reached the event",
     "local e = tide.Event(); e:record(); e:synchronize(); e:query() --> true"},
    {"elapsed_time", guard<event_elapsed>, "later",
     "Milliseconds from this event to a later one. On a sim configured like a card "
     "(tide.sim.configure) the time is modelled, not measured",
     "local a, b = tide.Event{timing = true}, tide.Event{timing = true}; a:record(); b:record(); "
     "a:elapsed_time(b) >= 0 --> true"},
};

constexpr Function kStreamMethods[] = {
    {"synchronize", guard<stream_synchronize>, "", "Waits until the stream is empty",
     "local s = tide.Stream(\"sim\"); s:synchronize(); s:query() --> true"},
    {"query", guard<stream_query>, "", "Whether the stream is empty",
     "local s = tide.Stream(\"sim\"); s:synchronize(); s:query() --> true"},
    {"wait_event", guard<stream_wait_event>, "event", "Makes later work start after the event",
     "local e, s = tide.Event(), tide.Stream(\"sim\"); e:record(); s:wait_event(e)"},
    {"wait_stream", guard<stream_wait_stream>, "stream",
     "Makes later work start after the work currently queued in the other stream",
     "local s = tide.Stream(\"sim\"); s:wait_stream(tide.current_stream(\"sim\"))"},
    {"record_event", guard<stream_record_event>, "event?",
     "Marks the current end of the queue; returns the event",
     "local s = tide.Stream(\"sim\"); local e = s:record_event(); e:synchronize(); e:query() --> "
     "true"},
    {"get_device", guard<stream_device>, "", "The device of the stream",
     "tide.Stream(\"sim\"):get_device() --> sim:0"},
};

}  // namespace

std::span<const Function> event_functions() { return kEventFunctions; }
std::span<const Function> event_methods() { return kEventMethods; }
std::span<const Function> stream_methods() { return kStreamMethods; }

void open_event_classes(lua_State* L) {
  const luaL_Reg of_events[] = {{"__tostring", guard<event_text>}, {nullptr, nullptr}};
  open_class<EventObject>(L, of_events, kEventMethods, "event");
  const luaL_Reg of_streams[] = {
      {"__eq", guard<same_stream>}, {"__tostring", guard<stream_text>}, {nullptr, nullptr}};
  open_class<StreamObject>(L, of_streams, kStreamMethods, "stream");
}

}  // namespace tide::bindings
