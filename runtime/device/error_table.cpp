// The table of failures.
#include "runtime/device/error_table.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tide {

std::optional<ValueError> ErrorTable::find(void* address) {
  if (empty()) return std::nullopt;
  std::lock_guard lock(mutex_);
  if (loss_) return ValueError{loss_, true};
  const auto found = errors_.find(address);
  return found == errors_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ValueError> ErrorTable::find_unreported(void* address) {
  const std::optional<ValueError> value_error = find(address);
  return value_error && !value_error->lost && value_error->failure->is_reported() ? std::nullopt
                                                                                  : value_error;
}

void ErrorTable::note(const Ref<Failure>& failure) {
  if (failure->is_reported() || (!failures_.empty() && failures_.back() == failure)) return;
  if (failures_.size() >= forget_at_) {
    std::erase_if(failures_, [](const Ref<Failure>& each) { return each->is_reported(); });
    forget_at_ = std::max<size_t>(64, 2 * failures_.size());
  }
  failures_.push_back(failure);
}

void ErrorTable::set(void* address, ValueError value_error) {
  std::lock_guard lock(mutex_);
  if (loss_) return;
  note(value_error.failure);
  errors_[address] = std::move(value_error);
  count();
}

Ref<Failure> ErrorTable::clear(void* address) {
  if (empty()) return {};
  std::lock_guard lock(mutex_);
  if (loss_) return loss_;
  const auto found = errors_.find(address);
  if (found == errors_.end()) return {};
  Ref<Failure> failure = found->second.failure;
  errors_.erase(found);
  count();
  return failure;
}

void ErrorTable::lose(Ref<Failure> failure) {
  std::lock_guard lock(mutex_);
  if (loss_) return;
  errors_.clear();
  failures_.clear();
  note(failure);
  loss_ = std::move(failure);
  is_lost_.store(true, std::memory_order_release);
  count();
}

Ref<Failure> ErrorTable::loss() {
  std::lock_guard lock(mutex_);
  return loss_;
}

std::vector<Ref<Failure>> ErrorTable::unread() {
  std::lock_guard lock(mutex_);
  std::vector<Ref<Failure>> unread;
  std::unordered_set<const Failure*> seen;
  for (const auto& failure : failures_)
    if (!failure->is_reported() && seen.insert(failure.get()).second) unread.push_back(failure);
  return unread;
}

}  // namespace tide
