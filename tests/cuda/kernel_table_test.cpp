// Assembles all compute kernels and the fused kernels of the golden cases and benchmarks for old
// and new GPUs; their registers and stack must not exceed kernel_table.txt.
//
// Run by `ctest -R kernel_table`. All of them take minutes, so a run assembles a fixed sample of
// each kind: the longest kernels for each GPU, the others for one. TIDE_TEST_ALL=1, or a folder for
// results in TIDE_ASSEMBLED, selects all. TIDE_WRITE_TABLE=1 writes the table. TIDE_GOLDEN_KERNELS
// names a folder with the golden cases' kernels of an earlier run on cuda.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "runtime/codegen/plugin.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/io/md5.h"
#include "tests/cuda/assembler.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSources = TIDE_SOURCES;
const fs::path kTable = kSources / "tests/cuda/kernel_table.txt";

/// A fused kernel that a run has compiled.
struct FusedKernel {
  LoopProgram program;
  GpuForm form;
  bool is_long = false;  ///< one of the longest of its kind
};

/// The program that LoopProgram::key has serialized.
LoopProgram read_program(std::string_view key) {
  using Kind = LoopInstruction::Kind;
  size_t at = 0;
  const auto read8 = [&] { return static_cast<uint8_t>(key.at(at++)); };
  const auto read16 = [&] {
    const unsigned low = read8();
    return static_cast<uint16_t>(low | static_cast<unsigned>(read8()) << 8);
  };
  LoopProgram program;
  program.outer_rank = read8();
  const uint8_t flags = read8();
  program.has_row = flags & 1, program.partial = flags & 2, program.single_block = flags & 4;
  program.row_rank = read8();
  program.orientation = static_cast<Orientation>(read8());
  program.parameter_count = read16();
  program.operands.resize(read16());
  for (LoopOperand& operand : program.operands) {
    operand.kind = static_cast<LoopOperand::Kind>(read8());
    operand.type = static_cast<DType>(read8());
    const uint8_t bits = read8();
    operand.streaming = bits & 1, operand.per_row = bits & 2, operand.nested = bits & 4;
    operand.indexed = bits & 8;
    operand.vector_stride = static_cast<int8_t>(read8());
  }
  while (at < key.size()) {
    LoopInstruction& one = program.code.emplace_back();
    one.kind = static_cast<Kind>(read8());
    one.type = static_cast<DType>(read8());
    if (one.kind == Kind::load || one.kind == Kind::map) {
      (one.kind == Kind::load ? one.operand : one.op) = read16();
      one.arity = read8();
      for (int i = 0; i < one.arity; ++i) one.a[i] = read16();
    } else if (one.kind == Kind::reduce) {
      one.reduction = static_cast<Reduction>(read8());
      one.a[0] = read16();
    } else {
      one.operand = read16();
      if (one.kind == Kind::store) one.a[0] = read16();
    }
  }
  const std::vector<uint8_t> again = program.key();
  if (!std::equal(again.begin(), again.end(), key.begin(), key.end(),
                  [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); }))
    throw std::runtime_error("a program does not match its key");
  return program;
}

/// The programs of the PTX in a folder of the kernel cache, whose files hold their keys.
std::vector<FusedKernel> kernels_in(const std::string& folder) {
  constexpr size_t kKeySize = 24, kKey = 40;  // their offsets in a file
  std::vector<FusedKernel> kernels;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string bytes = ::test::read_file(entry.path());
    uint64_t size = 0;
    if (bytes.size() < kKey) continue;
    std::memcpy(&size, bytes.data() + kKeySize, sizeof size);
    std::string_view key = std::string_view(bytes).substr(kKey, size);
    const std::string before = plugin_identity() + '\0' + "sm_";
    if (!key.starts_with(before)) continue;  // a kernel of the cpu
    key.remove_prefix(key.find('\0', before.size()) + 1);
    const unsigned form = static_cast<unsigned char>(key[0]) - unsigned{'0'};
    kernels.push_back({read_program(key.substr(1)),
                       {(form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0,
                        (form & 16) != 0, static_cast<GpuTable>(form / 32)}});
    REQUIRE(kernels.back().form.number() == form);
  }
  return kernels;
}

