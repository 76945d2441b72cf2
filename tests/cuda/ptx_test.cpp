// The PTX of fused kernels: exact arithmetic, and no register spills.
#include "runtime/codegen/ptx.h"

#include <regex>

#include "runtime/ir/elementwise_ops.h"
#include "tests/cuda/assembler.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

/// The types that an op's definition supports, with the result's type.
struct Signature {
  DType argument, result;
};

/// A program that applies the op to dense operands.
LoopProgram program_of(ElementwiseOp op, Signature types) {
  using Kind = LoopInstruction::Kind;
  LoopProgram program;
  LoopInstruction map{.kind = Kind::map, .type = types.result, .op = static_cast<OpCode>(op)};
  for (int i = 0; i < arity_of(op); ++i) {
    const DType type = argument_type(op, i).value_or(types.argument);
    const auto index = static_cast<uint16_t>(program.operands.size());
    program.operands.push_back({.type = type, .vector_stride = 1});
    program.code.push_back({.kind = Kind::load, .type = type, .operand = index});
    map.a[map.arity++] = index;
  }
  const auto output = static_cast<uint16_t>(program.operands.size());
  program.operands.push_back({.type = types.result, .vector_stride = 1});
  program.code.push_back(map);
  program.code.push_back(
      {.kind = Kind::store, .type = types.result, .operand = output, .a = {output}});
  return program;
}

/// A row program: reductions and a map of the row with their results, or partial results of a long
/// reduction.
LoopProgram row_program(Orientation orientation, bool partial) {
  using Kind = LoopInstruction::Kind;
  LoopProgram program;
  program.has_row = true;
  program.orientation = orientation;
  program.partial = partial;
  const int8_t dense = 1;
  program.operands = {{.type = DType::f32, .vector_stride = dense},
                      {.type = DType::f32, .vector_stride = dense}};
  program.code = {
      {.kind = Kind::load, .type = DType::f32, .operand = 0},
      {.kind = Kind::reduce, .type = DType::f32, .reduction = Reduction::max, .a = {0}}};
  if (partial) {
    program.code[1].reduction = Reduction::sum;
    program.code.push_back({.kind = Kind::store, .type = DType::f32, .operand = 1, .a = {1}});
    return program;
  }
  const auto map = [](ElementwiseOp op, std::initializer_list<uint16_t> arguments) {
    LoopInstruction made{.kind = Kind::map, .type = DType::f32, .op = static_cast<OpCode>(op)};
    for (const uint16_t a : arguments) made.a[made.arity++] = a;
    return made;
  };
  program.code.push_back(map(ElementwiseOp::sub, {0, 1}));
  program.code.push_back(map(ElementwiseOp::exp, {2}));
  program.code.push_back(
      {.kind = Kind::reduce, .type = DType::f32, .reduction = Reduction::sum, .a = {3}});
  program.code.push_back(map(ElementwiseOp::div, {3, 4}));
  program.code.push_back({.kind = Kind::store, .type = DType::f32, .operand = 1, .a = {5}});
  return program;
}

std::vector<std::pair<std::string, std::string>> kernels_of(const char* architecture) {
  std::vector<std::pair<std::string, std::string>> kernels;
  for (int i = 0; i < kElementwiseOpCount; ++i) {
    const auto op = static_cast<ElementwiseOp>(i);
    const std::string name(name_of(op));
    Signature types{DType::f32, DType::f32};
    if (name.starts_with("random"))
      types = {DType::i64, name.ends_with("f64")       ? DType::f64
                           : name.ends_with("integer") ? DType::i64
                                                       : DType::f32};
    if (name.starts_with("bitwise") || name.starts_with("shift")) types = {DType::i32, DType::i32};
    if (name.starts_with("logical") || name.starts_with("is") || name == "eq" || name == "ne" ||
        name == "lt" || name == "le" || name == "gt" || name == "ge")
      types.result = DType::boolean;
    kernels.emplace_back(
        name, ptx_of(program_of(op, types), architecture, {.vector = true, .narrow = true}));
  }
  kernels.emplace_back("softmax", ptx_of(row_program(Orientation::row, false), architecture, {}));
  kernels.emplace_back("softmax down",
                       ptx_of(row_program(Orientation::outer, false), architecture, {}));
  kernels.emplace_back("softmax, staged", ptx_of(row_program(Orientation::row, false), architecture,
                                                 {.staged = true}));
  kernels.emplace_back("softmax, kept", ptx_of(row_program(Orientation::row, false), architecture,
                                               {.staged = true, .keeps = true}));
  kernels.emplace_back("softmax down few",
                       ptx_of(row_program(Orientation::outer, false), architecture, {.few = true}));
  kernels.emplace_back("long sum", ptx_of(row_program(Orientation::row, true), architecture, {}));
  return kernels;
}

