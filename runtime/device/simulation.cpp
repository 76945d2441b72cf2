// Options of simulated devices.
#include "runtime/device/simulation.h"

#include <algorithm>
#include <utility>

#include "runtime/os/environment.h"

namespace tide {
namespace {

/// Defaults of a small discrete card on PCIe, so that lessons show a cost.
constexpr size_t kMemory = size_t{1} << 30;
constexpr double kRate = 12e9, kStagingRate = 12e9, kPinRate = 4e9, kLatency = 10e-6, kLaunch = 0;

}  // namespace

Simulation::Simulation(int index)
    : use(process_use({DeviceKind::sim, static_cast<uint8_t>(index)})) {
  set_defaults();
}

void Simulation::set_defaults() {
  memory_limit = static_cast<size_t>(
      environment_number(Variable::sim_memory, static_cast<double>(kMemory), 0, 1e18));
  rate = environment_number(Variable::sim_rate, kRate, 0, 1e18);
  staging_rate = environment_number(Variable::sim_staging, kStagingRate, 0, 1e18);
  pin_rate = environment_number(Variable::sim_pin, kPinRate, 0, 1e18);
  latency = environment_number(Variable::sim_latency, kLatency, 0, 1e18);
  launch_cost = environment_number(Variable::sim_launch, kLaunch, 0, 1e18);
}

/// Earlier figures are kept, because streams of other devices may be reading them.
void Simulation::set_card(CardFigures figures) {
  figures.launch = launch_cost;
  figures.link = rate;
  figures.latency = latency;
  auto existing =
      std::find_if(cards_.begin(), cards_.end(), [&](const auto& one) { return *one == figures; });
  if (existing == cards_.end())
    existing = cards_.insert(cards_.end(), std::make_unique<const CardFigures>(std::move(figures)));
  if (!card_.exchange(existing->get())) ++modelled::devices;
}

void Simulation::configure(const SimOptions& options) {
  const std::lock_guard lock(core.mutex);
  const bool names_card = options.like && !options.like->name.empty();
  if (names_card) {
    rate = options.like->link;
    latency = options.like->latency;
    launch_cost = options.like->launch;
  } else if (options.like) {
    set_defaults();
    if (card_.exchange(nullptr)) --modelled::devices;
  }
  if (options.memory_limit) memory_limit = *options.memory_limit;
  if (options.bytes_per_second) rate = *options.bytes_per_second;
  if (options.staging_bytes_per_second) staging_rate = *options.staging_bytes_per_second;
  if (options.pin_bytes_per_second) pin_rate = *options.pin_bytes_per_second;
  if (options.copy_latency) latency = *options.copy_latency;
  if (options.launch_cost) launch_cost = *options.launch_cost;
  const CardFigures* const figures = names_card ? &*options.like : card();
  if (figures) set_card(*figures);
  const auto arm = [&](Fault kind, const std::optional<int64_t>& count) {
    if (count) fail_in_[static_cast<int>(kind)] = std::max<int64_t>(*count, 0);
  };
  arm(Fault::op, options.fail_op);
  arm(Fault::allocation, options.fail_allocation);
  arm(Fault::copy, options.fail_copy);
}

}  // namespace tide
