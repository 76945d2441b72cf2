// Rows of reductions, scans and sorting.
#include "bindings/ops/rows.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/covariance.h"
#include "runtime/ops/linalg/distance.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/reduce/searching.h"
#include "runtime/ops/reduce/statistics.h"
#include "runtime/ops/reduce/trapezoid.h"

namespace tide::bindings {

std::span<const OpRow> reduction_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/reduction.def"
  };
  return rows;
}

std::span<const OpRow> scan_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/scan.def"
  };
  return rows;
}

std::span<const OpRow> statistics_rows() {
  static constexpr OpRow rows[] = {
#include "bindings/ops/rows/statistics.def"
  };
  return rows;
}

}  // namespace tide::bindings
