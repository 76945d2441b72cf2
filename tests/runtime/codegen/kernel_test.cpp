// Kernels and the interpreter compute what programs mean, bit for bit, whatever their sizes,
// strides and parts.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "runtime/codegen/machine_code.h"
#include "runtime/ir/loop_passes.h"
#include "tests/runtime/codegen/loop_interpreter.h"
#include "tests/runtime/codegen/random_program.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

/// A workspace as kernels want it, full of nonsense.
std::unique_ptr<void, decltype(&std::free)> workspace_for(const Kernel& kernel,
                                                          int64_t row_length) {
  const size_t size = (kernel.workspace_bytes(row_length) + 127) / 64 * 64;
  void* memory = std::aligned_alloc(64, size);
  std::memset(memory, 0x7f, size);
  return {memory, &std::free};
}

/// Runs the kernel over its domain in several parts.
void run_in_parts(LoopCase& loop, int parts) {
  const LoopProgram& program = loop.program;
  Kernel& kernel = Kernel::find(program);
  const auto bases = loop.bases();
  const LoopArguments arguments{bases.data(), loop.extents.data(), loop.strides.data(),
                                loop.parameters.data()};
  const bool vectors_outer = program.orientation == Orientation::outer;
  const int walked = program.outer_rank - (vectors_outer ? 1 : 0);
  int64_t outer = 1;
  for (int d = 0; d < walked; ++d) outer *= loop.extents[static_cast<size_t>(d)];
  const int64_t vector = vectors_outer ? loop.extents[static_cast<size_t>(walked)] : 1;
  const int64_t row = loop.row_length();
  const auto cut = [parts](int64_t size, int part, int64_t unit) {
    return part >= parts ? size : std::min(size, size * part / parts / unit * unit);
  };
  const auto workspace = workspace_for(kernel, row);
  for (int o = 0; o < parts; ++o)
    for (int v = 0; v < (vectors_outer ? parts : 1); ++v)
      for (int r = 0; r < (program.partial ? parts : 1); ++r) {
        LoopRange range{cut(outer, o, 1), cut(outer, o + 1, 1), 0, 1, 0, row};
        if (vectors_outer) {
          range.vector_begin = cut(vector, v, 64);
          range.vector_end = cut(vector, v + 1, 64);
        }
        if (program.partial) {
          range.row_begin = cut(row, r, kReductionBlock);
          range.row_end = cut(row, r + 1, kReductionBlock);
        }
        kernel.function(machine_code)(&arguments, &range, workspace.get());
      }
}

/// Runs the program without machine code; whether that can be.
bool run_interpreted(LoopCase& loop) {
  Kernel& kernel = Kernel::find(loop.program);
  const auto bases = loop.bases();
  const LoopArguments arguments{bases.data(), loop.extents.data(), loop.strides.data(),
                                loop.parameters.data()};
  const InterpretedLoop* const interpreted = kernel.interpreted();
  if (!interpreted) return false;
  const size_t size = interpreted->workspace_bytes(arguments.extents);
  const std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, size),
                                                              &std::free);
  std::memset(workspace.get(), 0x7f, size);
  interpreted->run(arguments, workspace.get());
  return true;
}

void run_reference(LoopCase& loop) {
  const auto bases = loop.bases();
  interpret(loop.program,
            {bases.data(), loop.extents.data(), loop.strides.data(), loop.parameters.data()});
}

bool is_nan(const Number& number) {
  return std::visit([](auto x) { return std::isnan(static_cast<double>(x)); }, number);
}

/// The first element of an output that differs in a bit, nan being equal to nan; or -1.
int64_t first_difference(DType type, const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  const auto size = size_of(type);
  for (size_t i = 0; i + size <= a.size(); i += size) {
    if (std::memcmp(&a[i], &b[i], size) == 0) continue;
    const auto index = static_cast<int64_t>(i / size);
    const bool nan =
        is_nan(read_element(type, a.data(), index)) && is_nan(read_element(type, b.data(), index));
    if (!nan) return index;
  }
  return -1;
}

