// The forms of kernels; each emits the body of one function.
#pragma once

#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/frame.h"

namespace tide::ir {

/// No row: vectors along the last outer dimension.
void emit_map_kernel(Frame& frame);
/// Vectors along the row: all passes over one row, then the next row.
void emit_row_kernel(Frame& frame);
/// Vectors across neighbouring rows: all passes over kColumnBlock rows, then over the next ones.
void emit_column_kernel(Frame& frame);
/// For a GPU: without a row, and with one.
void emit_gpu_map(Frame& frame, const GpuForm& form);
void emit_gpu_rows(Frame& frame, const GpuForm& form);

}  // namespace tide::ir
