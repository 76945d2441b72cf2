// Settings of the fake driver, from the environment:
// TIDE_FAKE_CUDA="devices=2,version=13000,memory=64M,missing=cuMemAlloc".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fake {

struct Settings {
  int devices = 2;
  int version = 13000;
  int capability = 90;
  int old_device = -1;   ///< the device with capability 61
  int busy_device = -1;  ///< the device in exclusive use by another process
  int compute_mode = 0;  ///< of all devices: 2 prohibited, 3 exclusive process
  int mig = 0;           ///< 1: devices are MIG slices
  size_t memory = size_t{1} << 30;
  std::string missing;       ///< the name of a missing entry point
  int init_error = 0;        ///< what cuInit returns
  int64_t lose_after = -1;   ///< launches until a device is lost; -1: never
  int lost_device = 0;       ///< the device to be lost
  int lose_error = 719;      ///< the error number
  std::string fail_event;    ///< call on events that fails without a loss: create, record, query
  int fail_event_call = 1;   ///< the number of the failing call, from 1
  int64_t fail_copy = -1;    ///< the n-th copy, from 1, fails
  int resident_blocks = 0;   ///< per multiprocessor; 0: limited by threads and shared memory
  int block_threads = 0;     ///< recommended by the driver; 0: the maximum
  std::string fail_graph;    ///< call on graphs that fails: create, add, instantiate, set, launch
  int fail_graph_after = 0;  ///< calls that succeed first
  int skip_kernels = 0;      ///< 1: kernels are accepted and not run
  int late = 0;              ///< microseconds that a stream waits before some of its work
  int jit_ms = 0;            ///< milliseconds that compiling a module takes
  int queue_depth = 1024;    ///< queued work per stream before callers wait
  int clock_percent = 100;   ///< speed of the clock for events
  int callback_us = 0;       ///< delay of host functions in microseconds
  int function_threads = 1024;  ///< maximum threads per block by any kernel's registers
  int races = 1;                ///< 0: data races do not end a launch
  std::string order;  ///< of blocks, and of warps and threads between barriers: reversed, shuffled
  int launch_us = 0;  ///< microseconds that a launch of a kernel or graph takes on the host
  int pin_error = 0;  ///< the result of pinning host memory
  int pinned_only = 0;      ///< 1: copies between a device and memory that is not pinned fail
  int count_waits = 0;      ///< 1: prints the number of host waits to stderr at exit
  int peers = 1;            ///< 1: peer access works; 0: unavailable; 2: the driver rejects it
  int report_peers = 0;     ///< 1: prints the copies between devices to stderr at exit
  int binary_error = 209;   ///< the result of loading machine code, which cannot run here
  int report_binaries = 0;  ///< 1: prints its architecture to stderr
  unsigned mutant = 0;      ///< TIDE_MUTANT: the mutation of kernels (tests/mutation)
};

const Settings& settings();

}  // namespace fake
