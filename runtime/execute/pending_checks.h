// Values whose inputs are not yet known to be valid.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/error_table.h"

namespace tide {

/// Unchecked work of a queue: a backend that only enqueues reports later if an op found an invalid
/// position, a singular matrix or the like (ComputeOutcome::report). Until then its results, and
/// values computed from them, are unchecked: they are not read, because no ticket counts as done
/// before its pending checks are decided (Queue::publish), and no write reuses them. Used by the
/// queue's thread.
class PendingChecks {
 public:
  /// Returns the report of a finished op.
  using TakeReport = std::function<std::optional<std::string>(uint64_t report)>;

  explicit PendingChecks(ErrorTable& failures) : failures_(failures) {}

  bool empty() const { return open_.empty(); }
  /// The ticket after which the value at this address is known to be valid or lost; 0: it is valid.
  uint64_t decided_after(const void* address) const;

  /// Adds a check of the results of an op of this ticket. They get `failure` if it reports an
  /// error, whose message is appended to the text.
  void add(uint64_t report, uint64_t ticket, Ref<Failure> failure, std::span<void* const> results);
  /// The value at `address` is new, computed from those at `sources`.
  void derive(void* address, std::span<void* const> sources);
  /// Like derive, for a part of the value: checks of the remainder still apply.
  void derive_part(void* address, std::span<void* const> sources);

  /// Decides the checks of tickets up to `done`. Values that depend on invalid ones are lost.
  void decide(uint64_t done, const TakeReport& take);

 private:
  struct PendingCheck {
    uint64_t report, ticket;
    Ref<Failure> failure;
    std::vector<void*> results;  ///< every address ever covered by this check
  };
  using Numbers = std::vector<uint64_t>;  ///< of pending checks, ascending

  PendingCheck& pending_check(uint64_t number) { return open_[number - first_]; }

  ErrorTable& failures_;
  std::deque<PendingCheck> open_;  ///< in the order of tickets
  uint64_t first_ = 0;             ///< number of the first one; the others are consecutive
  std::unordered_map<const void*, Numbers> by_address_;
};

}  // namespace tide