/// The fused kernels of a run of tide on the fake driver with these settings, and those that an
/// earlier run has left in the folder.
std::vector<FusedKernel> kernels_of(const std::string& folder, const char* settings,
                                    const std::vector<std::string>& words, const char* last_line) {
  const Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                          {"TIDE_FAKE_CUDA", settings},
                          {"TIDE_CACHE_DIR", folder}});
  const auto outcome = ::test::run_tide(words);
  INFO(outcome.err);
  REQUIRE(outcome.out.find(last_line) != std::string::npos);
  return kernels_in(folder);
}

/// The maximum resources of a group's kernels, and its spills.
struct Needs {
  int registers = 0, stack = 0, spilling = 0, spilled = 0;

  void add(const KernelProperties& kernel) {
    registers = std::max(registers, kernel.registers);
    stack = std::max(stack, kernel.stack);
    spilling += kernel.spilled > 0;
    spilled += kernel.spilled;
  }
  bool exceeds(const Needs& most) const {
    return registers > most.registers || stack > most.stack || spilling > most.spilling ||
           spilled > most.spilled;
  }
};

struct Group {
  int kernels = 0;
  std::array<Needs, std::size(kTargets)> needs;
};
using Table = std::map<std::string, Group>;

const char* kind_of(const FusedKernel& kernel) {
  const LoopProgram& program = kernel.program;
  if (!program.has_row) return kernel.form.vector ? "map, 16 bytes a thread" : "map";
  if (program.single_block) return "row as one block";
  if (program.partial) return "row in parts";
  if (program.orientation == Orientation::row)
    return kernel.form.staged ? "row in shared memory" : "row";
  return kernel.form.few ? "column, few of them" : "column";
}

/// The folder for the assembler's results; empty if they are not stored.
std::string answers_folder() {
  const char* folder = std::getenv("TIDE_ASSEMBLED");
  return folder ? folder : "";
}

/// A fixed sample of each kind: the longest kernels, which need most, and others chosen by
/// checksums of their keys.
std::vector<FusedKernel> sample(const std::vector<FusedKernel>& kernels) {
  constexpr std::ptrdiff_t kLongest = 4, kMost = 16;
  struct Member {
    const FusedKernel* kernel;
    std::string sum;
  };
  std::map<std::string, std::vector<Member>> kinds;
  for (const FusedKernel& kernel : kernels) {
    const std::vector<uint8_t> key = kernel.program.key();
    Md5 sum;
    sum.add(std::as_bytes(std::span(key)));
    kinds[kind_of(kernel)].push_back({&kernel, sum.text() + std::to_string(kernel.form.number())});
  }
  std::vector<FusedKernel> chosen;
  for (auto& [kind, members] : kinds) {
    const auto size = static_cast<std::ptrdiff_t>(members.size());
    const auto by_sum = [](const Member& a, const Member& b) { return a.sum < b.sum; };
    const auto by_length = [](const Member& a, const Member& b) {
      return a.kernel->program.code.size() > b.kernel->program.code.size();
    };
    std::sort(members.begin(), members.end(), by_sum);
    std::stable_sort(members.begin(), members.end(), by_length);
    std::sort(members.begin() + std::min(kLongest, size), members.end(), by_sum);
    for (std::ptrdiff_t i = 0; i < std::min(kMost, size); ++i) {
      chosen.push_back(*members[static_cast<size_t>(i)].kernel);
      chosen.back().is_long = i < kLongest;
    }
  }
  return chosen;
}

