// The structure of a loop program as bytes.
#include "runtime/ir/loop.h"

#include <utility>

namespace tide {
namespace {

class Bytes {
 public:
  void add8(uint8_t value) { bytes_.push_back(value); }
  void add16(uint16_t value) {
    add8(static_cast<uint8_t>(value));
    add8(static_cast<uint8_t>(value >> 8));
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }
  void reserve(size_t size) { bytes_.reserve(size); }

 private:
  std::vector<uint8_t> bytes_;
};

void add(Bytes& bytes, const LoopOperand& operand) {
  bytes.add8(static_cast<uint8_t>(operand.kind));
  bytes.add8(static_cast<uint8_t>(operand.type));
  bytes.add8(static_cast<uint8_t>(operand.streaming | operand.per_row << 1 | operand.nested << 2 |
                                  operand.indexed << 3));
  bytes.add8(static_cast<uint8_t>(operand.vector_stride));
}

/// Adds only the fields that the kind uses; the others may hold anything.
void add(Bytes& bytes, const LoopInstruction& instruction) {
  using Kind = LoopInstruction::Kind;
  bytes.add8(static_cast<uint8_t>(instruction.kind));
  bytes.add8(static_cast<uint8_t>(instruction.type));
  switch (instruction.kind) {
    case Kind::load:
      bytes.add16(instruction.operand);
      bytes.add8(instruction.arity);
      for (int i = 0; i < instruction.arity; ++i) bytes.add16(instruction.a[i]);
      break;
    case Kind::parameter:
      bytes.add16(instruction.operand);
      break;
    case Kind::map:
      bytes.add16(instruction.op);
      bytes.add8(instruction.arity);
      for (int i = 0; i < instruction.arity; ++i) bytes.add16(instruction.a[i]);
      break;
    case Kind::reduce:
      bytes.add8(static_cast<uint8_t>(instruction.reduction));
      bytes.add16(instruction.a[0]);
      break;
    case Kind::store:
      bytes.add16(instruction.operand);
      bytes.add16(instruction.a[0]);
      break;
  }
}

}  // namespace

std::vector<uint8_t> LoopProgram::key() const {
  Bytes bytes;
  bytes.reserve(13 + 4 * operands.size() + 13 * code.size());
  bytes.add8(outer_rank);
  bytes.add8(static_cast<uint8_t>(has_row | partial << 1 | single_block << 2));
  bytes.add8(row_rank);
  bytes.add8(static_cast<uint8_t>(orientation));
  bytes.add16(parameter_count);
  bytes.add16(static_cast<uint16_t>(operands.size()));
  for (const LoopOperand& operand : operands) add(bytes, operand);
  for (const LoopInstruction& instruction : code) add(bytes, instruction);
  return bytes.take();
}

}  // namespace tide
