// The PTX of fused kernels: exact arithmetic only, and code that the assembler takes without
// spilling.
#include "runtime/codegen/ptx.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "runtime/cuda/embedded_kernels.h"
#include "runtime/ops/light_ops.h"
#include "tests/cuda/device_run.h"
#include "tests/interpreter/command.h"

namespace tide::test {
namespace {

/// The types that an op's meaning can be written for, with its result.
struct Signature {
  DType argument, result;
};

/// A program that applies the op to dense operands.
LoopProgram program_of(LightOp op, Signature types) {
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

/// A row program: reductions and a map of the row by their results, or the parts of a long
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
  const auto map = [](LightOp op, std::initializer_list<uint16_t> arguments) {
    LoopInstruction made{.kind = Kind::map, .type = DType::f32, .op = static_cast<OpCode>(op)};
    for (const uint16_t a : arguments) made.a[made.arity++] = a;
    return made;
  };
  program.code.push_back(map(LightOp::sub, {0, 1}));
  program.code.push_back(map(LightOp::exp, {2}));
  program.code.push_back(
      {.kind = Kind::reduce, .type = DType::f32, .reduction = Reduction::sum, .a = {3}});
  program.code.push_back(map(LightOp::div, {3, 4}));
  program.code.push_back({.kind = Kind::store, .type = DType::f32, .operand = 1, .a = {5}});
  return program;
}

std::vector<std::pair<std::string, std::string>> kernels_of(const char* architecture) {
  std::vector<std::pair<std::string, std::string>> kernels;
  for (int i = 0; i < kLightOpCount; ++i) {
    const auto op = static_cast<LightOp>(i);
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
  kernels.emplace_back("long sum", ptx_of(row_program(Orientation::row, true), architecture, {}));
  return kernels;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) text += line;
  pclose(pipe);
  return text;
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
      ptx_of(program_of(LightOp::add, {DType::f32, DType::f32}), "sm_80", {.vector = true});
  CHECK(ptx.find("ld.global.v4.f32") != std::string::npos);
  CHECK(ptx.find("st.global.v4.f32") != std::string::npos);
}

namespace {

constexpr std::pair<const char*, const char*> kTargets[] = {
    {"sm_75", "sm_75"}, {"sm_80", "sm_80"}, {"sm_90", "sm_90"}, {"sm_90", "sm_100"}};

/// What the assembler says of the PTX; empty without an assembler.
std::string assembled(const std::string& ptx, const std::string& target) {
  const char* ptxas = std::getenv("TIDE_PTXAS");
  if (!ptxas || !*ptxas) {
    WARN("no ptxas here: the kernels were not assembled");
    return {};
  }
  const ::test::TemporaryFolder folder;
  const std::string file = folder.write("kernels.ptx", ptx);
  const std::string said =
      output_of(std::string(ptxas) + " -v -arch=" + target + " " + file + " -o /dev/null");
  INFO(said.substr(0, 2000));
  CHECK(said.find("error") == std::string::npos);
  CHECK(said.find("fatal") == std::string::npos);
  CHECK(said.find("Compiling entry function") != std::string::npos);
  return said;
}

/// The kernels that do not find room in registers, as words.
std::string spilling(const std::string& said) {
  const std::regex properties(
      R"(Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill)");
  std::string names;
  for (std::sregex_iterator it(said.begin(), said.end(), properties), end; it != end; ++it)
    if ((*it)[2] != "0") names += (names.empty() ? "" : " ") + (*it)[1].str();
  return names;
}

}  // namespace

TEST_CASE("the assembler takes every fused kernel without spilling", "[cuda][ptxas]") {
  for (const auto& [written, target] : kTargets) {
    // One file of many kernels costs one start of the assembler.
    std::string all;
    for (auto& [name, ptx] : kernels_of(written)) {
      std::string one = std::regex_replace(ptx, std::regex(R"(\b(kernel|lanes)\b)"),
                                           "$1_" + std::regex_replace(name, std::regex(" "), "_"));
      one = std::regex_replace(one, std::regex("kernel_param_0"), "parameter");
      if (!all.empty()) one.erase(0, one.find(".address_size 64") + 16);
      all += one;
    }
    INFO(target);
    CHECK(spilling(assembled(all, target)) == "");
  }
}

TEST_CASE("the assembler takes every native kernel without spilling", "[cuda][ptxas]") {
  for (const char* file : {"matmul", "indexing", "scan", "pooling", "convolution"}) {
    const char* ptx = cuda::embedded_ptx(file);
    if (!ptx) return;  // built without nvcc
    for (const char* target : {"sm_75", "sm_100"}) {  // the oldest and the newest
      INFO(file << " for " << target);
      CHECK(spilling(assembled(ptx, target)) == "");
    }
  }
}

}  // namespace tide::test