/// One run of the assembler: kernels for a target, and the result.
struct Assembly {
  size_t target;
  std::string compute_group{};              ///< of the compute kernels in `compute`, if any
  std::string compute{};                    ///< their PTX
  std::vector<const FusedKernel*> fused{};  ///< alternatively, fused kernels
  std::vector<std::string> fused_groups{};  ///< of each
  std::vector<KernelProperties> result{};
  std::string error{};

  bool is_compute() const { return !compute_group.empty(); }

  void run() {
    try {
      std::vector<std::string> texts;
      for (const FusedKernel* kernel : fused)
        texts.push_back(generate_ptx(kernel->program, kTargets[target].written, kernel->form));
      const char* const card = kTargets[target].assembled;
      result =
          is_compute() ? assemble(compute, card) : assemble_fused(texts, card, answers_folder());
    } catch (const std::exception& failure) {
      error = failure.what();
    }
  }
};

/// Runs them all, one per processor at a time.
void run_all(std::vector<Assembly>& assemblies) {
  std::atomic<size_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    workers.emplace_back([&] {
      for (size_t mine; (mine = next++) < assemblies.size();) assemblies[mine].run();
    });
  for (std::thread& worker : workers) worker.join();
}

class Measuring {
 public:
  void add_fused(const std::string& source, std::vector<FusedKernel> kernels) {
    constexpr size_t kAtOnce = 64;
    const auto& kept =
        kept_.emplace_back(takes_all_kernels() ? std::move(kernels) : sample(kernels));
    for (size_t target = 0; target < std::size(kTargets); ++target) {
      Assembly one{target};
      for (size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i].is_long && !is_for(i, target)) continue;
        one.fused.push_back(&kept[i]);
        one.fused_groups.push_back(source + ": " + kind_of(kept[i]));
        if (one.fused.size() == kAtOnce) assemblies_.push_back(std::exchange(one, {target}));
      }
      if (!one.fused.empty()) assemblies_.push_back(one);
    }
  }

  void add_compute() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kSources / "runtime/cuda/kernels"))
      if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    for (size_t i = 0; i < names.size(); ++i)
      for (size_t target = 0; target < std::size(kTargets); ++target)
        if (is_for(i, target))
          assemblies_.push_back(
              {target, "compute: " + names[i], cuda::embedded_ptx(names[i].c_str())});
  }

  Table table() {
    run_all(assemblies_);
    Table made;
    for (const Assembly& one : assemblies_) {
      INFO(kTargets[one.target].assembled << " " << one.compute_group << ": " << one.error);
      CHECK(one.error == "");
      CHECK((one.is_compute() || one.result.size() == one.fused.size()));
      CHECK_FALSE(one.result.empty());
      for (size_t i = 0; i < one.result.size(); ++i) {
        const KernelProperties& kernel = one.result[i];
        Group& group = made[one.is_compute() ? one.compute_group : one.fused_groups.at(i)];
        group.kernels += one.target == 0;
        group.needs[one.target].add(kernel);
      }
    }
    return made;
  }

 private:
  /// In a sample, the i-th kernel is assembled for one of the targets.
  static bool is_for(size_t i, size_t target) {
    return takes_all_kernels() || target == i % std::size(kTargets);
  }

  std::deque<std::vector<FusedKernel>> kept_;
  std::vector<Assembly> assemblies_;
};

std::string text_of(const Table& table) {
  constexpr size_t kNameWidth = 37;
  std::ostringstream out;
  out << "# What kernels need, by ptxas " << assembler_release()
      << ": for each card the most registers and bytes of stack of a thread,\n"
         "# kernels that spill, and bytes spilled by all of them. Compared by ctest -R "
         "kernel_table; written by it with TIDE_WRITE_TABLE=1.\n";
  const auto cell = [&](const std::string& text, size_t width) {
    out << std::string(width - std::min(width, text.size()), ' ') << text;
  };
  const std::string head = "# group";
  out << head << std::string(kNameWidth - head.size(), ' ') << "kernels";
  for (const AssemblyTarget& target : kTargets) cell(target.assembled, 19);
  out << '\n';
  for (const auto& [name, group] : table) {
    out << name << std::string(kNameWidth - std::min(kNameWidth, name.size()), ' ');
    cell(std::to_string(group.kernels), 7);
    for (const Needs& needs : group.needs) {
      cell(std::to_string(needs.registers), 7);
      for (const int number : {needs.stack, needs.spilling, needs.spilled})
        cell(std::to_string(number), 4);
    }
    out << '\n';
  }
  return out.str();
}

