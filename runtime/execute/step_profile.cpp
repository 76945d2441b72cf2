// Events of steps, and their times.
#include "runtime/execute/step_profile.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>

#include "runtime/device/modelled/step_work.h"
#include "runtime/device/registry.h"
#include "runtime/device/simulation.h"
#include "runtime/device/step_clock.h"
#include "runtime/profile/computation.h"

namespace tide {
namespace {

/// Images are given as planes (n, c, h, w), whatever their memory format.
profile::Computation computation_of(const ComputeStep& step) {
  profile::Computation computation{.name = name_of(step.op), .inputs = {}, .outputs = {}};
  const auto add = [&](std::vector<profile::Operand>& operands, const ArrayView& view) {
    operands.push_back({view.type, planes_of(step, view)});
  };
  for (const ArrayView& view : step.inputs) add(computation.inputs, view);
  for (const ArrayView& view : step.outputs) add(computation.outputs, view);
  return computation;
}

/// Sets the times of steps' events, whose begin and end are both the step's number until then.
void set_times(const std::vector<std::span<profile::Event>>& blocks,
               const std::unordered_map<int64_t, StepClock::Times>& times) {
  for (const std::span<profile::Event> block : blocks)
    for (profile::Event& event : block) {
      const auto found = event.begin == event.end ? times.find(event.begin) : times.end();
      if (found == times.end()) continue;
      event.begin = found->second.begin;
      event.end = found->second.end;
    }
}

/// Whether the clock times the current profile. It starts with the first step of a profile.
bool times_profile(const StepClock& clock) {
  static std::mutex mutex;
  static int64_t profile = 0;  ///< when it began
  static bool runs = false;
  const std::lock_guard lock(mutex);
  if (profile == profile::begin_of_profile()) return runs;
  profile = profile::begin_of_profile();
  runs = false;
  if (!clock.start()) return false;
  runs = profile::correct_at_end([&clock](const auto& blocks) { set_times(blocks, clock.stop()); });
  if (!runs) clock.stop();
  return runs;
}

/// Numbers a step by the current time, which serves as the time of a step that does nothing.
int64_t number_step() {
  static std::atomic<int64_t> last{0};
  int64_t before = last.load(), number;
  do number = std::max(profile::now(), before + 1);
  while (!last.compare_exchange_weak(before, number));
  return number;
}

}  // namespace

profile::Event event_of(const StepCall& call) {
  const Step& step = call.step;
  const StepWork work = step.work();
  profile::Event event{.name = call.bound.name, .source = call.bound.source};
  event.bytes = work.bytes;
  event.flops = static_cast<float>(work.flops);
  event.submission = call.submission.number;
  set_site(event, call.bound.site);
  switch (step.kind) {
    case Step::Kind::loop:
      event.kind = profile::EventKind::loop;
      event.subject = step.loop.kernel;
      break;
    case Step::Kind::compute:
      event.kind = profile::EventKind::compute;
      event.subject = profile::keep_computation(computation_of(step.compute));
      break;
    case Step::Kind::copy:
    case Step::Kind::nothing:
      event.kind = profile::EventKind::copy;
      break;
  }
  return event;
}

profile::Event event_of(const Submission& copy) {
  profile::Event event{.name = copy.name};
  event.kind = profile::EventKind::transfer;
  event.bytes = static_cast<int64_t>(copy.bytes);
  event.submission = copy.number;
  set_site(event, copy.site);
  return event;
}

void StepProfile::time(uint64_t ticket, const profile::Event& event, const Work& work) {
  const Platform& kind = platform(track_.device.kind);
  if (kind.step_clock && times_profile(*kind.step_clock))
    time_by_tool(event, work);
  else if (!kind.capabilities.runs_on_host)
    time_on_stream(ticket, event, work);
  else if (stream_.simulation && stream_.simulation->card())
    time_modelled(event, work);
  else
    time_on_host(event, work);
}

void StepProfile::time_on_host(profile::Event event, const Work& work) {
  struct Timed {
    profile::Event& event;
    const profile::StreamScope place;
    const int64_t compiled = profile::time_compiled();

    Timed(profile::Event& event, profile::StreamTrack track) : event(event), place(track) {
      event.begin = profile::now();
    }
    ~Timed() {
      event.begin += profile::time_compiled() - compiled;
      event.end = profile::now();
      profile::add(event);
    }
  } const timed(event, track_);
  work(&timed.event);
}

void StepProfile::time_modelled(profile::Event event, const Work& work) {
  struct Timed {
    profile::Event& event;
    const profile::StreamScope place;
    const StreamTime& time = *StreamTime::of_thread();
    const double ready = time.now();

    ~Timed() {
      // A step that failed before its launch took no time.
      event.begin = modelled::on_profile_clock(std::max(ready, time.started()));
      event.end = modelled::on_profile_clock(time.now());
      profile::add(event);
    }
  } const timed{event, profile::StreamScope(track_)};
  work(&timed.event);
}

void StepProfile::time_by_tool(profile::Event event, const Work& work) {
  struct Timed {
    StreamBackend& stream;
    profile::Event& event;
    const profile::StreamScope place;

    Timed(StreamBackend& stream, profile::Event& event, profile::StreamTrack track)
        : stream(stream), event(event), place(track) {
      event.begin = event.end = number_step();
      stream.enter_step(event.begin);
    }
    ~Timed() {
      try {
        stream.enter_step(std::nullopt);
      } catch (const std::exception&) {  // the stream reports it again
      }
      event.launch = stream.take_launch();
      profile::add(event);
    }
  } const timed(stream_, event, track_);
  work(&timed.event);
}

void StepProfile::time_on_stream(uint64_t ticket, const profile::Event& event, const Work& work) {
  try {
    open_.push_back({ticket, profile::now(), event});
  } catch (const std::bad_alloc&) {
    return work(nullptr);  // without a time
  }
  struct Timed {
    StreamBackend& stream;
    const uint64_t ticket;
    profile::Event& event;
    const profile::StreamScope place;

    Timed(StreamBackend& stream, uint64_t ticket, profile::Event& event, profile::StreamTrack track)
        : stream(stream), ticket(ticket), event(event), place(track) {
      stream.take_time(ticket);
    }
    ~Timed() {
      try {
        stream.take_time(ticket);
      } catch (const std::exception&) {  // a missing time is replaced by that of its reading
      }
      event.launch = stream.take_launch();
    }
  } const timed(stream_, ticket, open_.back().event, track_);
  work(&timed.event);
}

/// The stream's clock and the host's drift apart, and their offset was measured once, maybe while
/// this process waited for a core. But no step begins before it was enqueued, or ends after the
/// host has noticed its end: steps that seem to do so reveal the error of the offset.
void StepProfile::settle(uint64_t done) {
  const auto later = std::find_if(open_.begin(), open_.end(),
                                  [&](const Open& open) { return open.ticket > done; });
  const ptrdiff_t count = later - open_.begin();
  if (count == 0) return;
  int64_t least_shift = INT64_MIN, last_end = INT64_MIN;
  for (auto open = open_.begin(); open != later; ++open) {
    profile::Event& event = open->event;
    event.begin = time_taken(open->ticket);
    event.end = std::max(time_taken(open->ticket), event.begin);
    least_shift = std::max(least_shift, open->enqueued - event.begin);
    last_end = std::max(last_end, event.end);
  }
  shift_ = std::min(std::max(shift_, least_shift), profile::now() - last_end);
  const profile::StreamScope place(track_);
  for (ptrdiff_t i = 0; i < count; ++i) {
    profile::Event& event = open_.front().event;
    event.begin += shift_;
    event.end += shift_;
    profile::add(event);
    open_.pop_front();
  }
}

/// Nanoseconds on the stream's clock.
int64_t StepProfile::time_taken(uint64_t ticket) {
  return static_cast<int64_t>(1e9 * stream_.time_taken(ticket).seconds);
}

}  // namespace tide
