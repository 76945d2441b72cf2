// What tables and files of a profile are made from: its events in order, with names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/device/call_site.h"
#include "runtime/profile/recorder.h"

namespace tide::bindings {

/// A line of a timeline: the events of a thread, the work of a stream that one thread launched, or
/// what such a thread did besides, by the host's clock.
struct TraceTrack {
  Device device;
  uint8_t stream = profile::Event::kHost;  ///< kHost: a thread of the script
  bool of_queue = false;  ///< of a stream: compilations, and waits for other streams
  uint32_t lane = 0;      ///< of the threads, or of those that launched for the stream; from 0
  std::string card;       ///< that the times of the work are modelled for; empty: measured
  std::vector<profile::Event> events;  ///< by their begin; none but those with a length
  std::vector<profile::Event> lines;   ///< of a thread: each lasts until the next one begins

  bool is_host() const { return stream == profile::Event::kHost; }
  /// "script", "thread 2", "cpu", "sim:0 stream 1 (modelled for H200)", "cpu (2)", "cpu: queue".
  std::string name() const;
};

/// Texts about devices, by their names.
using DeviceTexts = std::map<std::string, std::string>;

/// The call or the flush that has submitted something.
struct Launch {
  size_t track;   ///< of its thread
  int64_t begin;  ///< its own
};

/// A profile as it is read: tracks, samples, and the texts of events. All times lie inside it.
class TraceReader {
 public:
  /// `cards`: of devices that are like a card, its name. `clocks`: what times were taken by, of
  /// devices whose times are not the host's.
  explicit TraceReader(std::shared_ptr<const profile::Trace> trace, DeviceTexts cards = {},
                       DeviceTexts clocks = {});

  const profile::Trace& trace() const { return *trace_; }
  const std::vector<TraceTrack>& tracks() const { return tracks_; }
  /// Samples of memory and of depth, by their times.
  const std::vector<profile::Event>& samples() const { return samples_; }
  /// The card that the times of a device's work are modelled for; empty: they are measured.
  std::string card_of(const std::string& device) const {
    const auto found = cards_.find(device);
    return found == cards_.end() ? "" : found->second;
  }
  /// Of devices that did something by a clock of their own, what that was.
  const DeviceTexts& clocks() const { return clocks_; }
  /// What has submitted the work; null if that is not known.
  const Launch* launch_of(const profile::Event& work) const;
  int64_t count() const { return count_; }
  int64_t length() const { return trace_->end - trace_->begin; }

  /// What a kernel does: "mul_add_relu", "matmul"; of other events their name.
  const std::string& kernel_name(const profile::Event& event) const;
  /// The ops that an event of a stream serves, each of them once for each time; at least one.
  std::vector<profile::SourceOp> ops_of(const profile::Event& event) const;

 private:
  void find_launches(const std::vector<const profile::Event*>& submits);

  std::shared_ptr<const profile::Trace> trace_;
  DeviceTexts cards_, clocks_;
  std::vector<TraceTrack> tracks_;
  std::vector<profile::Event> samples_;
  std::unordered_map<uint64_t, Launch> launches_;  ///< by the number of the submission
  int64_t count_ = 0;
  mutable std::map<const void*, std::string> names_;  ///< by a kernel, or by a literal
};

/// Whether events of this kind are the work of a stream.
inline bool is_work(profile::EventKind kind) {
  using profile::EventKind;
  return kind == EventKind::loop || kind == EventKind::compute || kind == EventKind::copy ||
         kind == EventKind::transfer;
}

inline CallSite site_of(const profile::Event& event) { return {event.file, event.line}; }
inline CallSite site_of(const profile::SourceOp& op) { return {op.file, op.line}; }

}  // namespace tide::bindings
