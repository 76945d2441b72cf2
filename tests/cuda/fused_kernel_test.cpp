// Fused kernels on a CUDA device compute what their programs mean, with the bits of the reference.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "tests/cuda/device_run.h"
#include "tests/runtime/codegen/loop_interpreter.h"

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

constexpr unsigned kCases = 40;

int64_t length_of(unsigned seed, int64_t longest) {
  const int64_t lengths[] = {0, 1, 3, 7, 8, 31, 63, 64, 65, 127, 129, 200, 1000};
  return std::min(longest, lengths[seed % std::size(lengths)]);
}

}  // namespace

TEST_CASE("maps on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < 2 * kCases; ++seed)
    check_case(LoopKind::map, Orientation::outer, length_of(seed, 1000), seed);
}

TEST_CASE("rows on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < kCases; ++seed) {
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

TEST_CASE("reductions in order on a device equal the reference bit for bit", "[cuda]") {
  for (unsigned seed = 0; seed < kCases / 2; ++seed) {
    check_case(LoopKind::in_order, Orientation::row, length_of(seed, 200), seed);
    check_case(LoopKind::in_order, Orientation::outer, length_of(seed, 65), seed);
  }
}

}  // namespace tide::test