std::string text(const LoopProgram& program) {
  std::string result = "rank " + std::to_string(program.outer_rank);
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LoopInstruction& code = program.code[i];
    result += "\n%" + std::to_string(i) + " kind " + std::to_string(static_cast<int>(code.kind)) +
              " " + std::string(name_of(code.type)) + " op " + std::to_string(code.op) +
              " reduction " + std::to_string(static_cast<int>(code.reduction)) + " operand " +
              std::to_string(code.operand) + " of";
    for (const uint16_t a : code.a) result += " %" + std::to_string(a);
  }
  for (const LoopOperand& operand : program.operands)
    result += "\noperand " + std::string(name_of(operand.type)) + " iota " +
              std::to_string(operand.kind == LoopOperand::Kind::iota) + " vector stride " +
              std::to_string(operand.vector_stride) + " per row " +
              std::to_string(operand.per_row) + " nested " + std::to_string(operand.nested);
  return result;
}

void check_case(LoopKind kind, Orientation orientation, int64_t length, unsigned seed) {
  std::mt19937 random(seed);
  LoopCase loop = random_case(random, kind, orientation, length, kernel_cpu() != "x86-64");
  LoopCase expected = loop, interpreted = loop;
  INFO("seed " << seed << " length " << length << " " << text(loop.program));
  run_reference(expected);
  const auto check = [&](const LoopCase& result, const char* how) {
    for (const size_t output : loop.outputs) {
      const DType type = loop.program.operands[output].type;
      const int64_t at = first_difference(type, result.memory[output], expected.memory[output]);
      INFO(how << ": operand " << output << " element " << at);
      CHECK(at == -1);
    }
  };
  run_in_parts(loop, 1 + static_cast<int>(seed % 3));
  check(loop, "machine code");
  const bool may_be_interpreted =
      kind != LoopKind::partial && kind != LoopKind::single_block && loop.program.row_rank == 0;
  if (kernel_cpu() == "x86-64") return;
  CHECK(run_interpreted(interpreted) == may_be_interpreted);
  if (may_be_interpreted) check(interpreted, "interpreted");
}

/// TIDE_TEST_CASES sets how many random programs each case tries.
unsigned case_count() {
  const char* wanted = std::getenv("TIDE_TEST_CASES");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 60;
}

int64_t random_length(unsigned seed, int64_t longest) {
  std::mt19937 random(seed + 1000);
  const int64_t lengths[] = {0, 1, 3, 7, 8, 31, 63, 64, 65, 127, 129, 200, 1000, 4097};
  return std::min(longest, lengths[random() % std::size(lengths)]);
}

}  // namespace

TEST_CASE("maps equal the reference bit for bit", "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count(); ++seed)
    check_case(LoopKind::map, Orientation::outer, random_length(seed, 4097), seed);
}

TEST_CASE("row programs with dense rows equal the reference bit for bit", "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count(); ++seed)
    check_case(LoopKind::row, Orientation::row, random_length(seed, 4097), seed);
}

TEST_CASE("row programs with strided rows equal the reference bit for bit",
          "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count(); ++seed)
    check_case(LoopKind::row, Orientation::outer, random_length(seed, 1000), seed);
}

TEST_CASE("wide blocks of columns equal the reference bit for bit", "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count() / 30; ++seed)
    check_case(LoopKind::row, Orientation::outer, kManyRows, seed);
}

TEST_CASE("rows of several blocks equal the reference bit for bit", "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count() / 10; ++seed) {
    check_case(LoopKind::row, Orientation::row, 2 * kReductionBlock + 77, seed);
    check_case(LoopKind::partial, Orientation::row, 3 * kReductionBlock + 5, seed);
    check_case(LoopKind::row, Orientation::outer, 2 * kReductionBlock + 70, seed);
    check_case(LoopKind::partial, Orientation::outer, 2 * kReductionBlock + 70, seed);
  }
  // More blocks than lanes.
  for (unsigned seed = 0; seed < case_count() / 30; ++seed)
    check_case(LoopKind::row, Orientation::row, (kReductionLanes + 3) * kReductionBlock + 9, seed);
}

TEST_CASE("rows as single blocks equal the reference bit for bit", "[codegen][reference]") {
  for (unsigned seed = 0; seed < case_count() / 3; ++seed) {
    check_case(LoopKind::single_block, Orientation::row, random_length(seed, 200), seed);
    check_case(LoopKind::single_block, Orientation::outer, random_length(seed, 200), seed);
  }
}

}  // namespace tide::test
