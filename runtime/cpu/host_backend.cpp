// Memory and launches on the host.
#include "runtime/cpu/host_backend.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "runtime/codegen/machine_code.h"
#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/workspace.h"
#include "runtime/device/simulation.h"
#include "runtime/device/small_work.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/os/environment.h"
#include "runtime/os/huge_pages.h"
#include "runtime/os/memory_budget.h"

namespace tide {
namespace {

/// Parts of vector ranges end at multiples of this.
constexpr int64_t kVectorStep = 64;

/// Elements of a vector range that are processed for all rows before the next ones, if an array is
/// transposed: the cache lines that they read are still in cache for the next row.
constexpr int64_t kAcross = 64;

/// Whether neighbours along the second-to-last outer dimension are closer to each other in an array
/// than those along the vector, as in a transposed matrix.
bool reads_across(const LoopStep& step) {
  const LoopProgram& program = step.program;
  const size_t rank = program.outer_rank;
  if (program.has_row || rank < 2) return false;
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const int64_t along = std::abs(step.strides[k * rank + rank - 1]),
                  down = std::abs(step.strides[k * rank + rank - 2]);
    if (program.operands[k].kind == LoopOperand::Kind::memory && down > 0 && along > down)
      return true;
  }
  return false;
}

/// The workspace of the calling thread; it never shrinks.
void* thread_workspace(size_t bytes) {
  thread_local Workspace workspace;
  return workspace.get<std::byte>(bytes);
}

/// Runs the kernel of a loop without rows for elements begin..end-1 of its domain, in order.
void run_elements(const LoopCall& call, LoopKernel kernel, int64_t begin, int64_t end) {
  const LoopStep& step = *call.step;
  const LoopArguments arguments{call.bases, step.extents.data(), step.strides.data(),
                                call.parameters};
  void* const workspace = thread_workspace(step.kernel->workspace_bytes(0));
  const int64_t vector = step.extents[step.program.outer_rank - 1];
  const auto run = [&](int64_t row, int64_t end_row, int64_t first, int64_t last) {
    const LoopRange range{row, end_row, first, last, 0, 0};
    if (row < end_row && first < last) kernel(&arguments, &range, workspace);
  };
  const int64_t row = begin / vector, last_row = end / vector;
  const int64_t first = begin % vector, last = end % vector;
  if (row == last_row) return run(row, row + 1, first, last);
  if (first > 0) run(row, row + 1, first, vector);
  run(row + (first > 0), last_row, 0, vector);
  run(last_row, last_row + 1, 0, last);
}

/// Time limits for interpreting a kernel, in nanoseconds: of one run, because finding machine code
/// on disk takes longer; of all runs before its code is looked up on disk; and of all runs before
/// it is compiled. (Later processes find a compiled kernel on disk, so it is worth more than the
/// time that it saves in this one.)
constexpr int64_t kMostAtOnce = 100'000, kUntilLookup = 200'000, kUntilCompiled = 2'000'000;

/// Runs the loop without machine code as long as that is faster. Returns whether it did.
bool interpret(Kernel& kernel, const LoopArguments& arguments) {
  // Without fused multiply-adds, kernels and the interpreter differ in their bits.
  static const bool may_interpret = instruction_set() != InstructionSet::baseline &&
                                    environment_flag(Variable::interpreter, true);
  const InterpretedLoop* const loop = may_interpret ? kernel.interpreted() : nullptr;
  if (!loop) return false;
  const int64_t cost = loop->cost(arguments.extents);
  if (cost > kMostAtOnce) return false;
  const int64_t before = kernel.note_interpreted(cost), after = before + cost;
  if (after > kUntilCompiled) return false;
  const bool is_time = before <= kUntilLookup && after > kUntilLookup;
  if (is_time && kernel.function(stored_machine_code)) return false;
  loop->run(arguments, thread_workspace(loop->workspace_bytes(arguments.extents)));
  return true;
}

/// The machine's memory, or the limit of this process's control group if that is lower.
size_t usable_memory() {
  size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    size_t limit;  // without a limit "max", or a number beyond any machine's memory
    if (std::ifstream file(path); file >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

void* obtain(size_t bytes) {
  if (bytes < kHugePage) return std::aligned_alloc(64, (bytes + 63) & ~size_t{63});
  // Aligned to huge pages: page faults of small pages cost more than the arithmetic on them.
  const size_t span = bytes + kHugePage;
  char* start = static_cast<char*>(mmap(nullptr, span, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (start == MAP_FAILED) return nullptr;
  char* data = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(start) + kHugePage - 1) &
                                       ~(kHugePage - 1));
  if (data > start) munmap(start, static_cast<size_t>(data - start));
  const size_t length = (bytes + 4095) & ~size_t{4095};
  munmap(data + length, static_cast<size_t>(start + span - (data + length)));
  use_huge_pages(data, length);
  return data;
}

}  // namespace

/// The limit is the machine's memory, or that of this process: if it is exceeded, the system kills
/// the process.
HostDevice::HostDevice(Parallel& parallel) : parallel_(parallel) {
  static const size_t bytes = usable_memory();
  memory_limit = {.bytes = bytes};
}

std::unique_ptr<StreamBackend> HostDevice::make_stream() {
  auto stream = std::make_unique<HostStream>(parallel_);
  stream->threads = &parallel_;
  return stream;
}

/// Without fused multiply-add instructions, a cell's functions are slow outside of generated loops.
bool host_has_library(ComputeOp op) {
  if (op == ComputeOp::scaled_matmul) return true;
  return op == ComputeOp::recurrence && instruction_set() != InstructionSet::baseline;
}

void* HostDevice::allocate(size_t bytes, Memory) {
  if (!take_memory(bytes)) return nullptr;
  void* const data = obtain(bytes);
  if (!data) return_memory(bytes);
  return data;
}

void HostDevice::release(void* data, size_t bytes, Memory) {
  if (bytes < kHugePage)
    std::free(data);
  else
    munmap(data, (bytes + 4095) & ~size_t{4095});
  return_memory(bytes);
}

// Splits the domain among the threads: along the outer dimensions if there are enough rows, else
// along the vector dimension, or along the blocks of a row that is reduced in blocks.
void HostStream::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  const LoopProgram& program = step.program;
  const LoopArguments arguments{bases, step.extents.data(), step.strides.data(), parameters};
  if (!step.kernel->ready() && interpret(*step.kernel, arguments)) return;
  const LoopKernel kernel = step.kernel->function(machine_code);
  const int rank = program.outer_rank;
  const int64_t row = program.has_row ? step.extents[rank] : 0;
  const bool vector_outer = program.orientation == Orientation::outer;
  const int64_t vector = vector_outer ? step.extents[rank - 1] : 1;
  int64_t outer = 1;
  for (int d = 0; d < rank - (vector_outer ? 1 : 0); ++d) outer *= step.extents[d];
  const size_t workspace = step.kernel->workspace_bytes(row);
  const int64_t work = std::max<int64_t>(row, 1);
  const bool across = vector > kAcross && reads_across(step);
  const auto call = [&](LoopRange range) {
    if (!across) return kernel(&arguments, &range, thread_workspace(workspace));
    const int64_t end = range.vector_end;
    for (; range.vector_begin < end; range.vector_begin = range.vector_end) {
      range.vector_end = std::min(range.vector_begin + kAcross, end);
      kernel(&arguments, &range, thread_workspace(workspace));
    }
  };

  const int64_t total = outer * vector * work;
  const int64_t grain = grain_of(*step.kernel);
  if (total <= grain || parallel_.threads() == 1) return call({0, outer, 0, vector, 0, row});
  const int64_t row_parts = program.partial ? (row + kReductionBlock - 1) / kReductionBlock : 1;
  const int64_t vector_parts = vector_outer ? (vector + kVectorStep - 1) / kVectorStep : 1;
  if (row_parts > 1) {
    parallel_.for_range(row_parts, 1, [&](int64_t begin, int64_t end) {
      call({0, outer, 0, vector, begin * kReductionBlock, std::min(end * kReductionBlock, row)});
    });
  } else if (outer >= vector_parts || outer >= 4 * parallel_.threads()) {
    parallel_.for_range(outer, std::max<int64_t>(grain / (vector * work), 1),
                        [&](int64_t begin, int64_t end) {
                          call({begin, end, 0, vector, 0, row});
                        });
  } else {
    parallel_.for_range(
        vector_parts, std::max<int64_t>(grain / (kVectorStep * outer * work), 1),
        [&](int64_t begin, int64_t end) {
          call({0, outer, begin * kVectorStep, std::min(end * kVectorStep, vector), 0, row});
        });
  }
}

ComputeOutcome HostStream::launch(const ComputeStep& step, void* const* addresses,
                                  const LoopCall* finish) {
  thread_local std::vector<ArrayView> views;
  views.clear();
  views.insert(views.end(), step.inputs.begin(), step.inputs.end());
  views.insert(views.end(), step.outputs.begin(), step.outputs.end());
  for (size_t i = 0; i < views.size(); ++i) views[i].data = addresses[i];
  const std::span<const ArrayView> all(views);
  ComputeCall call{};
  call.op = step.op;
  call.inputs = all.first(step.inputs.size());
  call.outputs = all.subspan(step.inputs.size());
  call.attributes = step.attributes;
  call.parallel = &parallel_;
  Finishing finishing;
  if (finish && finish->step->kernel->ready()) {
    const LoopKernel kernel = finish->step->kernel->function(machine_code);
    finishing.part = [finish, kernel](int64_t begin, int64_t end) {
      run_elements(*finish, kernel, begin, end);
    };
    call.finishing = &finishing;
  }
  compute_function(step.op)(call);
  if (finish && !finishing.done) launch(*finish->step, finish->bases, finish->parameters);
  ComputeOutcome outcome;
  if (call.out_of_range) outcome.failure = wrong_position(call.position, call.limit);
  return outcome;
}

void HostStream::copy(void* destination, const void* source, size_t bytes, CopyKind) {
  constexpr int64_t kPage = 4096;
  const auto pages = static_cast<int64_t>((bytes + kPage - 1) / kPage);
  parallel_.for_range(pages, 64, [&](int64_t begin, int64_t end) {
    const auto from = static_cast<size_t>(begin * kPage);
    const size_t to = std::min(static_cast<size_t>(end * kPage), bytes);
    std::memcpy(static_cast<char*>(destination) + from, static_cast<const char*>(source) + from,
                to - from);
  });
}

/// The time of a device that models a GPU is modelled.
void HostStream::take_time(uint64_t ticket) {
  const StreamTime* const stream = StreamTime::of_thread();
  const bool is_modelled = stream && simulation && simulation->card();
  times_.push_back({ticket, {is_modelled ? stream->now() : seconds(), is_modelled}});
}

/// The current time if none was taken.
MarkTime HostStream::time_taken(uint64_t ticket) {
  if (times_.empty() || times_.front().ticket != ticket) return {seconds(), false};
  const MarkTime time = times_.front().time;
  times_.pop_front();
  return time;
}

}  // namespace tide