/// Reads the table.
Table read_table(const std::string& text) {
  Table table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::string name = line.substr(0, line.find("  "));
    std::istringstream numbers(line.substr(name.size()));
    Group& group = table[name];
    numbers >> group.kernels;
    for (Needs& needs : group.needs)
      numbers >> needs.registers >> needs.stack >> needs.spilling >> needs.spilled;
    INFO(line);
    REQUIRE_FALSE(numbers.fail());
  }
  return table;
}

void compare(const Table& measured, const std::string& written) {
  const Table table = read_table(written);
  for (const auto& [name, group] : measured) {
    INFO(name << " is not in the table");
    const auto row = table.find(name);
    CHECK(row != table.end());
    if (row == table.end()) continue;
    for (size_t i = 0; i < std::size(kTargets); ++i) {
      INFO(name << " on " << kTargets[i].assembled << " needs more than the table says");
      CHECK_FALSE(group.needs[i].exceeds(row->second.needs[i]));
    }
  }
}

bool has_golden_cases() {
  return std::getenv("TIDE_GOLDEN") || fs::exists(kSources / "../shared/golden/ops.lua");
}

}  // namespace

TEST_CASE("no kernel needs more than the table says", "[kernel_table][fake]") {
  if (!cuda::embedded_ptx("matmul"))
    return ::test::skip("no nvcc here: the kernels were not assembled", "TIDE_EXPECT_NVCC");
  if (assembler_release().empty())
    return ::test::skip("no ptxas here: the kernels were not assembled", "TIDE_EXPECT_PTXAS");
  Measuring measuring;
  measuring.add_compute();
  const ::test::TemporaryFolder folder;
  measuring.add_fused("benchmarks",
                      kernels_of(folder.path() + "/benchmarks", "skip_kernels=1,memory=64G",
                                 {"bench", "op_overhead", "op_overhead_grad", "frobenius_1000",
                                  "mlp_step", "lenet_train", "resnet18_fwd", "resnet18_train",
                                  "chain_16m", "add_16m", "sum_64m", "softmax_4k", "layernorm_4k",
                                  "gelu_rows", "--reps", "1", "--device", "cuda"},
                                 "gelu_rows"));
  if (has_golden_cases()) {
    const char* kept = std::getenv("TIDE_GOLDEN_KERNELS");
    // Kernels are not run, so cases may allocate arrays of any size.
    measuring.add_fused("golden cases", kernels_of(kept ? kept : folder.path() + "/golden", "",
                                                   {kSources / "tests/golden/runner.lua",
                                                    "--device", "cuda", "--no-models"},
                                                   "\nall "));
  } else {
    ::test::skip("no golden cases here: their kernels were not assembled", "TIDE_EXPECT_GOLDEN");
  }
  const Table measured = measuring.table();
  const std::string now = text_of(measured);
  if (std::getenv("TIDE_WRITE_TABLE")) {
    std::ofstream(kTable) << now;
    return;
  }
  const std::string before = ::test::read_file(kTable);
  if (before.find("by ptxas " + assembler_release() + ":") == std::string::npos) {
    ::test::skip("the table is another assembler's: its numbers were not compared",
                 "TIDE_EXPECT_NVCC");
  } else {
    INFO("now it would be\n" << now);
    compare(measured, before);
  }
}

}  // namespace tide::test
