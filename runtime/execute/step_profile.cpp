// Events of steps, and their times.
#include "runtime/execute/step_profile.h"

#include <algorithm>

#include "runtime/plan/step_work.h"

namespace tide {

profile::Event event_of(const StepCall& call) {
  const Step& step = call.step;
  const StepWork work = work_of(step);
  profile::Event event{.name = call.bound.name, .source = call.bound.source};
  event.bytes = work.bytes;
  event.flops = static_cast<float>(work.flops);
  set_site(event, call.bound.site);
  switch (step.kind) {
    case Step::Kind::loop:
      event.kind = profile::EventKind::loop;
      event.subject = step.loop.kernel;
      break;
    case Step::Kind::compute:
      event.kind = profile::EventKind::compute;
      event.subject = name_of(step.compute.op);
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
  set_site(event, copy.site);
  return event;
}

void StepProfile::time(uint64_t ticket, profile::Event event, const std::function<void()>& work) {
  struct End {
    StepProfile& profile;
    const uint64_t ticket;
    profile::Event& event;
    const int64_t compiled = profile::time_compiled();
    const profile::StreamScope place{profile.track_};

    End(StepProfile& profile, uint64_t ticket, profile::Event& event)
        : profile(profile), ticket(ticket), event(event) {
      event.begin = profile::now();
      if (profile.async_) profile.async_->take_time(ticket);
    }
    ~End() {
      if (profile.async_) {
        profile.async_->take_time(ticket);
        profile.open_.push_back({ticket, event});
      } else {
        event.begin += profile::time_compiled() - compiled;
        event.end = profile::now();
        profile::add(event);
      }
    }
  } const end(*this, ticket, event);
  work();
}

void StepProfile::settle(uint64_t done) {
  if (open_.empty()) return;
  const profile::StreamScope place(track_);
  const auto nanoseconds = [&](uint64_t ticket) {
    return static_cast<int64_t>(1e9 * async_->time_taken(ticket));
  };
  for (; !open_.empty() && open_.front().ticket <= done; open_.pop_front()) {
    auto& [ticket, event] = open_.front();
    event.begin = nanoseconds(ticket);
    event.end = std::max(nanoseconds(ticket), event.begin);
    profile::add(event);
  }
}

}  // namespace tide
