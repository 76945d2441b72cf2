#include "bindings/profiler/trace_parts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/ir/kernel.h"
#include "runtime/ir/work_type.h"

namespace tide::bindings {
namespace {

using profile::Event;
using profile::EventKind;

template <class Key>
std::vector<TraceRow> values_of(std::map<Key, TraceRow>& rows) {
  std::vector<TraceRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

const char* word_of(EventKind kind) {
  switch (kind) {
    case EventKind::loop:
      return "loop";
    case EventKind::compute:
      return "compute";
    case EventKind::transfer:
      return "transfer";
    default:
      return "copy";
  }
}

const profile::Computation* computation_of(const Event& event) {
  if (event.kind != EventKind::compute) return nullptr;
  return static_cast<const profile::Computation*>(event.subject);
}

/// The type in which the event's step computes; "" if unknown.
std::string dtype_of(const Event& event) {
  WorkType type;
  if (const auto* computation = computation_of(event))
    type = work_type(computation->inputs, computation->outputs);
  else if (event.kind == EventKind::loop && event.subject)
    type = work_type(static_cast<const Kernel*>(event.subject)->program().operands);
  return type.is_known() ? std::string(name_of(type.type())) : "";
}

using SiteKey = std::pair<std::string, int>;
SiteKey key_of(CallSite site) { return {site.file, site.line}; }

/// The script line of a thread at a time.
CallSite site_at(const TraceTrack& track, int64_t time) {
  const auto after = std::upper_bound(track.lines.begin(), track.lines.end(), time,
                                      [](int64_t t, const Event& line) { return t < line.begin; });
  return after == track.lines.begin() ? CallSite() : site_of(*std::prev(after));
}

}  // namespace

std::vector<TraceRow> rows_by_part(const TraceReader& reader) {
  std::map<std::tuple<const void*, std::string, std::string, SiteKey, int64_t, float>, TraceRow>
      rows;
  for_each_work(reader, [&](const TraceTrack& track, const Event& event) {
    const std::string& name = reader.kernel_name(event);
    const std::string device = track.device.name();
    TraceRow& row =
        rows[{event.subject, name, device, key_of(site_of(event)), event.bytes, event.flops}];
    if (++row.calls == 1) {
      row.name = name;
      row.site = site_of(event);
      row.device = device;
      row.kind = word_of(event.kind);
      row.dtype = dtype_of(event);
      row.computation = computation_of(event);
    }
    row.device_time += length_of(event);
    row.bytes += static_cast<double>(event.bytes);
    row.flops += static_cast<double>(event.flops);
  });
  return values_of(rows);
}

namespace {

/// Adds plans by line: plans in the second half of a line's flushes count as late.
void add_plans(const TraceTrack& track, std::map<SiteKey, TraceRow>& rows) {
  std::map<SiteKey, int64_t> flushes, seen;
  for (const Event& event : track.events)
    if (event.kind == EventKind::flush) ++flushes[key_of(site_of(event))];
  for (const Event& event : track.events) {
    const SiteKey key = key_of(site_of(event));
    if (event.kind == EventKind::flush) ++seen[key];
    if (event.kind != EventKind::plan) continue;
    TraceRow& row = rows[key];
    row.name = event.name;
    row.site = site_of(event);
    ++row.calls;
    row.host += length_of(event);
    if (2 * seen[key] > flushes[key]) ++row.late;
  }
}

}  // namespace

std::vector<TraceRow> rows_by_making(const TraceReader& reader) {
  std::map<const void*, CallSite> first_use;  // per kernel
  for_each_work(reader, [&](const TraceTrack&, const Event& event) {
    if (event.kind == EventKind::loop) first_use.try_emplace(event.subject, site_of(event));
  });
  std::map<SiteKey, TraceRow> plans;
  std::map<std::pair<std::string, SiteKey>, TraceRow> kernels;
  for (const TraceTrack& track : reader.tracks()) {
    add_plans(track, plans);
    for (const Event& event : track.events) {
      if (event.kind != EventKind::compile) continue;
      const auto found = first_use.find(event.subject);
      const CallSite site = found != first_use.end() ? found->second : site_at(track, event.begin);
      TraceRow& row = kernels[{reader.kernel_name(event), key_of(site)}];
      row.name = event.name;
      row.kernel = reader.kernel_name(event);
      row.site = site;
      ++row.calls;
      row.host += length_of(event);
    }
  }
  std::vector<TraceRow> list = values_of(plans);
  for (TraceRow& row : values_of(kernels)) list.push_back(std::move(row));
  return list;
}

}  // namespace tide::bindings
