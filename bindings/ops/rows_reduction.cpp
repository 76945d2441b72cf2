// Rows of reductions, running values, and orders.
#include "bindings/ops/rows.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/reduction.h"
#include "runtime/ops/scan.h"
#include "runtime/ops/statistics.h"

namespace tide::bindings {

std::span<const OpRow> reduction_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/reduction.def"
  };
  return rows;
}

std::span<const OpRow> scan_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/scan.def"
  };
  return rows;
}

std::span<const OpRow> statistics_rows() {
  static constexpr OpRow rows[] = {
#include "runtime/ops/statistics.def"
  };
  return rows;
}

}  // namespace tide::bindings
