// The cache of plans.
#include "runtime/plan/plan_cache.h"

#include <algorithm>

namespace tide {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// Two independent lanes of multiply-and-fold.
uint64_t hash_words(std::span<const uint64_t> words) {
  constexpr uint64_t kA = 0x9E3779B97F4A7C15, kB = 0xD6E8FEB86659FD93;
  uint64_t left = kA, right = kB;
  size_t i = 0;
  for (; i + 2 <= words.size(); i += 2) {
    left = mix(left ^ words[i], kA);
    right = mix(right ^ words[i + 1], kB);
  }
  if (i < words.size()) left = mix(left ^ words[i], kA);
  return mix(left ^ words.size(), right ^ kA);
}

}  // namespace

PlanCache& PlanCache::of_process() {
  static PlanCache& cache = *new PlanCache;  // queues may still use plans at exit
  return cache;
}

Ref<Plan> PlanCache::find(std::span<const uint64_t> key, const std::function<Ref<Plan>()>& make) {
  const uint64_t hash = hash_words(key);
  std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (!std::ranges::equal((*it->second)->key, key)) continue;
    order_.splice(order_.begin(), order_, it->second);
    return *it->second;
  }
  Ref<Plan> plan = make();
  plan->key.assign(key.begin(), key.end());
  order_.push_front(plan);
  by_hash_.emplace(hash, order_.begin());
  if (order_.size() > kMostPlans) {
    const auto oldest = std::prev(order_.end());
    const auto [from, to] = by_hash_.equal_range(hash_words((*oldest)->key));
    for (auto it = from; it != to; ++it) {
      if (it->second != oldest) continue;
      by_hash_.erase(it);
      break;
    }
    order_.erase(oldest);
  }
  return plan;
}

}  // namespace tide