/// The number of occurrences.
size_t times(const std::string& ptx, const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; (at = ptx.find(text, at)) != std::string::npos; at += text.size()) ++count;
  return count;
}

}  // namespace

TEST_CASE("no kernel has contracted or approximate arithmetic", "[cuda]") {
  // A plain mul.f32 may be fused with an addition by the assembler; mul.rn.f32 may not.
  const std::regex inexact(R"(\.approx|\.ftz|\.full|\b(add|sub|mul|div|sqrt|rcp)\.f(32|64))");
  for (const auto& [name, ptx] : kernels_of("sm_75")) {
    INFO(name);
    std::smatch found;
    CHECK_FALSE(std::regex_search(ptx, found, inexact));
    if (name == "mul" || name == "addcmul" || name == "add_scaled" || name == "lerp")
      CHECK(ptx.find("fma") == std::string::npos);
  }
}

TEST_CASE("dense arrays are moved 16 bytes at a time", "[cuda]") {
  const std::string ptx =
      ptx_of(program_of(ElementwiseOp::add, {DType::f32, DType::f32}), "sm_80", {.vector = true});
  CHECK(ptx.find("ld.global.v4.f32") != std::string::npos);
  CHECK(ptx.find("st.global.v4.f32") != std::string::npos);
}

TEST_CASE("rows are moved into shared memory 16 bytes at a time, once", "[cuda]") {
  const std::string ptx = ptx_of(row_program(Orientation::row, false), "sm_80", {.staged = true});
  CHECK(times(ptx, "ld.global.v4") == 5);  // four at a time, then one
  CHECK(times(ptx, "st.shared.v4") == 5);
  CHECK(times(ptx, "ld.global") == 6);  // and what is left of the row
}

TEST_CASE("a softmax that keeps its exponentials computes them once", "[cuda]") {
  const LoopProgram softmax = row_program(Orientation::row, false);
  const std::string twice = ptx_of(softmax, "sm_80", {.staged = true}),
                    once = ptx_of(softmax, "sm_80", {.staged = true, .keeps = true});
  CHECK(times(once, "fma.rn.f32") > 0);
  CHECK(times(twice, "fma.rn.f32") == 2 * times(once, "fma.rn.f32"));
}

TEST_CASE("half types are added and multiplied in pairs if the device supports it", "[cuda]") {
  const auto ptx = [](ElementwiseOp op, DType type, const char* architecture) {
    return ptx_of(program_of(op, {type, type}), architecture, {.vector = true});
  };
  for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
    INFO(architecture);
    const std::string sum = ptx(ElementwiseOp::add, DType::f16, architecture);
    CHECK(sum.find("add.rn.f16x2") != std::string::npos);
    CHECK(sum.find("f32") == std::string::npos);
    CHECK(ptx(ElementwiseOp::div, DType::f16, architecture).find("div.rn.f32") !=
          std::string::npos);
  }
  CHECK(ptx(ElementwiseOp::mul, DType::bf16, "sm_90").find("mul.rn.bf16x2") != std::string::npos);
  CHECK(ptx(ElementwiseOp::mul, DType::bf16, "sm_80").find("cvt.rn.bf16.f32") != std::string::npos);
  CHECK(ptx(ElementwiseOp::mul, DType::bf16, "sm_75").find("bf16") == std::string::npos);
}

TEST_CASE("every op's kernel assembles without spilling", "[cuda][ptxas]") {
  if (assembler_release().empty()) {
    return ::test::skip("no ptxas here: the kernels were not assembled", "TIDE_EXPECT_PTXAS");
  }
  for (size_t target = 0; target < std::size(kTargets); ++target) {
    // One file with many kernels needs only one run of the assembler.
    const auto [written, assembled] = kTargets[target];
    const auto kernels = kernels_of(written);
    std::vector<std::string> names, texts;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!takes_all_kernels() && i % std::size(kTargets) != target) continue;
      names.push_back(kernels[i].first);
      texts.push_back(kernels[i].second);
    }
    const auto taken = assemble(joined(texts), assembled);
    CHECK(taken.size() == names.size());
    for (const KernelProperties& kernel : taken) {
      INFO(assembled << ": " << names.at(std::stoul(kernel.name.substr(7))));
      CHECK(kernel.spilled == 0);
    }
  }
}

}  // namespace tide::test
