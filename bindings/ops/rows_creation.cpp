// Rows of creating and random ops.
#include "bindings/ops/rows.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/shape/creation.h"

namespace tide::bindings {

std::span<const OpRow> creation_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/creation.def"
  };
  return rows;
}

}  // namespace tide::bindings
