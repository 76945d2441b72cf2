// What the fake driver is to be like:
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
  int old_device = -1;   ///< this one has capability 61
  int busy_device = -1;  ///< this one another process has for itself alone
  int compute_mode = 0;  ///< of all: 2 is prohibited, 3 exclusive to a process
  int mig = 0;           ///< 1: devices are slices of cards
  size_t memory = size_t{1} << 30;
  std::string missing;       ///< an entry point that is not there
  int init_error = 0;        ///< what cuInit returns
  int64_t lose_after = -1;   ///< a device is lost after so many launches; -1: never
  int lost_device = 0;       ///< which one
  int lose_error = 719;      ///< as an error of this number
  int lost_for_good = 0;     ///< 1: it cannot be set up again
  int other_holders = 0;     ///< how often others in the process hold each device's context
  std::string fail_event;    ///< a call on events that fails, without a loss: create, record, query
  int fail_event_call = 1;   ///< which one, from 1
  int64_t fail_copy = -1;    ///< the n-th copy, from 1, fails
  int resident_blocks = 0;   ///< that a multiprocessor holds; 0: by threads and shared memory
  int block_threads = 0;     ///< that the driver advises; 0: as many as allowed
  std::string fail_graph;    ///< a call on graphs that fails: create, add, instantiate, set, launch
  int fail_graph_after = 0;  ///< so many of them succeed first
  int skip_kernels = 0;      ///< 1: kernels are taken and do nothing
  int late = 0;              ///< microseconds that a stream waits before some of its work
  int jit_ms = 0;            ///< milliseconds that compiling a module takes
  int queue_depth = 1024;    ///< work that a stream takes before those who give it more wait
  int clock_percent = 100;   ///< how fast the clock that times events runs
  int callback_us = 0;       ///< microseconds that calls of the host come late
  int function_threads = 1024;  ///< of a block, that any kernel's registers leave room for
  int races = 1;                ///< 0: accesses of threads that nothing orders end no launch
  std::string order;  ///< of blocks, and of warps and threads between barriers: reversed, shuffled
  int launch_us = 0;  ///< microseconds that a launch of a kernel or graph takes on the host
  int pin_error = 0;  ///< what pinning memory of the host gives
  int pinned_only = 0;  ///< 1: copies between a device and memory that is not pinned fail
  int count_waits = 0;  ///< 1: at the end, how often the host waited is reported on stderr
  int peers = 1;  ///< devices use each other's memory; 0: they cannot; 2: the driver refuses it
  int report_peers = 0;     ///< 1: at the end, copies between devices are reported on stderr
  int binary_error = 209;   ///< that machine code gives, which is of no use here
  int report_binaries = 0;  ///< 1: what it was for is reported on stderr
  unsigned mutant = 0;      ///< TIDE_MUTANT: the mistake that kernels are to make (tests/mutation)
};

const Settings& settings();

}  // namespace fake
