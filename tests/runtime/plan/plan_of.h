// Plans of what a test records.
#pragma once

#include <functional>

#include "runtime/plan/plan.h"
#include "runtime/record/recorder.h"

namespace tide::test {

/// The plan that `make` makes of the window that `record` records on the cpu, for a device that
/// launches loops together and runs loops on parts of results. The window runs afterwards, as ever.
inline Ref<Plan> plan_of(const std::function<void()>& record,
                         const std::function<Ref<Plan>(const WindowView&)>& make = make_plan) {
  engine::synchronize();
  record();
  const Window& window = Recorder::of_thread().window(DeviceState::of(Device{}));
  Ref<Plan> plan = make({.nodes = window.nodes(),
                         .externals = window.externals(),
                         .offsets = window.offsets(),
                         .epoch = window.epoch(),
                         .batches = true,
                         .finishing_loops = true});
  engine::synchronize();
  return plan;
}

}  // namespace tide::test
