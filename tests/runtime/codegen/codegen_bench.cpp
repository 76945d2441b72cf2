// Speed of compiled kernels beside plain copies of memory, and the time that compiling takes.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/codegen/machine_code.h"
#include "runtime/codegen/plugin.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/os/huge_pages.h"

namespace tide {
namespace {

using Kind = LoopInstruction::Kind;
/// What this thread has used of a processor: other programs hardly change it.
double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Writes programs down line by line.
class Writer {
 public:
  LoopProgram program;

  uint16_t load(bool per_row = false) { return add(Kind::load, operand(per_row)); }
  uint16_t parameter() { return add(Kind::parameter, program.parameter_count++); }
  void store(uint16_t value, bool streaming, bool per_row = false) {
    const uint16_t to = operand(per_row);
    program.operands.back().streaming = streaming;
    add(Kind::store, to);
    program.code.back().a[0] = value;
  }
  uint16_t map(ElementwiseOp op, std::vector<uint16_t> values) {
    const uint16_t result = add(Kind::map, 0);
    program.code.back().op = static_cast<OpCode>(op);
    program.code.back().arity = static_cast<uint8_t>(values.size());
    std::copy(values.begin(), values.end(), program.code.back().a);
    return result;
  }
  uint16_t reduce(Reduction reduction, uint16_t value) {
    const uint16_t result = add(Kind::reduce, 0);
    program.code.back().reduction = reduction;
    program.code.back().a[0] = value;
    return result;
  }

