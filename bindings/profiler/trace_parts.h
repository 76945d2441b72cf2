// Finer sums of a profile than people read: what advice and estimates are made from.
#pragma once

#include <vector>

#include "bindings/profiler/trace_tables.h"

namespace tide::bindings {

/// What the devices worked on: a row for each kind of work, its line, device, type and sizes.
std::vector<TraceRow> rows_by_part(const TraceReader& reader);

/// What was made before it could run: a row "plan" for each line, and a row "compile" for each line
/// and name of a kernel.
std::vector<TraceRow> rows_by_making(const TraceReader& reader);

}  // namespace tide::bindings
