// Rows of elementwise ops.
#include "bindings/ops/rows.h"
#include "runtime/ops/elementwise.h"

namespace tide::bindings {

std::span<const OpRow> elementwise_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/elementwise.def"
  };
  return rows;
}

}  // namespace tide::bindings
