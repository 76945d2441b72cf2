// Parsed PTX instructions with resolved operands.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fake {

/// Error: PTX that cannot be parsed, or uses unsupported features.
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

/// Every operation; names are those of PTX, with a trailing underscore if the name is a C++
/// keyword.
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
  Type type = Type::b32;    ///< the last one in the name
  Type source = Type::b32;  ///< cvt, setp: of the operands
  Space space = Space::generic;
  int predicate = -1;  ///< register; -1: always
  bool negated = false;
  std::string mode;  ///< the rest of the name: "lt", "down", "hi", "rn.ftz"
  uint8_t vector = 1;
  bool packed = false;  ///< two of `type` side by side in 32 bits: add.s16x2
  Operand to, second;   ///< results
  Operand a, b, c, d;
  std::vector<Operand> list;  ///< the elements of a vector operand
  int target = -1;            ///< bra: the instruction
  int line = 0;               ///< of the text

  /// Whether a part of `mode` is that word.
  bool has(std::string_view word) const;
};

/// Predefined registers of every thread.
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
  envreg0,  ///< the value of TIDE_MUTANT: see tests/mutation
  kSpecials
};

}  // namespace fake
