// The tables of rows, one per family, in separate sources because they compile slowly.
#pragma once

#include "bindings/ops/row.h"

namespace tide::bindings {

std::span<const OpRow> creation_rows();
std::span<const OpRow> elementwise_rows();
std::span<const OpRow> special_rows();
std::span<const OpRow> reduction_rows();
std::span<const OpRow> scan_rows();
std::span<const OpRow> shape_rows();
std::span<const OpRow> indexing_rows();
std::span<const OpRow> joining_rows();
std::span<const OpRow> arrangement_rows();
std::span<const OpRow> statistics_rows();
std::span<const OpRow> matrix_rows();
std::span<const OpRow> linalg_rows();
std::span<const OpRow> softmax_rows();
std::span<const OpRow> normalization_rows();
std::span<const OpRow> convolution_rows();
std::span<const OpRow> pooling_rows();
std::span<const OpRow> loss_rows();

}  // namespace tide::bindings
