// Plans cached by the structure of their window; the least recently used are evicted first.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/plan/plan.h"

namespace tide {

/// Thread-safe.
class PlanCache {
 public:
  static PlanCache& of_process();
  /// The plan with this key, made by `make` if it is not cached.
  Ref<Plan> find(std::span<const uint64_t> key, const std::function<Ref<Plan>()>& make);

 private:
  static constexpr size_t kMostPlans = 2048;
  using Order = std::list<Ref<Plan>>;
  std::mutex mutex_;
  Order order_;  ///< most recently used first
  std::unordered_multimap<uint64_t, Order::iterator> by_hash_;
};

}  // namespace tide