 private:
  uint16_t operand(bool per_row) {
    LoopOperand made;
    made.vector_stride = per_row && program.orientation == Orientation::row ? 0 : 1;
    made.per_row = per_row;
    program.operands.push_back(made);
    return static_cast<uint16_t>(program.operands.size() - 1);
  }
  uint16_t add(Kind kind, uint16_t operand) {
    program.code.push_back({.kind = kind, .type = DType::f32, .operand = operand});
    return static_cast<uint16_t>(program.code.size() - 1);
  }
};

LoopProgram add_program(bool streaming) {
  Writer w;
  w.store(w.map(ElementwiseOp::add, {w.load(), w.load()}), streaming);
  return w.program;
}

/// tanh(a * b + c) * sigmoid(a) - 0.5 * exp(-b * b)
LoopProgram chain_program(bool streaming) {
  Writer w;
  const uint16_t a = w.load(), b = w.load(), c = w.load(), half = w.parameter();
  const uint16_t t = w.map(ElementwiseOp::tanh,
                           {w.map(ElementwiseOp::add, {w.map(ElementwiseOp::mul, {a, b}), c})});
  const uint16_t left = w.map(ElementwiseOp::mul, {t, w.map(ElementwiseOp::sigmoid, {a})});
  const uint16_t square = w.map(ElementwiseOp::mul, {w.map(ElementwiseOp::neg, {b}), b});
  const uint16_t right = w.map(ElementwiseOp::mul, {half, w.map(ElementwiseOp::exp, {square})});
  w.store(w.map(ElementwiseOp::sub, {left, right}), streaming);
  return w.program;
}

/// Twenty additions and multiplications and three functions.
LoopProgram twenty_program() {
  Writer w;
  const uint16_t a = w.load(), b = w.load();
  uint16_t x = a;
  for (int i = 0; i < 20; ++i) {
    const ElementwiseOp functions[] = {ElementwiseOp::exp, ElementwiseOp::tanh, ElementwiseOp::log};
    x = i % 7 == 6 ? w.map(functions[i / 7 % 3], {x})
                   : w.map(i % 2 ? ElementwiseOp::mul : ElementwiseOp::add, {x, i % 3 ? b : a});
  }
  w.store(x, false);
  return w.program;
}

LoopProgram softmax_program(bool streaming, Orientation orientation) {
  Writer w;
  w.program.has_row = true;
  w.program.orientation = orientation;
  const uint16_t x = w.load();
  const uint16_t e =
      w.map(ElementwiseOp::exp, {w.map(ElementwiseOp::sub, {x, w.reduce(Reduction::max, x)})});
  const uint16_t scale = w.map(ElementwiseOp::reciprocal, {w.reduce(Reduction::sum, e)});
  w.store(w.map(ElementwiseOp::mul, {e, scale}), streaming);
  return w.program;
}

/// Parameters: 1 / n and epsilon.
LoopProgram layer_norm_program(bool streaming) {
  Writer w;
  w.program.has_row = true;
  w.program.orientation = Orientation::row;
  const uint16_t x = w.load(), inverse = w.parameter(), epsilon = w.parameter();
  const uint16_t mean = w.map(ElementwiseOp::mul, {w.reduce(Reduction::sum, x), inverse});
  const uint16_t centred = w.map(ElementwiseOp::sub, {x, mean});
  const uint16_t squares = w.reduce(Reduction::sum, w.map(ElementwiseOp::square, {centred}));
  const uint16_t variance = w.map(ElementwiseOp::mul, {squares, inverse});
  const uint16_t scale =
      w.map(ElementwiseOp::rsqrt, {w.map(ElementwiseOp::add, {variance, epsilon})});
  w.store(w.map(ElementwiseOp::mul, {centred, scale}), streaming);
  return w.program;
}

/// The mean over rows of tanh-gelu(x + bias); the parameter is 1 / n.
LoopProgram gelu_program() {
  Writer w;
  w.program.has_row = true;
  w.program.orientation = Orientation::row;
  const uint16_t y =
      w.map(ElementwiseOp::gelu_tanh, {w.map(ElementwiseOp::add, {w.load(), w.load()})});
  const uint16_t inverse = w.parameter();
  w.store(w.map(ElementwiseOp::mul, {w.reduce(Reduction::sum, y), inverse}), false, true);
  return w.program;
}

LoopProgram sum_program(Orientation orientation) {
  Writer w;
  w.program.has_row = true;
  w.program.orientation = orientation;
  w.store(w.reduce(Reduction::sum, w.load()), false, true);
  return w.program;
}

float* big_array(size_t count) {
  auto* floats = static_cast<float*>(allocate_pages(count * sizeof(float), kHugePage));
  for (size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(i % 1000) * 0.004f - 2;
  return floats;
}

/// One call of a kernel on fixed memory, by the stated number of threads.
struct Job {
  Kernel* kernel;
  std::vector<void*> bases;
  std::vector<int64_t> extents, strides;
  std::vector<uint64_t> parameters;

  void run(int thread, int threads) const {
    const LoopProgram& program = kernel->program();
    const LoopArguments arguments{bases.data(), extents.data(), strides.data(), parameters.data()};
    const bool by_row = program.orientation == Orientation::row;
    LoopRange range{0, 1, 0, 1, 0, program.has_row ? extents[program.outer_rank] : 0};
    const int64_t size = by_row ? extents[0] : extents[program.outer_rank - 1u];
    const int64_t unit = by_row ? 1 : 64;
    const int64_t begin = size * thread / threads / unit * unit;
    const int64_t end = thread + 1 == threads ? size : size * (thread + 1) / threads / unit * unit;
    (by_row ? range.outer_begin : range.vector_begin) = begin;
    (by_row ? range.outer_end : range.vector_end) = end;
    thread_local std::vector<char> memory;
    memory.resize(kernel->workspace_bytes(range.row_end) + 64);
    const auto address = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
    kernel->function(machine_code)(&arguments, &range, reinterpret_cast<void*>(address));
  }
};

/// Best time of several runs by `threads` threads that start together.
double best_time(const std::function<void(int, int)>& work, int threads) {
  double best = 1e9;
  for (int repeat = 0; repeat < 12; ++repeat) {
    const double start = threads == 1 ? processor_seconds() : wall_seconds();
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t, threads);
    work(0, threads);
    for (std::thread& other : others) other.join();
    best = std::min(best, (threads == 1 ? processor_seconds() : wall_seconds()) - start);
  }
  return best;
}

void report(const std::string& name, double bytes, const std::function<void(int, int)>& work) {
  std::printf("%-28s %7.1f %7.1f GB/s\n", name.c_str(), bytes / best_time(work, 1) * 1e-9,
              bytes / best_time(work, 2) * 1e-9);
}

void report(const std::string& name, double bytes, const LoopProgram& program, Job job) {
  const std::string assembly_folder =
      std::getenv("TIDE_BENCH_ASSEMBLY") ? std::getenv("TIDE_BENCH_ASSEMBLY") : "";
  if (!assembly_folder.empty()) {
    FILE* file = std::fopen((assembly_folder + "/" + name + ".s").c_str(), "w");
    if (file) {
      std::fputs(generate(program, GeneratedForm::assembly).c_str(), file);
      std::fclose(file);
    }
  }
  job.kernel = &Kernel::find(program);
  job.kernel->function(tide::machine_code);
  report(name, bytes, [&](int thread, int threads) { job.run(thread, threads); });
}

uint64_t pattern(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void measure_throughput() {
  constexpr int64_t kRows = 4096, kColumns = 4096, kCount = kRows * kColumns;
  constexpr double kBytes = 4.0 * kCount;
  float *a = big_array(kCount), *b = big_array(kCount), *c = big_array(kCount),
        *y = big_array(kCount);
  std::printf("%-28s  1 thread (processor time), 2 threads\n", "");
  report("memcpy", 2 * kBytes, [&](int thread, int threads) {
    const int64_t part = kCount / threads;
    std::memcpy(y + thread * part, a + thread * part, static_cast<size_t>(part) * 4);
  });
  for (const bool streaming : {false, true}) {
    const std::string suffix = streaming ? " streaming" : "";
    report("add" + suffix, 3 * kBytes, add_program(streaming),
           {nullptr, {a, b, y}, {kCount}, {1, 1, 1}, {}});
    report("chain" + suffix, 4 * kBytes, chain_program(streaming),
           {nullptr, {a, b, c, y}, {kCount}, {1, 1, 1, 1}, {pattern(0.5f)}});
    report("softmax rows" + suffix, 2 * kBytes, softmax_program(streaming, Orientation::row),
           {nullptr, {a, y}, {kRows, kColumns}, {kColumns, 1, kColumns, 1}, {}});
    report("layer norm rows" + suffix, 2 * kBytes, layer_norm_program(streaming),
           {nullptr,
            {a, y},
            {kRows, kColumns},
            {kColumns, 1, kColumns, 1},
            {pattern(1.0f / kColumns), pattern(1e-5f)}});
  }
  report("gelu rows", kBytes, gelu_program(),
         {nullptr,
          {a, b, y},
          {kRows, kColumns},
          {kColumns, 1, 0, 1, 1, 0},
          {pattern(1.0f / kColumns)}});
  report("softmax columns", 2 * kBytes, softmax_program(false, Orientation::outer),
         {nullptr, {a, y}, {kColumns, kRows}, {1, kColumns, 1, kColumns}, {}});
  report("sum of rows", kBytes, sum_program(Orientation::row),
         {nullptr, {a, y}, {kRows, kColumns}, {kColumns, 1, 1, 0}, {}});
  report("sum of columns", kBytes, sum_program(Orientation::outer),
         {nullptr, {a, y}, {kColumns, kRows}, {1, kColumns, 1, 0}, {}});
  report("sum of 64 rows' columns", kBytes / 64, sum_program(Orientation::outer),
         {nullptr, {a, y}, {kColumns, 64}, {1, kColumns, 1, 0}, {}});
  LoopProgram small = chain_program(false);
  report("chain of 4096, in cache", 4 * 4.0 * 4096 * 100,
         [&, job = Job{&Kernel::find(small), {a, b, c, y}, {4096}, {1, 1, 1, 1}, {pattern(0.5f)}}](
             int, int) {
           for (int i = 0; i < 100; ++i) job.run(0, 1);
         });
}

void measure_compiling() {
  generate(add_program(false), GeneratedForm::object);
  const std::pair<const char*, LoopProgram> programs[] = {
      {"add", add_program(false)},
      {"chain", chain_program(false)},
      {"20 ops", twenty_program()},
      {"softmax rows", softmax_program(false, Orientation::row)},
      {"softmax columns", softmax_program(false, Orientation::outer)},
      {"layer norm rows", layer_norm_program(false)},
      {"sum of rows", sum_program(Orientation::row)}};
  for (const auto& [name, program] : programs) {
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
      const double start = processor_seconds();
      generate(program, GeneratedForm::object);
      best = std::min(best, processor_seconds() - start);
    }
    std::printf("compile %-20s %7.2f ms\n", name, best * 1e3);
  }
}

}  // namespace
}  // namespace tide

int main() {
  std::printf("kernels for %s\n", tide::kernel_cpu().c_str());
  const double start = tide::processor_seconds();
  tide::Kernel::find(tide::twenty_program()).function(tide::machine_code);
  std::printf("first kernel %.2f ms, %lld from disk\n", (tide::processor_seconds() - start) * 1e3,
              static_cast<long long>(tide::kernel_statistics().from_disk));
  tide::measure_compiling();
  tide::measure_throughput();
}
