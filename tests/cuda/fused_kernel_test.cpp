// Fused kernels on a CUDA device equal the reference, bit for bit.
#include <cmath>
#include <cstring>
#include <filesystem>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/loop_passes.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/runtime/codegen/loop_interpreter.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

bool is_nan(const Number& number) {
  return std::visit([](auto x) { return std::isnan(static_cast<double>(x)); }, number);
}

/// The first element that differs in a bit, nan being equal to nan; or -1.
int64_t first_difference(DType type, const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  const size_t size = size_of(type);
  for (size_t i = 0; i + size <= a.size(); i += size) {
    const auto index = static_cast<int64_t>(i / size);
    if (std::memcmp(&a[i], &b[i], size) != 0 && !(is_nan(read_element(type, a.data(), index)) &&
                                                  is_nan(read_element(type, b.data(), index))))
      return index;
  }
  return -1;
}

void check_case(LoopKind kind, Orientation orientation, int64_t length, unsigned seed) {
  std::mt19937 random(seed);
  LoopCase loop = random_case(random, kind, orientation, length, true);
  LoopCase expected = loop;
  const auto bases = expected.bases();
  interpret(expected.program, {bases.data(), expected.extents.data(), expected.strides.data(),
                               expected.parameters.data()});
  run_on_device(loop);
  for (const size_t output : loop.outputs) {
    INFO("seed " << seed << " length " << length << " operand " << output);
    const DType type = loop.program.operands[output].type;
    CHECK(first_difference(type, loop.memory[output], expected.memory[output]) == -1);
  }
}

constexpr unsigned kPrograms = 40;

int64_t length_of(unsigned seed, int64_t longest) {
  const int64_t lengths[] = {0, 1, 3, 7, 8, 31, 63, 64, 65, 127, 129, 200, 1000};
  return std::min(longest, lengths[seed % std::size(lengths)]);
}

}  // namespace

TEST_CASE("maps on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < 2 * kPrograms; ++seed)
    check_case(LoopKind::map, Orientation::outer, length_of(seed, 1000), seed);
}

TEST_CASE("rows on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    check_case(LoopKind::row, Orientation::row, length_of(seed, 1000), seed);
    check_case(LoopKind::row, Orientation::outer, length_of(seed, 200), seed);
  }
}

TEST_CASE("rows of several blocks on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < 3; ++seed) {
    check_case(LoopKind::row, Orientation::row, kReductionBlock + 77, seed);
    check_case(LoopKind::partial, Orientation::row, 2 * kReductionBlock + 5, seed);
    check_case(LoopKind::partial, Orientation::outer, kReductionBlock + 70, seed);
  }
}

namespace {

/// A weighted softmax of rows: two operands that are read in three passes, and their memory.
LoopCase weighted_softmax(DType type, int64_t rows, int64_t length, unsigned seed) {
  using Kind = LoopInstruction::Kind;
  const DType wide = is_half(type) ? DType::f32 : type;
  LoopCase made;
  LoopProgram& program = made.program;
  program.has_row = true;
  program.orientation = Orientation::row;
  program.operands.assign(3, {.type = type, .vector_stride = 1});
  const auto map = [&](ElementwiseOp op, std::initializer_list<uint16_t> arguments) {
    LoopInstruction one{.kind = Kind::map, .type = wide, .op = static_cast<OpCode>(op)};
    for (const uint16_t a : arguments) one.a[one.arity++] = a;
    program.code.push_back(one);
  };
  const auto reduce = [&](Reduction how, uint16_t value) {
    program.code.push_back({.kind = Kind::reduce, .type = wide, .reduction = how, .a = {value}});
  };
  program.code = {{.kind = Kind::load, .type = type, .operand = 0},
                  {.kind = Kind::load, .type = type, .operand = 1}};
  reduce(Reduction::max, 0);
  map(ElementwiseOp::sub, {0, 2});
  map(ElementwiseOp::exp, {3});
  map(ElementwiseOp::mul, {4, 1});
  reduce(Reduction::sum, 5);
  map(ElementwiseOp::div, {5, 6});
  program.code.push_back({.kind = Kind::store, .type = type, .operand = 2, .a = {7}});
  // Rows start at multiples of 16 bytes.
  const int64_t apart = (length + 15) / 16 * 16;
  made.extents = {rows, length};
  made.strides = {apart, 1, apart, 1, apart, 1};
  made.offsets.assign(3, 0);
  made.outputs = {2};
  std::mt19937 random(seed);
  for (int k = 0; k < 3; ++k) {
    auto& memory =
        made.memory.emplace_back(static_cast<size_t>(rows * apart) * size_of(type), uint8_t{0});
    for (int64_t i = 0; i < rows * apart; ++i)
      write_element(type, memory.data(), i, std::normal_distribution<double>(0, 2)(random));
  }
  return made;
}

}  // namespace

