// The book on failures.
#include "runtime/graph/failure_book.h"

#include <algorithm>
#include <utility>

namespace tide {

std::optional<Taint> FailureBook::find(void* address) {
  if (empty()) return std::nullopt;
  std::lock_guard lock(mutex_);
  const auto found = taints_.find(address);
  return found == taints_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Taint> FailureBook::find_and_tell(void* address) {
  if (empty()) return std::nullopt;
  std::lock_guard lock(mutex_);
  const auto found = taints_.find(address);
  if (found == taints_.end()) return std::nullopt;
  Taint taint = found->second;
  if (taint.lost) return taint;
  taints_.erase(found);
  count();
  if (taint.failure->read) return std::nullopt;
  return taint;
}

void FailureBook::set(void* address, Taint taint) {
  std::lock_guard lock(mutex_);
  const bool known = !failures_.empty() && failures_.back() == taint.failure;
  if (!known && !taint.failure->read) failures_.push_back(taint.failure);
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
  for (const auto& failure : failures_)
    if (!failure->read && std::find(unread.begin(), unread.end(), failure) == unread.end())
      unread.push_back(failure);
  return unread;
}

}  // namespace tide
