// The driver's entry points, and functions shared by their files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cuda/fake/device.h"

namespace fake {

using namespace tide::cuda;

#define TIDE_ENTRY(member, entry, parameters) Result member parameters;
TIDE_CUDA_DRIVER(TIDE_ENTRY)
#undef TIDE_ENTRY

/// Empty until cuInit.
std::vector<std::unique_ptr<Device>>& devices();

/// The device of the calling thread's current context, if any.
Device* current();

/// The error of the calling thread's device, if its context cannot be used. Host functions called
/// by a stream must not call the driver.
Result state();

/// 90 for 9.0.
int capability_of(int ordinal);

/// Whether the calling thread runs a host function for a stream.
bool is_in_callback();

inline StreamThread& thread_of(CudaStream stream) {
  return *reinterpret_cast<StreamThread*>(stream);
}
inline EventMark& mark_of(Event event) { return *reinterpret_cast<EventMark*>(event); }

/// Waits for the host time of a kernel or graph launch.
void spend_launch();

/// Checks and enqueues the launch; copies the parameters.
Result enqueue_kernel(const KernelNode& node, CudaStream stream);

/// Counts a copy by the calling thread's context. Copies between devices go through the host unless
/// the context has peer access.
void note_copy(uint64_t to, uint64_t from);
/// The counts, for tests: "2 copies between devices, 1 through the host".
std::string report_of_copies();

/// How often a host thread had to wait for a stream or an event.
int64_t host_waits();

/// The number of graphs and executable graphs that exist.
int live_graphs();

}  // namespace fake
