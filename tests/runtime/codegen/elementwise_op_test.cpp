// Every elementwise op gives the same bits in a kernel as its definition gives on the host.
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include "runtime/codegen/machine_code.h"
#include "runtime/ir/definitions/elementwise_math.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/interpreter/interpreted_ops.h"
#include "runtime/ir/math/reference_value.h"
#include "runtime/tensor/body.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

constexpr int kCount = 203;  // full steps and a tail

/// The host type of an argument of an op on T.
template <ElementwiseOp op, int argument, class T>
using Argument =
    std::conditional_t<argument_type(op, argument) == DType::boolean, bool,
                       std::conditional_t<argument_type(op, argument) == DType::i64, int64_t, T>>;

template <class T>
T result_of(reference::Value<T> value) {
  return value.number();
}
bool result_of(reference::Mask mask) { return mask.holds; }

template <class T>
T random_number(std::mt19937& random) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T special[] = {T(0.0), T(-0.0), T(INFINITY), T(-INFINITY), T(NAN), T(1e-40),
                             T(1),   T(-1),   T(88.9),     T(-103.5),    T(0.5), T(1e30)};
    if (random() % 4 == 0) return special[random() % std::size(special)];
    return static_cast<T>(std::normal_distribution<double>(0, 4)(random));
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 != 0;
  } else {
    if (random() % 8 == 0) return std::numeric_limits<T>::lowest();
    return static_cast<T>(static_cast<int>(random() % 41) - 20);
  }
}

/// An array of kCount elements, and their type.
struct Elements {
  DType type;
  void* data;

  double operator[](int i) const {
    switch (type) {
      case DType::boolean:
        return static_cast<const bool*>(data)[i];
      case DType::i32:
        return static_cast<const int32_t*>(data)[i];
      case DType::i64:
        return static_cast<double>(static_cast<const int64_t*>(data)[i]);
      case DType::f32:
        return static_cast<const float*>(data)[i];
      default:
        return static_cast<const double*>(data)[i];
    }
  }
};

template <class T>
Elements elements_of(std::array<T, kCount>& array) {
  return {reference::dtype_of<T>(), array.data()};
}

/// The program that applies `op` to dense arguments.
LoopProgram program_of(ElementwiseOp op, const std::vector<Elements>& arguments, DType result) {
  using Kind = LoopInstruction::Kind;
  LoopProgram program;
  LoopInstruction map{.kind = Kind::map, .type = result, .op = static_cast<OpCode>(op)};
  for (const Elements& argument : arguments) {
    const auto index = static_cast<uint16_t>(program.operands.size());
    program.operands.push_back({.type = argument.type, .vector_stride = 1});
    program.code.push_back({.kind = Kind::load, .type = argument.type, .operand = index});
    map.a[map.arity++] = index;
  }
  const auto output = static_cast<uint16_t>(program.operands.size());
  program.operands.push_back({.type = result, .vector_stride = 1});
  program.code.push_back(map);
  program.code.push_back({.kind = Kind::store, .type = result, .operand = output, .a = {output}});
  return program;
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Runs the kernel of `op` and the interpreter, and checks that both give what is expected.
template <class Result>
void check_kernel(ElementwiseOp op, DType type, const std::vector<Elements>& arguments,
                  const std::array<Result, kCount>& expected) {
  std::array<Result, kCount> result{}, interpreted{};
  const LoopProgram program = program_of(op, arguments, reference::dtype_of<Result>());
  std::vector<void*> bases;
  for (const Elements& argument : arguments) bases.push_back(argument.data);
  bases.push_back(result.data());
  const int64_t extent = kCount;
  const int64_t strides[] = {1, 1, 1, 1, 1};
  const LoopArguments call{bases.data(), &extent, strides, nullptr};
  const LoopRange range{0, 1, 0, kCount, 0, 0};
  Kernel& kernel = Kernel::find(program);
  kernel.function(machine_code)(&call, &range, nullptr);
  REQUIRE(kernel.interpreted());
  std::vector<std::max_align_t> workspace(kernel.interpreted()->workspace_bytes(&extent) /
                                          sizeof(std::max_align_t));
  bases.back() = interpreted.data();
  kernel.interpreted()->run(call, workspace.data());
  for (int i = 0; i < kCount; ++i) {
    const bool agrees = same(interpreted[i], expected[i]) || kernel_cpu() == "x86-64";
    if (same(result[i], expected[i]) && agrees) continue;
    INFO(name_of(op) << " of " << name_of(type));
    for (const Elements& argument : arguments) UNSCOPED_INFO("argument " << argument[i]);
    CHECK(+result[i] == +expected[i]);
    CHECK(+interpreted[i] == +expected[i]);
    return;
  }
  CHECK(true);
}

template <ElementwiseOp op, class Definition, class T, size_t... I>
void check_op(std::index_sequence<I...>) {
  std::mt19937 random(7);
  std::tuple<std::array<Argument<op, I, T>, kCount>...> arguments;
  const auto expected_of = [&](int i) {
    return result_of(
        Definition::value(reference::Value<Argument<op, I, T>>(std::get<I>(arguments)[i])...));
  };
  std::array<decltype(expected_of(0)), kCount> expected{};
  for (int i = 0; i < kCount; ++i) {
    ((std::get<I>(arguments)[i] = random_number<Argument<op, I, T>>(random)), ...);
    expected[i] = expected_of(i);
  }
  check_kernel(op, reference::dtype_of<T>(), {elements_of(std::get<I>(arguments))...}, expected);
}

template <ElementwiseOp op, class Definition, int arity, class T>
void check_op_if_defined() {
  if constexpr (is_defined_for(op, reference::dtype_of<T>()))
    check_op<op, Definition, T>(std::make_index_sequence<arity>());
}

template <class T>
void check_all_ops() {
#define TIDE_ELEMENTWISE(name, Definition, arity, cost) \
  check_op_if_defined<ElementwiseOp::name, definition::Definition, arity, T>();
#include "runtime/ir/elementwise_ops.def"
}

}  // namespace

TEST_CASE("every op on f32 gives the bits of its definition", "[codegen][reference]") {
  if (kernel_cpu() != "x86-64") check_all_ops<float>();  // fma is two operations there
}

TEST_CASE("every op on f64 gives the bits of its definition", "[codegen][reference]") {
  if (kernel_cpu() != "x86-64") check_all_ops<double>();
}

TEST_CASE("ops on integers give the bits of their definitions", "[codegen][reference]") {
  check_all_ops<bool>();
  check_all_ops<uint8_t>();
  check_all_ops<int8_t>();
  check_all_ops<int16_t>();
  check_all_ops<int32_t>();
  check_all_ops<int64_t>();
}

}  // namespace tide::test
