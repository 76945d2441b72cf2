// The book on failures.
#include "runtime/execute/failure/failure_book.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tide {

std::optional<Taint> FailureBook::find(void* address) {
  if (empty()) return std::nullopt;
  std::lock_guard lock(mutex_);
  const auto found = taints_.find(address);
  return found == taints_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Taint> FailureBook::find_untold(void* address) {
  const std::optional<Taint> taint = find(address);
  return taint && !taint->lost && taint->failure->is_told() ? std::nullopt : taint;
}

void FailureBook::note(const Ref<Failure>& failure) {
  if (failure->is_told() || (!failures_.empty() && failures_.back() == failure)) return;
  if (failures_.size() >= forget_at_) {
    std::erase_if(failures_, [](const Ref<Failure>& each) { return each->is_told(); });
    forget_at_ = std::max<size_t>(64, 2 * failures_.size());
  }
  failures_.push_back(failure);
}

void FailureBook::set(void* address, Taint taint) {
  std::lock_guard lock(mutex_);
  note(taint.failure);
  taints_[address] = std::move(taint);
  count();
}

Ref<Failure> FailureBook::clear(void* address) {
  if (empty()) return {};
  std::lock_guard lock(mutex_);
  const auto found = taints_.find(address);
  if (found == taints_.end()) return {};
  Ref<Failure> failure = found->second.failure;
  taints_.erase(found);
  count();
  return failure;
}

std::vector<Ref<Failure>> FailureBook::unread() {
  std::lock_guard lock(mutex_);
  std::vector<Ref<Failure>> unread;
  std::unordered_set<const Failure*> seen;
  for (const auto& failure : failures_)
    if (!failure->is_told() && seen.insert(failure.get()).second) unread.push_back(failure);
  return unread;
}

}  // namespace tide
