// Rows of linear algebra.
#include "bindings/ops/rows.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/matrix.h"

namespace tide::bindings {

std::span<const OpRow> linalg_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/linalg.def"
  };
  return rows;
}

}  // namespace tide::bindings
