// Values of which it is not known yet whether what they were computed from is right.
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

/// What a queue has launched and is not sure of: a backend that only enqueues reports later whether
/// an op met a position that is out of range, a singular matrix or the like
/// (ComputeOutcome::report). Until then its results, and what is computed from them, are unchecked:
/// nobody reads them, as no ticket counts as done before its pending checks are decided
/// (Queue::publish), and no write takes them over. Used by the queue's thread.
class PendingChecks {
 public:
  /// Gives a report whose op is done.
  using TakeReport = std::function<std::optional<std::string>(uint64_t report)>;

  explicit PendingChecks(ErrorTable& failures) : failures_(failures) {}

  bool empty() const { return open_.empty(); }
  /// The ticket after which the value at this address is known to be good or lost; 0: it is.
  uint64_t decided_after(const void* address) const;

  /// The results of an op of this ticket are in check. `failure` is theirs if it reports one;
  /// what is wrong is added to its text.
  void add(uint64_t report, uint64_t ticket, Ref<Failure> failure, std::span<void* const> results);
  /// The value at `address` is a new one, computed from those at `sources`.
  void derive(void* address, std::span<void* const> sources);
  /// The same for a part of it: what the rest depends on remains.
  void derive_part(void* address, std::span<void* const> sources);

  /// Settles what belongs to tickets up to `done`. What depends on what is wrong is lost.
  void decide(uint64_t done, const TakeReport& take);

 private:
  struct PendingCheck {
    uint64_t report, ticket;
    Ref<Failure> failure;
    std::vector<void*> results;  ///< all that were ever covered by this check
  };
  using Numbers = std::vector<uint64_t>;  ///< of pending checks, rising

  PendingCheck& pending_check(uint64_t number) { return open_[number - first_]; }

  ErrorTable& failures_;
  std::deque<PendingCheck> open_;  ///< in the order of tickets
  uint64_t first_ = 0;             ///< number of the first one; they count on
  std::unordered_map<const void*, Numbers> by_address_;
};

}  // namespace tide
