// A list of units: steps that stay together, in the order in which they will run.
#include "runtime/plan/batching.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tide {
namespace {

class Batcher {
 public:
  Batcher(const WindowView& window, Plan& plan) : window_(window), plan_(plan) {
    value_of(BufferUse::Source::external).resize(window.externals.size());
    value_of(BufferUse::Source::node).resize(window.nodes.size());
    value_of(BufferUse::Source::temporary).resize(plan.temporary_bytes.size());
  }

  void run() {
    const size_t count = plan_.steps.size();
    for (size_t first = 0, end; first < count; first = end) {
      // A copy of the value that a write replaces, and the write.
      end = first + 1;
      if (plan_.steps[first].unless_reused && end < count && is_write(end, first)) ++end;
      place(first, end);
    }
    std::vector<Step> ordered;
    ordered.reserve(count);
    uint16_t batches = 0;
    for (const Unit& unit : units_) {
      const uint16_t batch = unit.loops >= kFewestBatched ? ++batches : uint16_t{0};
      for (const size_t s : unit.steps) {
        ordered.push_back(std::move(plan_.steps[s]));
        if (ordered.back().kind == Step::Kind::loop) ordered.back().batch = batch;
      }
    }
    plan_.steps = std::move(ordered);
  }

 private:
  struct Unit {
    std::vector<size_t> steps;
    size_t loops = 0;
    size_t bytes = 0;  ///< of the temporary results of its loops
  };
  /// One past the last unit that uses a value; 0: none does.
  struct Value {
    size_t after_making = 0, after_reading = 0;
    bool filled = false;  ///< most recently written by a fill
  };

  std::vector<Value>& value_of(BufferUse::Source source) {
    return values_[static_cast<size_t>(source)];
  }
  Value& value_of(const BufferUse& use) { return value_of(use.source)[use.index]; }

  bool is_write(size_t s, size_t copy) const {
    return plan_.steps[s].kind == Step::Kind::loop && plan_.steps[s].node == plan_.steps[copy].node;
  }

  /// Puts the steps [first, end) into the last unit of their kernel, or into a new one.
  void place(size_t first, size_t end) {
    const Step& last = plan_.steps[end - 1];
    size_t at = units_.size();
    const size_t bytes = temporary_bytes(first, end);
    if (last.kind == Step::Kind::loop) {
      const auto [found, is_new] = last_of_.try_emplace(last.loop.kernel, at);
      const bool joins = !is_new && found->second >= earliest(first, end) &&
                         units_[found->second].bytes + bytes <= kMostBatchedBytes;
      if (joins)
        at = found->second;
      else
        found->second = at;
    }
    if (at == units_.size()) units_.emplace_back();
    Unit& unit = units_[at];
    ++unit.loops;
    unit.bytes += bytes;
    for (size_t s = first; s < end; ++s) {
      unit.steps.push_back(s);
      note(plan_.steps[s], at);
    }
  }

  /// The first unit in which these steps could be.
  size_t earliest(size_t first, size_t end) {
    size_t unit = 0;
    for (size_t s = first; s < end; ++s) {
      const Step& step = plan_.steps[s];
      const auto is_later = [&](size_t other) { unit = std::max(unit, other); };
      const auto reads = [&](const BufferUse& use) { is_later(value_of(use).after_making); };
      const auto replaces = [&](const BufferUse& use) {
        is_later(value_of(use).after_making);
        is_later(value_of(use).after_reading);
      };
      if (step.unless_reused && follows_fill(step)) {
        const Value& old = value_of(step.buffers[0]);
        is_later(old.after_making - 1);
        is_later(old.after_reading);
        continue;
      }
      for (size_t i = 0; i < step.buffers.size(); ++i) {
        if (step.is_read(i)) reads(step.buffers[i]);
        if (step.is_stored(i)) replaces(step.buffers[i]);
      }
      for (const Step::Fallback& fallback : step.fallbacks) reads(fallback.old);
      for (const Step::Reuse& reuse : step.reuses) replaces(reuse.value);
    }
    return unit;
  }

  /// Whether it copies the result of a fill for the next fill of the same value. Such fills write
  /// to different elements (record_fill), so that they need not wait for each other.
  bool follows_fill(const Step& copy) {
    return copy.fallbacks[0].lost && value_of(copy.buffers[0]).filled;
  }

  size_t temporary_bytes(size_t first, size_t end) const {
    size_t bytes = 0;
    for (size_t s = first; s < end; ++s) {
      const Step& step = plan_.steps[s];
      for (const uint16_t output : step.outputs)
        if (plan_.fates[output] == Fate::temporary) bytes += window_.nodes[output]->bytes();
      for (size_t i = 0; i < step.buffers.size(); ++i)
        if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i))
          bytes += plan_.temporary_bytes[step.buffers[i].index];
    }
    return bytes;
  }

  void note(const Step& step, size_t unit) {
    const auto note_read = [&](const BufferUse& use) {
      size_t& after = value_of(use).after_reading;
      after = std::max(after, unit + 1);
    };
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      if (step.is_read(i)) note_read(step.buffers[i]);
      if (step.is_stored(i)) value_of(step.buffers[i]).after_making = unit + 1;
    }
    for (const Step::Fallback& fallback : step.fallbacks)
      if (fallback.old.source != BufferUse::Source::node || fallback.old.index != fallback.output)
        note_read(fallback.old);
    const bool fills = step.kind == Step::Kind::loop && !step.fallbacks.empty() &&
                       step.fallbacks[0].lost && step.writes_part(0);
    for (const uint16_t output : step.outputs) {
      Value& value = value_of(BufferUse::Source::node)[output];
      value.after_making = unit + 1;
      value.filled = fills;
    }
  }

  const WindowView& window_;
  Plan& plan_;
  std::vector<Unit> units_;
  std::unordered_map<const Kernel*, size_t> last_of_;  ///< unit of each kernel
  std::vector<Value> values_[3];                       ///< by source
};

}  // namespace

void batch_steps(const WindowView& window, Plan& plan) { Batcher(window, plan).run(); }

}  // namespace tide
