// Sums up the events of a profile.
#include "bindings/profiler/trace_tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

#include "bindings/profiler/trace_parts.h"
#include "runtime/record/wait_report.h"

namespace tide::bindings {
namespace {

using profile::Event;
using profile::EventKind;

/// Rows by key.
template <class Key>
class Rows {
 public:
  TraceRow& at(const Key& key) {
    TraceRow& row = rows_[key];
    if constexpr (std::is_same_v<Key, std::string>) row.name = key;
    return row;
  }
  std::vector<TraceRow> take() {
    std::vector<TraceRow> list;
    for (auto& [key, row] : rows_) list.push_back(std::move(row));
    return list;
  }

 private:
  std::map<Key, TraceRow> rows_;
};

/// Calls see(op, share, event) for each op computed by a stream, with its fraction of the event.
template <class See>
void for_each_share(const TraceReader& reader, const See& see) {
  for_each_work(reader, [&](const TraceTrack&, const Event& event) {
    const std::vector<profile::SourceOp> ops = reader.ops_of(event);
    for (const profile::SourceOp& op : ops) see(op, 1.0 / static_cast<double>(ops.size()), event);
  });
}

void add_share(TraceRow& row, double share, const Event& event) {
  const std::string device = event.device.name();
  row.device = row.device.empty() || row.device == device ? device : "several";
  row.device_time += share * length_of(event);
  row.bytes += share * static_cast<double>(event.bytes);
  row.flops += share * static_cast<double>(event.flops);
}

/// The row name of a host event in the table of ops.
std::string host_name(const Event& event) {
  if (event.kind == EventKind::op) return event.name;
  if (event.kind == EventKind::wait) return std::string("(wait: ") + event.name + ")";
  return std::string("(") + event.name + ")";
}

/// Calls see(event, own) for the events of a thread: `own` is the time without nested events.
/// Returns the total time of events that are not nested.
template <class See>
double for_each_own_time(const std::vector<Event>& events, const See& see) {
  struct Open {
    const Event* event;
    double own;
  };
  std::vector<Open> open;
  double outer = 0;
  const auto close = [&] {
    see(*open.back().event, open.back().own);
    open.pop_back();
  };
  for (const Event& event : events) {
    if (event.kind == EventKind::range) continue;
    while (!open.empty() && open.back().event->end <= event.begin) close();
    (open.empty() ? outer : open.back().own) += open.empty() ? length_of(event) : -length_of(event);
    open.push_back({&event, length_of(event)});
  }
  while (!open.empty()) close();
  return outer;
}

std::vector<TraceRow> rows_by_op(const TraceReader& reader) {
  Rows<std::string> rows;
  std::map<std::string, int64_t> computed;
  for (const TraceTrack& track : reader.tracks()) {
    if (!track.is_host() && !track.of_queue) continue;
    const double outer = for_each_own_time(track.events, [&](const Event& event, double own) {
      if (event.kind == EventKind::follow) return;
      TraceRow& row = rows.at(host_name(event));
      ++row.calls;
      row.host += own;
      if (event.kind == EventKind::wait) row.wait += own;
    });
    if (!track.is_host() || track.lane) continue;
    TraceRow& script = rows.at("(script)");
    script.calls = 1;
    script.host += std::max(0.0, static_cast<double>(reader.length()) - outer);
  }
  for_each_share(reader, [&](const profile::SourceOp& op, double share, const Event& event) {
    add_share(rows.at(op.name), share, event);
    ++computed[op.name];
  });
  for (const auto& [name, count] : computed)
    if (TraceRow& row = rows.at(name); row.calls == 0) row.calls = count;
  return rows.take();
}

std::vector<TraceRow> rows_by_line(const TraceReader& reader) {
  Rows<std::pair<std::string, int>> rows;
  const auto at = [&](CallSite site) -> TraceRow& {
    TraceRow& row = rows.at({site.file, site.line});
    row.site = site;
    return row;
  };
  for (const TraceTrack& track : reader.tracks()) {
    for (const Event& line : track.lines) at(site_of(line)).host += length_of(line);
    for (const Event& event : track.events) {
      if (event.kind == EventKind::op) ++at(site_of(event)).calls;
      if (event.kind == EventKind::wait) at(site_of(event)).wait += length_of(event);
    }
  }
  for_each_share(reader, [&](const profile::SourceOp& op, double share, const Event& event) {
    add_share(at(site_of(op)), share, event);
  });
  return rows.take();
}

void add_site(std::vector<CallSite>& sites, CallSite site) {
  if (site.known() && std::find(sites.begin(), sites.end(), site) == sites.end())
    sites.push_back(site);
}

std::vector<TraceRow> rows_by_kernel(const TraceReader& reader) {
  Rows<std::tuple<std::string, std::string, int64_t, float>> rows;
  for_each_work(reader, [&](const TraceTrack& track, const Event& event) {
    const std::string device = track.device.name();
    TraceRow& row = rows.at({reader.kernel_name(event), device, event.bytes, event.flops});
    row.name = reader.kernel_name(event);
    row.launch = event.launch;
    ++row.calls;
    add_share(row, 1, event);
    for (const profile::SourceOp& op : reader.ops_of(event)) add_site(row.sites, site_of(op));
  });
  return rows.take();
}

std::vector<TraceRow> rows_by_range(const TraceReader& reader) {
  Rows<std::string> rows;
  for (const TraceTrack& track : reader.tracks())
    for (const Event& event : track.events) {
      if (event.kind != EventKind::range) continue;
      TraceRow& row = rows.at(event.name);
      ++row.calls;
      row.host += length_of(event);
    }
  return rows.take();
}

std::vector<TraceRow> rows_by_wait(const TraceReader& reader) {
  Rows<std::tuple<std::string, int, std::string>> rows;
  std::map<const TraceRow*, double> longest;
  for (const TraceTrack& track : reader.tracks())
    for (const Event& event : track.events) {
      if (event.kind != EventKind::wait) continue;
      TraceRow& row = rows.at({event.file, event.line, event.name});
      row.name = event.name;
      row.site = site_of(event);
      ++row.calls;
      row.wait += length_of(event);
      row.host = row.wait;
      row.advice = engine::advice_on_wait(event.name);
      const auto ops = reader.trace().ops_of(event);
      if (ops.empty() || length_of(event) < longest[&row]) continue;
      longest[&row] = length_of(event);
      row.awaited = ops[0].name;
      if (site_of(ops[0]).known()) row.awaited += " (" + site_of(ops[0]).text() + ")";
    }
  return rows.take();
}

}  // namespace

std::vector<TraceRow> rows_of(const TraceReader& reader, std::string_view by) {
  if (by == "op") return rows_by_op(reader);
  if (by == "line") return rows_by_line(reader);
  if (by == "kernel") return rows_by_kernel(reader);
  if (by == "range") return rows_by_range(reader);
  if (by == "wait") return rows_by_wait(reader);
  if (by == "part") return rows_by_part(reader);
  if (by == "making") return rows_by_making(reader);
  return {};
}

std::vector<DeviceSummary> summaries_of(const TraceReader& reader) {
  std::map<std::string, DeviceSummary> devices;
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> times;
  for_each_work(reader, [&](const TraceTrack& track, const Event& event) {
    const std::string name = track.device.name();
    DeviceSummary& device = devices[name];
    ++device.launches;
    device.work += length_of(event);
    times[name].emplace_back(event.begin, event.end);
  });
  for (const Event& sample : reader.samples()) {
    if (sample.kind != EventKind::memory) continue;
    DeviceSummary& device = devices[sample.device.name()];
    device.peak_bytes = std::max(device.peak_bytes, sample.bytes);
  }
  std::vector<DeviceSummary> list;
  for (auto& [name, device] : devices) {
    device.name = name;
    device.card = reader.card_of(name);
    if (const auto clock = reader.clocks().find(name); clock != reader.clocks().end())
      device.clock = clock->second;
    std::sort(times[name].begin(), times[name].end());
    int64_t until = INT64_MIN;
    for (const auto& [begin, end] : times[name]) {
      device.busy += static_cast<double>(std::max<int64_t>(0, end - std::max(begin, until)));
      until = std::max(until, end);
    }
    list.push_back(std::move(device));
  }
  return list;
}

}  // namespace tide::bindings
