// Detailed totals of a profile, used for advice and estimates.
#pragma once

#include <vector>

#include "bindings/profiler/trace_tables.h"

namespace tide::bindings {

/// The work of the devices: one row per kind of work, line, device, type and sizes.
std::vector<TraceRow> rows_by_part(const TraceReader& reader);

/// Preparation work: a row "plan" per line, and a row "compile" per line and kernel name.
std::vector<TraceRow> rows_by_making(const TraceReader& reader);

}  // namespace tide::bindings
