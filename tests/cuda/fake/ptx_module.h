// PTX as the fake driver runs it: instructions with their operands resolved.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fake {

/// PTX that cannot be parsed, or uses what the interpreter does not know.
struct PtxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Type : uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64
};
enum class Space : uint8_t { generic, global, shared, local, param };

int size_of(Type type);

/// Every operation; names are those of PTX, with a trailing underscore where C++ has the word.
enum class Op : uint8_t {
  mov,
  ld,
  st,
  add,
  sub,
  mul,
  mad,
  fma,
  div,
  rem,
  abs,
  neg,
  min,
  max,
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr,
  setp,
  selp,
  cvt,
  cvta,
  bra,
  ret,
  exit,
  bar,
  bar_red,
  bar_warp,
  shfl,
  vote,
  activemask,
  bfe,
  bfi,
  brev,
  clz,
  popc,
  prmt,
  sqrt,
  rcp,
  rsqrt,
  ex2,
  lg2,
  copysign,
  atom,
  red,
  fence,
  shf,
  lop3,
  trap
};

struct Operand {
  enum class Kind : uint8_t { none, reg, immediate, address };
  Kind kind = Kind::none;
  uint32_t reg = 0;        ///< also the base of an address, kNoBase if it has none
  uint64_t immediate = 0;  ///< also the offset of an address
  static constexpr uint32_t kNoBase = ~0u;
};

struct Instruction {
  Op op{};
  Type type = Type::b32;    ///< the last one named
  Type source = Type::b32;  ///< cvt: of the operand; setp: of what is compared
  Space space = Space::generic;
  int predicate = -1;  ///< register; -1: always
  bool negated = false;
  std::string mode;  ///< what is left of the name: "lt", "down", "hi", "rn.ftz"
  uint8_t kind = 0;  ///< `mode` as the machine reads it
  uint8_t vector = 1;
  bool packed = false;  ///< two of `type` side by side in 32 bits: add.s16x2
  Operand to, second;   ///< results
  Operand a, b, c, d;
  std::vector<Operand> list;  ///< the elements of a vector operand
  int target = -1;            ///< bra: the instruction
  int line = 0;               ///< of the text
};

struct Parameter {
  std::string name;
  uint32_t offset, size;
};

struct Kernel {
  std::string name;
  std::vector<std::pair<uint64_t, uint64_t>> variables;  ///< where those of the module lie
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t registers = 0;
  uint32_t most_dynamic = 0;  ///< shared memory that a launch may ask for, if it was set
  uint32_t shared_bytes = 0, local_bytes = 0;
  int max_threads = 1024;
  std::vector<Instruction> code;
};

/// Registers that every thread begins with.
enum Special : uint32_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  lanemask_lt,
  envreg0,  ///< what the variable TIDE_MUTANT is: see tests/mutation
  kSpecials
};

class PtxModule {
 public:
  /// Throws PtxError.
  explicit PtxModule(std::string_view text);

  const Kernel* find(const std::string& name) const;
  int version() const { return version_; }  ///< 81 for 8.1
  int target() const { return target_; }    ///< 75 for sm_75

 private:
  friend class PtxParser;
  int version_ = 0, target_ = 0;
  std::map<std::string, Kernel> kernels_;
  std::vector<std::unique_ptr<uint8_t[]>> variables_;  ///< of the .global and .const spaces
};

}  // namespace fake
