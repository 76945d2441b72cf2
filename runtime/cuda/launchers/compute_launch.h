// Runs compute ops on the device, with libraries and the kernels in runtime/cuda/kernels.
#pragma once

#include <optional>

#include "runtime/cuda/launch/cuda_kernels.h"
#include "runtime/cuda/launch/reports.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// One run of a compute op on a device.
struct ComputeLaunch {
  const ComputeStep& step;
  void* const* addresses;  ///< of inputs, then outputs
  CudaKernels& kernels;
  LaunchGraphs& launches;
  CudaStream stream;
  Reports& reports;
  std::optional<uint64_t> report;  ///< set by ops that check their inputs: the number of the report

  /// The stream after all deferred launches: for work that is not launched through `launches`.
  CudaStream flushed() const {
    launches.flush();
    return stream;
  }
  void* input(size_t i) const { return addresses[i]; }
  void* output(size_t i) const { return addresses[step.inputs.size() + i]; }
  const Layout& input_layout(size_t i) const { return step.inputs[i].layout; }
  const Shape& output_shape(size_t i) const { return step.outputs[i].layout.shape; }
};

/// Enqueues the op; false if this build has no kernel of it for these types.
bool launch_compute(ComputeLaunch& call);

}  // namespace tide::cuda