TEST_CASE("rows in shared memory equal the reference bit for bit", "[cuda]") {
  const auto check_rows = [](DType type, int64_t rows, int64_t length) {
    LoopCase loop = weighted_softmax(type, rows, length, 5);
    CHECK(LoopPasses(loop.program).row_stage(loop.program, false).operands ==
          std::vector<uint16_t>{0, 1});
    LoopCase expected = loop;
    const auto bases = expected.bases();
    interpret(expected.program, {bases.data(), expected.extents.data(), expected.strides.data(),
                                 expected.parameters.data()});
    run_on_device(loop);
    INFO(name_of(type) << " " << length);
    CHECK(first_difference(type, loop.memory[2], expected.memory[2]) == -1);
  };
  // Up to 8 KB are not staged; the maximum is 227 KB.
  for (const int64_t length : {1024, 1028, 1031, 2111, 4096}) check_rows(DType::f32, 9, length);
  for (const DType type : {DType::f16, DType::bf16}) check_rows(type, 3, 5003);
  check_rows(DType::f64, 3, 1501);
  check_rows(DType::f16, 5, 33000);  // halves are staged, but the exponentials do not fit
  check_rows(DType::f32, 1, kReductionBlock + 77);     // two blocks of the tree
  check_rows(DType::f16, 1, 3 * kReductionBlock + 5);  // four
}

TEST_CASE("kept values of a row overwrite its staged elements", "[cuda]") {
  const auto stage_of = [](DType type) {
    const LoopProgram program = weighted_softmax(type, 1, 8, 5).program;
    return LoopPasses(program).row_stage(program, true);
  };
  CHECK(stage_of(DType::f32).operands == std::vector<uint16_t>{0, 1});
  CHECK(stage_of(DType::f32).kept == std::vector<size_t>{0});
  CHECK(stage_of(DType::f32).bytes(1001) == 2 * 4016);
  CHECK(stage_of(DType::f16).kept == std::vector<size_t>{2});
  CHECK(stage_of(DType::f16).bytes(1001) == 2 * 2016 + 4016);
}

TEST_CASE("a row that does not fit into shared memory is read again", "[cuda]") {
  LoopCase loop = weighted_softmax(DType::f32, 1, 2 * kReductionBlock, 6);
  LoopCase expected = loop;
  const auto bases = expected.bases();
  interpret(expected.program, {bases.data(), expected.extents.data(), expected.strides.data(),
                               expected.parameters.data()});
  run_on_device(loop);
  CHECK(first_difference(DType::f32, loop.memory[2], expected.memory[2]) == -1);
}

TEST_CASE("long aligned rows are staged in shared memory", "[cuda][fake]") {
  const auto is_staged = [](const char* rows) {
    const ::test::TemporaryFolder folder;
    const Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                            {"TIDE_FAKE_CUDA", "skip_kernels=1"},
                            {"TIDE_CACHE_DIR", folder.path()}});
    const auto outcome = ::test::run_tide({"-e", "local x = " + std::string(rows) +
                                                     " tide.synchronize()\n"
                                                     "local y = x:softmax(2) tide.synchronize()"});
    CHECK(outcome.err == "");
    bool found = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      found =
          found || (entry.is_regular_file() &&
                    ::test::read_file(entry.path()).find(".extern .shared") != std::string::npos);
    return found;
  };
  CHECK(is_staged("tide.zeros({8, 4096}, {device = 'cuda'})"));
  CHECK(is_staged("tide.zeros({8, 8192}, {device = 'cuda', dtype = 'float16'})"));
  CHECK(is_staged("tide.zeros({8, 48000}, {device = 'cuda'})"));
  CHECK_FALSE(is_staged("tide.zeros({8, 1024}, {device = 'cuda'})"));
  CHECK_FALSE(is_staged("tide.zeros({8, 4097}, {device = 'cuda'})"));
  CHECK_FALSE(is_staged("tide.zeros({8, 80000}, {device = 'cuda'})"));
}

TEST_CASE("rows as single blocks on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < kPrograms / 2; ++seed) {
    check_case(LoopKind::single_block, Orientation::row, length_of(seed, 200), seed);
    check_case(LoopKind::single_block, Orientation::outer, length_of(seed, 65), seed);
  }
}

}  // namespace tide::test
