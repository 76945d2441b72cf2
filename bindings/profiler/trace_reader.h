// The events of a profile in order, with names: the source of its tables and files.
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

/// A track of a timeline: the events of a thread, the work of a stream launched by one thread, or
/// other events of such a queue in the host's clock.
struct TraceTrack {
  Device device;
  uint8_t stream = profile::Event::kHost;  ///< kHost: a thread of the script
  bool of_queue = false;               ///< of a stream: compilations, and waits for other streams
  uint32_t lane = 0;                   ///< index of the thread, or of the launching thread; from 0
  std::string card;                    ///< for which times are modelled; empty: measured
  std::vector<profile::Event> events;  ///< sorted by begin; only those with a duration
  std::vector<profile::Event> lines;   ///< of a thread: each lasts until the next one begins

  bool is_host() const { return stream == profile::Event::kHost; }
  /// "script", "thread 2", "cpu", "sim:0 stream 1 (modelled for H200)", "cpu (2)", "cpu: queue".
  std::string name() const;
};

/// Texts by device name.
using DeviceTexts = std::map<std::string, std::string>;

/// The call or flush that submitted work.
struct Launch {
  size_t track;   ///< track of its thread
  int64_t begin;  ///< of the call or flush
};

/// A processed profile: tracks, samples, and the texts of events. All times are within the profile.
class TraceReader {
 public:
  /// `cards`: the names of cards that devices are modelled after. `clocks`: the clocks of devices
  /// that do not use the host's.
  explicit TraceReader(std::shared_ptr<const profile::Trace> trace, DeviceTexts cards = {},
                       DeviceTexts clocks = {});

  const profile::Trace& trace() const { return *trace_; }
  const std::vector<TraceTrack>& tracks() const { return tracks_; }
  /// Samples of memory and queue depth, sorted by time.
  const std::vector<profile::Event>& samples() const { return samples_; }
  /// The card for which a device's times are modelled; empty: they are measured.
  std::string card_of(const std::string& device) const {
    const auto found = cards_.find(device);
    return found == cards_.end() ? "" : found->second;
  }
  /// The clocks of devices with work not timed by the host's clock.
  const DeviceTexts& clocks() const { return clocks_; }
  /// The launch that submitted the work; null if unknown.
  const Launch* launch_of(const profile::Event& work) const;
  int64_t count() const { return count_; }
  int64_t length() const { return trace_->end - trace_->begin; }

  /// The name of a kernel: "mul_add_relu", "matmul"; for other events their name.
  const std::string& kernel_name(const profile::Event& event) const;
  /// The ops computed by an event of a stream, with repetitions; at least one.
  std::vector<profile::SourceOp> ops_of(const profile::Event& event) const;

 private:
  void find_launches(const std::vector<const profile::Event*>& submits);

  std::shared_ptr<const profile::Trace> trace_;
  DeviceTexts cards_, clocks_;
  std::vector<TraceTrack> tracks_;
  std::vector<profile::Event> samples_;
  std::unordered_map<uint64_t, Launch> launches_;  ///< by submission number
  int64_t count_ = 0;
  mutable std::map<const void*, std::string> names_;  ///< by kernel or string literal
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
