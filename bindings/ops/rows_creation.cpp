// Rows of creating and random ops.
#include "bindings/ops/rows.h"
#include "runtime/ops/creation.h"
#include "runtime/ops/random.h"

namespace tide::bindings {

std::span<const OpRow> creation_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/creation.def"
  };
  return rows;
}

}  // namespace tide::bindings
