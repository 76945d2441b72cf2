// The driver's entry points, and what their files share.
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

/// The device whose context the calling thread uses, if it uses one.
Device* current();

/// The error of the calling thread's device, if its context cannot be used. No call is permitted in
/// a function that a stream calls.
Result state();

/// 90 for 9.0.
int capability_of(int ordinal);

/// Whether the calling thread runs a function of the host for a stream.
bool is_in_callback();

inline StreamThread& thread_of(Stream stream) { return *reinterpret_cast<StreamThread*>(stream); }
inline EventMark& mark_of(Event event) { return *reinterpret_cast<EventMark*>(event); }

/// Takes as long as a launch of a kernel or graph takes on the host.
void spend_launch();

/// Checks the launch and leaves it to the stream; copies the parameters.
Result enqueue_kernel(const KernelNode& node, Stream stream);

/// Notes a copy by the calling thread's context. Between devices it goes through the host, unless
/// the context may use the other one's memory.
void note_copy(uint64_t to, uint64_t from);
/// What was noted, for tests: "2 copies between devices, 1 through the host".
std::string report_of_copies();

/// How often a thread of the host was made to wait for a stream or an event.
int64_t host_waits();

/// Graphs, and executable ones, that were made and not destroyed.
int live_graphs();

}  // namespace fake
