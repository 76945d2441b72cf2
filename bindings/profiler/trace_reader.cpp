// Sorts events into tracks.
#include "bindings/profiler/trace_reader.h"

#include <algorithm>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/kernel.h"
#include "runtime/profile/computation.h"

namespace tide::bindings {
namespace {

using profile::Event;
using profile::EventKind;

constexpr size_t kMostWords = 5;  // in a kernel's name

/// The ops of a fused kernel, in order; ops that only move or convert elements are named only if
/// there are no others.
std::string name_of(const Kernel& kernel) {
  constexpr const char* kReductions[] = {"sum", "prod", "max", "min"};
  std::vector<std::string> words, others;
  for (const LoopInstruction& instruction : kernel.program().code) {
    const auto op = static_cast<ElementwiseOp>(instruction.op);
    if (instruction.kind == LoopInstruction::Kind::load && instruction.arity > 0)
      words.emplace_back("lookup");
    else if (instruction.kind == LoopInstruction::Kind::reduce)
      words.emplace_back(kReductions[static_cast<size_t>(instruction.reduction)]);
    else if (instruction.kind == LoopInstruction::Kind::map)
      (op == ElementwiseOp::convert || op == ElementwiseOp::copy ? others : words)
          .emplace_back(tide::name_of(op));
  }
  if (words.empty()) words = std::move(others);
  std::string name;
  for (size_t i = 0; i < std::min(words.size(), kMostWords); ++i) name += (i ? "_" : "") + words[i];
  if (words.size() > kMostWords) name += "_and_" + std::to_string(words.size() - kMostWords);
  return name.empty() ? "copy" : name;
}

bool is_sample(EventKind kind) { return kind == EventKind::memory || kind == EventKind::depth; }

/// Clips an event to the time of the profile.
Event clipped(Event event, const profile::Trace& trace) {
  event.begin = std::max(event.begin, trace.begin);
  event.end = std::clamp(event.end, event.begin, std::max(event.begin, trace.end));
  return event;
}

void sort_by_begin(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
}

}  // namespace

std::string TraceTrack::name() const {
  if (is_host()) return lane ? "thread " + std::to_string(lane + 1) : "script";
  std::string text = device.name();
  if (stream) text += " stream " + std::to_string(stream);
  if (of_queue) text += ": queue";
  if (!card.empty()) text += " (modelled for " + card + ")";
  return lane ? text + " (" + std::to_string(lane + 1) + ")" : text;
}

TraceReader::TraceReader(std::shared_ptr<const profile::Trace> trace, DeviceTexts cards,
                         DeviceTexts clocks)
    : trace_(std::move(trace)), cards_(std::move(cards)) {
  struct Place {
    uint8_t stream;
    Device device;
    bool of_queue;
    uint32_t thread;
    bool operator<(const Place& other) const {
      const auto key = [](const Place& p) {
        return std::tuple(p.stream != Event::kHost, p.device.kind, p.device.index, p.stream,
                          p.of_queue, p.thread);
      };
      return key(*this) < key(other);
    }
  };
  std::map<Place, TraceTrack> tracks;
  std::map<uint32_t, std::vector<const Event*>> submits;  // by thread
  for (const auto& [block, count] : trace_->parts) {
    for (uint32_t i = 0; i < count; ++i) {
      const Event& event = block->events[i];
      if (event.begin > trace_->end || (event.end && event.end < trace_->begin)) continue;
      ++count_;
      if (is_sample(event.kind)) {
        samples_.push_back(clipped(event, *trace_));
        if (event.submission) submits[block->thread].push_back(&event);
        continue;
      }
      const bool of_queue = event.stream != Event::kHost && !is_work(event.kind);
      TraceTrack& track = tracks[{event.stream, event.device, of_queue, block->thread}];
      track.of_queue = of_queue;
      track.device = event.device;
      track.stream = event.stream;
      if (is_work(event.kind)) {
        track.card = card_of(event.device.name());
        clocks_.insert(clocks.extract(event.device.name()));
      }
      (event.kind == EventKind::line ? track.lines : track.events)
          .push_back(clipped(event, *trace_));
    }
  }
  sort_by_begin(samples_);
  for (auto& [place, track] : tracks) {
    sort_by_begin(track.events);
    sort_by_begin(track.lines);
    for (size_t i = 0; i < track.lines.size(); ++i)
      track.lines[i].end = i + 1 < track.lines.size() ? track.lines[i + 1].begin : trace_->end;
    if (!tracks_.empty() && tracks_.back().stream == track.stream &&
        tracks_.back().device == track.device && tracks_.back().of_queue == track.of_queue)
      track.lane = tracks_.back().lane + 1;
    tracks_.push_back(std::move(track));
    if (tracks_.back().is_host()) find_launches(submits[place.thread]);
  }
}

/// Finds the innermost event of the last track at each of these submissions of its thread, which
/// are sorted.
void TraceReader::find_launches(const std::vector<const Event*>& submits) {
  const std::vector<Event>& events = tracks_.back().events;
  std::vector<const Event*> open;
  size_t next = 0;
  for (const Event* submit : submits) {
    for (; next < events.size() && events[next].begin <= submit->begin; ++next)
      open.push_back(&events[next]);
    while (!open.empty() && open.back()->end < submit->begin) open.pop_back();
    if (!open.empty()) launches_[submit->submission] = {tracks_.size() - 1, open.back()->begin};
  }
}

const std::string& TraceReader::kernel_name(const Event& event) const {
  const bool is_loop = event.kind == EventKind::loop || event.kind == EventKind::compile;
  const bool is_kernel = is_loop && event.subject;
  const void* key = is_kernel ? event.subject
                    : event.kind == EventKind::compute
                        ? static_cast<const profile::Computation*>(event.subject)->name
                        : static_cast<const void*>(event.name);
  std::string& name = names_[key];
  if (name.empty())
    name = is_kernel ? name_of(*static_cast<const Kernel*>(event.subject))
                     : static_cast<const char*>(key);
  return name;
}

const Launch* TraceReader::launch_of(const Event& work) const {
  const auto found = launches_.find(work.submission);
  return found == launches_.end() ? nullptr : &found->second;
}

std::vector<profile::SourceOp> TraceReader::ops_of(const Event& event) const {
  const auto known = trace_->ops_of(event);
  if (!known.empty()) return {known.begin(), known.end()};
  return {{event.name, event.file, event.line}};
}

}  // namespace tide::bindings
