// Writes a profile to files, which are replaced atomically.
#pragma once

#include <functional>
#include <string>

#include "bindings/profiler/trace_reader.h"

namespace tide::bindings {

/// Writes the format of Chrome's trace viewer, which Perfetto reads too. Throws FileError.
void write_chrome_trace(const TraceReader& reader, const std::string& path);

/// Writes `page` with the text kTraceData replaced by the profile. `code_of(site)` is the text of a
/// script line, or empty. Throws FileError.
void write_trace_page(const TraceReader& reader, const std::string& path, const std::string& page,
                      const std::function<std::string(CallSite)>& code_of);
inline constexpr std::string_view kTraceData = "\"TRACE DATA\"";

}  // namespace tide::bindings
