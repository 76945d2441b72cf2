// Rows of linear algebra.
#include "bindings/ops/rows.h"
#include "runtime/ops/linalg.h"
#include "runtime/ops/matrix.h"

namespace tide::bindings {

std::span<const OpRow> linalg_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/linalg.def"
  };
  return rows;
}

}  // namespace tide::bindings
