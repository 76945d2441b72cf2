// Runs the fake CUDA driver in separate processes, because it reads its settings only once.
#pragma once

#include <functional>
#include <string>

#include "runtime/cuda/driver/driver_api.h"

namespace fake_tests {

using namespace tide::cuda;

/// The driver's entry points.
struct Table {
#define TIDE_MEMBER(member, entry, parameters) Result(*member) parameters = nullptr;
  TIDE_CUDA_DRIVER(TIDE_MEMBER)
#undef TIDE_MEMBER
};

struct Outcome {
  std::string said;  ///< on stdout and stderr
  int signal = 0;    ///< that ended the process; 0 if it exited
};

/// Opens the driver in a new process, with `settings` as TIDE_FAKE_CUDA and the context of device 0
/// in use, and calls `body`, which prints its findings.
Outcome with_driver(const std::string& settings, const std::function<void(const Table&)>& body);

/// A module of one kernel `name`, whose only parameter is the address in %rd1: `code` may use the
/// registers %r1-%r9, %rd1-%rd9 and %p1-%p3. %r1 is the thread and %r2 the block; `shared` bytes of
/// shared memory are at `memory`.
std::string module_text(const std::string& name, const std::string& code, int shared = 0,
                        const std::string& directives = "");

/// The kernel of a module's text; ends the process if it cannot be loaded.
Function load(const Table& driver, const std::string& text, const std::string& name);

/// Launches blocks of threads along x with one address.
Result launch(const Table& driver, Function function, unsigned blocks, unsigned threads,
              CudaStream stream, DevicePointer address);

/// A new stream; ends the process on failure.
CudaStream new_stream(const Table& driver);

/// Runs a kernel of the code on zeroed memory of 4096 bytes, the address of which is in %rd1, with
/// the same number of bytes of shared memory at `memory` (see module_text). Returns the output:
/// errors of the kernel, then the launch's result and the first two words of the memory as "0: 7
/// 8\n".
std::string run_kernel(const std::string& code, unsigned blocks, unsigned threads,
                       const std::string& settings = "");

}  // namespace fake_tests
