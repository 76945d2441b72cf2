// Loops along the vector dimension: full steps, then a tail.
#pragma once

#include <functional>
#include <vector>

#include "runtime/codegen/llvm/body.h"

namespace tide::ir {

/// A loop along the vector dimension.
struct VectorLoop {
  llvm::Value *begin, *end;
  const Positions& positions;
  std::vector<bool> needed;           ///< the instructions that the body computes
  std::vector<llvm::Value*> scalars;  ///< values already computed, uniform; or null
  std::function<void(Body&)> body;    ///< emits the code: for full steps, then for the tail
  std::function<void()> before_tail = nullptr;  ///< emits code after the full steps; or null
};
void emit(Frame& frame, const VectorLoop& loop);

}  // namespace tide::ir
