// Writes a profile to files.
#include "bindings/profiler/trace_files.h"

#include <cstdio>
#include <unordered_map>

#include "bindings/profiler/json_text.h"
#include "runtime/profile/kernel_launch.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

using profile::Event;
using profile::EventKind;

constexpr const char* kKindNames[] = {"line",     "range",  "op",     "flush",   "plan",
                                      "compile",  "wait",   "loop",   "compute", "copy",
                                      "transfer", "follow", "memory", "depth"};

const char* name_of(EventKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

/// The process of a track in this format: 1 for the host, others for the devices.
int process_of(const TraceTrack& track) {
  return track.is_host() ? 1 : 2 + static_cast<int>(track.device.kind) * 256 + track.device.index;
}

/// "train.lua:12, train.lua:14".
std::string lines_text(const TraceReader& reader, const Event& event) {
  std::string text;
  for (const profile::SourceOp& op : reader.ops_of(event)) {
    const std::string line = site_of(op).text();
    if (!site_of(op).known() || (", " + text + ",").find(" " + line + ",") != std::string::npos)
      continue;
    text += (text.empty() ? "" : ", ") + line;
  }
  return text;
}

std::string ops_text(const TraceReader& reader, const Event& event) {
  std::string text;
  for (const profile::SourceOp& op : reader.ops_of(event))
    text += (text.empty() ? "" : ", ") + std::string(op.name);
  return text;
}

/// "64 x 256 threads, 32 registers, 0 bytes of shared memory; 50 % of the multiprocessors, ...",
/// and for a batch "; 149 loops in one launch".
std::string text_of(const profile::KernelLaunch& launch) {
  char text[200];
  const int length = std::snprintf(
      text, sizeof text,
      "%lld x %d threads, %d registers, %lld bytes of shared memory; %.0f %% of the "
      "multiprocessors, occupancy %.0f %%",
      static_cast<long long>(launch.blocks), launch.threads, launch.registers,
      static_cast<long long>(launch.shared_bytes), 100 * launch.use(), 100 * launch.occupancy());
  if (launch.loops > 1)
    std::snprintf(text + length, sizeof text - static_cast<size_t>(length),
                  "; %lld loops in one launch", static_cast<long long>(launch.loops));
  return text;
}

std::string label_of(const TraceReader& reader, const Event& event) {
  if (event.kind == EventKind::line) return site_of(event).text();
  if (is_work(event.kind)) return reader.kernel_name(event);
  if (event.kind == EventKind::compile && event.subject)
    return "compile " + reader.kernel_name(event);
  return event.name;
}

/// Writes a file of events, one per line.
class ChromeTrace {
 public:
  ChromeTrace(const TraceReader& reader, JsonText& text) : reader_(reader), text_(text) {}

  void write() {
    text_.raw("{\"displayTimeUnit\": \"ms\", \"otherData\": {\"dropped_events\": \"")
        .number(reader_.trace().dropped)
        .raw("\"");
    for (const auto& [device, clock] : reader_.clocks())
      text_.raw(", ").string("clock of " + device).raw(": ").string(clock);
    text_.raw("}, \"traceEvents\": [");
    for (size_t i = 0; i < reader_.tracks().size(); ++i) write_track(i);
    for (const Event& sample : reader_.samples()) write_sample(sample);
    text_.raw("\n]}\n");
  }

 private:
  void begin_event() {
    text_.raw(first_ ? "\n{" : ",\n{");
    first_ = false;
  }
  void write_name(const char* what, int process, size_t thread, const std::string& name) {
    begin_event();
    text_.raw("\"ph\": \"M\", \"name\": \"").raw(what).raw("\", ");
    write_place(process, thread).raw(", \"args\": {\"name\": ").string(name).raw("}}");
  }
  JsonText& write_place(int process, size_t thread) {
    return text_.raw("\"pid\": ")
        .number(process)
        .raw(", \"tid\": ")
        .number(static_cast<int64_t>(thread));
  }
  /// A track has two threads in this format: lines, and everything else.
  static size_t calls_of(size_t track) { return 2 * track + 2; }
  void write_track(size_t number) {
    const TraceTrack& track = reader_.tracks()[number];
    const int process = process_of(track);
    const size_t calls = calls_of(number), lines = calls - 1;
    write_name("process_name", process, calls, track.is_host() ? "host" : track.device.name());
    write_name("thread_name", process, calls, track.name());
    if (!track.lines.empty()) write_name("thread_name", process, lines, track.name() + ": lines");
    for (const Event& event : track.lines) write_event(event, process, lines);
    for (const Event& event : track.events) {
      write_event(event, process, calls);
      if (is_work(event.kind)) write_arrow(event, process, calls);
    }
  }
  /// Draws an arrow from the start of the submitting event to the work. Perfetto attaches an arrow
  /// to the event that began last, even if it has ended: inside a flush that could be the plan.
  void write_arrow(const Event& work, int process, size_t thread) {
    const Launch* const launch = reader_.launch_of(work);
    if (!launch) return;
    ++arrows_;
    const auto write_end = [&](const char* head, int64_t time) {
      begin_event();
      text_.raw(head).raw(", \"cat\": \"launch\", \"name\": \"launch\", \"id\": ").number(arrows_);
      text_.raw(", \"ts\": ").microseconds(time - reader_.trace().begin).raw(", ");
    };
    write_end("\"ph\": \"s\"", launch->begin);
    write_place(process_of(reader_.tracks()[launch->track]), calls_of(launch->track)).raw("}");
    write_end("\"ph\": \"f\", \"bp\": \"e\"", work.begin);
    write_place(process, thread).raw("}");
  }
  void write_event(const Event& event, int process, size_t thread) {
    const bool work = is_work(event.kind);
    begin_event();
    text_.raw("\"ph\": \"X\", \"cat\": \"").raw(name_of(event.kind)).raw("\", \"name\": ");
    text_.string(label_of(reader_, event));
    text_.raw(", \"ts\": ").microseconds(event.begin - reader_.trace().begin);
    text_.raw(", \"dur\": ").microseconds(event.end - event.begin).raw(", ");
    write_place(process, thread).raw(", \"args\": {");
    const std::string lines = work                     ? lines_text(reader_, event)
                              : site_of(event).known() ? site_of(event).text()
                                                       : "";
    if (!lines.empty()) text_.raw("\"lines\": ").string(lines);
    if (work) {
      text_.raw(lines.empty() ? "" : ", ").raw("\"ops\": ").string(ops_text(reader_, event));
      text_.raw(", \"bytes\": ").number(event.bytes);
      text_.raw(", \"flops\": ").number(static_cast<int64_t>(event.flops));
    }
    if (event.launch) write_launch(*event.launch);
    text_.raw("}}");
  }
  void write_launch(const profile::KernelLaunch& launch) {
    text_.raw(", \"blocks\": ").number(launch.blocks);
    text_.raw(", \"threads\": ").number(launch.threads);
    text_.raw(", \"registers\": ").number(launch.registers);
    text_.raw(", \"shared_bytes\": ").number(launch.shared_bytes);
    text_.raw(", \"loops\": ").number(launch.loops);
    text_.raw(", \"use\": ").share(launch.use());
    text_.raw(", \"occupancy\": ").share(launch.occupancy());
  }
  void write_sample(const Event& sample) {
    TraceTrack track;
    track.device = sample.device;
    track.stream = sample.stream == Event::kHost ? 0 : sample.stream;
    const bool memory = sample.kind == EventKind::memory;
    begin_event();
    text_.raw("\"ph\": \"C\", \"name\": ");
    text_.string(memory ? "memory of " + track.device.name() : "queue of " + track.name());
    text_.raw(", \"ts\": ").microseconds(sample.begin - reader_.trace().begin).raw(", ");
    write_place(process_of(track), 0).raw(", \"args\": {\"");
    text_.raw(memory ? "bytes" : "submissions").raw("\": ").number(sample.bytes).raw("}}");
  }

  const TraceReader& reader_;
  JsonText& text_;
  bool first_ = true;
  int64_t arrows_ = 0;
};

/// Assigns numbers to strings, from 0.
class Numbers {
 public:
  int64_t of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return static_cast<int64_t>(found->second);
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<std::string> texts_;
};

/// Writes the data of the page: events are rows of numbers in one long list, and refer to strings
/// by their indices in other lists.
class PageData {
 public:
  PageData(const TraceReader& reader, JsonText& text) : reader_(reader), text_(text) {}

  void write(const std::function<std::string(CallSite)>& code_of) {
    text_.raw("{\"length\": ").number(reader_.length());
    text_.raw(", \"dropped\": ").number(reader_.trace().dropped);
    text_.raw(", \"clocks\": [");
    for (bool first = true; const auto& [device, clock] : reader_.clocks()) {
      text_.raw(first ? "" : ", ").string(device + ": times by " + clock);
      first = false;
    }
    text_.raw("],\n\"kinds\": [");
    for (size_t i = 0; i < std::size(kKindNames); ++i)
      text_.raw(i ? ", " : "").string(kKindNames[i]);
    text_.raw("],\n\"tracks\": [");
    bool first = true;
    for (const TraceTrack& track : reader_.tracks()) {
      if (!track.lines.empty()) write_track(track, track.name() + ": lines", track.lines, first);
      if (!track.events.empty()) write_track(track, track.name(), track.events, first);
    }
    text_.raw("],\n\"samples\": [");
    write_samples();
    text_.raw("],\n\"names\": [");
    for (size_t i = 0; i < names_.texts().size(); ++i)
      text_.raw(i ? ", " : "").string(names_.texts()[i]);
    text_.raw("],\n\"sites\": [");
    for (size_t i = 0; i < sites_.size(); ++i) {
      text_.raw(i ? ", [" : "[").string(sites_[i].text()).raw(", ");
      text_.string(code_of(sites_[i])).raw("]");
    }
    text_.raw("],\n\"sources\": [");
    write_sources();
    text_.raw("],\n\"launches\": [");
    for (size_t i = 0; i < launches_.texts().size(); ++i)
      text_.raw(i ? ", " : "").string(launches_.texts()[i]);
    text_.raw("]}");
  }

 private:
  int64_t site_number(CallSite site) {
    if (!site.known()) return -1;
    const auto [found, is_new] = site_numbers_.try_emplace(site.text(), sites_.size());
    if (is_new) sites_.push_back(site);
    return static_cast<int64_t>(found->second);
  }

  int64_t source_number(const Event& event) {
    if (reader_.trace().ops_of(event).empty()) return -1;
    const auto [found, is_new] = source_numbers_.try_emplace(event.source, sources_.size());
    if (is_new) sources_.push_back(event);
    return static_cast<int64_t>(found->second);
  }

  void write_track(const TraceTrack& track, const std::string& name,
                   const std::vector<Event>& events, bool& first) {
    text_.raw(first ? "" : ",\n").raw("{\"name\": ").string(name);
    text_.raw(", \"host\": ").raw(track.is_host() ? "true" : "false").raw(", \"events\": [");
    first = false;
    int64_t before = reader_.trace().begin;
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      // Times are relative to the previous one.
      text_.raw(i ? "," : "").number(event.begin - before).raw(",");
      text_.number(event.end - event.begin).raw(",");
      text_.number(static_cast<int64_t>(event.kind))
          .raw(",")
          .number(names_.of(label_of(reader_, event)))
          .raw(",");
      text_.number(site_number(site_of(event))).raw(",").number(source_number(event)).raw(",");
      text_.number(event.bytes).raw(",").number(static_cast<int64_t>(event.flops)).raw(",");
      text_.number(event.launch ? launches_.of(text_of(*event.launch)) : -1);
      before = event.begin;
    }
    text_.raw("]}");
  }

  /// A list for each device's memory and each stream's queue.
  void write_samples() {
    std::map<std::string, std::vector<const Event*>> lists;
    for (const Event& sample : reader_.samples()) {
      const bool memory = sample.kind == EventKind::memory;
      TraceTrack track;
      track.device = sample.device;
      track.stream = sample.stream;
      lists[memory ? "memory of " + track.device.name() : "queue of " + track.name()].push_back(
          &sample);
    }
    bool first = true;
    for (const auto& [name, list] : lists) {
      text_.raw(first ? "" : ",\n").raw("{\"name\": ").string(name).raw(", \"memory\": ");
      text_.raw(list[0]->kind == EventKind::memory ? "true" : "false").raw(", \"points\": [");
      first = false;
      for (size_t i = 0; i < list.size(); ++i)
        text_.raw(i ? "," : "")
            .number(list[i]->begin - reader_.trace().begin)
            .raw(",")
            .number(list[i]->bytes);
      text_.raw("]}");
    }
  }

  /// Writes [name, site, name, site, ...] for each source.
  void write_sources() {
    for (size_t i = 0; i < sources_.size(); ++i) {
      text_.raw(i ? ", [" : "[");
      bool first = true;
      for (const profile::SourceOp& op : reader_.ops_of(sources_[i])) {
        text_.raw(first ? "" : ", ")
            .string(op.name)
            .raw(", ")
            .string(site_of(op).known() ? site_of(op).text() : "");
        first = false;
      }
      text_.raw("]");
    }
  }

  const TraceReader& reader_;
  JsonText& text_;
  Numbers names_, launches_;
  std::unordered_map<std::string, size_t> site_numbers_;
  std::vector<CallSite> sites_;
  std::unordered_map<uint32_t, size_t> source_numbers_;
  std::vector<Event> sources_;
};

}  // namespace

void write_chrome_trace(const TraceReader& reader, const std::string& path) {
  FileReplacement file(path);
  JsonText text(file);
  ChromeTrace(reader, text).write();
  text.flush();
  file.commit();
}

void write_trace_page(const TraceReader& reader, const std::string& path, const std::string& page,
                      const std::function<std::string(CallSite)>& code_of) {
  const size_t place = page.find(kTraceData);
  if (place == std::string::npos) throw InternalError("the page has no placeholder for a profile");
  FileReplacement file(path);
  JsonText text(file);
  text.raw(page.substr(0, place));
  PageData(reader, text).write(code_of);
  text.raw(page.substr(place + kTraceData.size()));
  text.flush();
  file.commit();
}

}  // namespace tide::bindings
