// The table of failures.
#include "runtime/device/error_table.h"

#include <algorithm>
#include <functional>
#include <new>
#include <unordered_set>
#include <utility>

namespace tide {

void* EntryMemory::do_allocate(size_t bytes, size_t alignment) {
  try {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return pool_.allocate(bytes, alignment);
  }
}

void EntryMemory::do_deallocate(void* data, size_t bytes, size_t alignment) {
  const std::less<const void*> is_before;
  const bool is_own = !is_before(data, buffer_.get()) && is_before(data, buffer_.get() + kBytes);
  (is_own ? static_cast<memory_resource*>(&pool_) : std::pmr::new_delete_resource())
      ->deallocate(data, bytes, alignment);
}

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
  try {
    note(value_error.failure);
    errors_[address] = value_error;
    count();
  } catch (const std::bad_alloc&) {
    lose_all(std::move(value_error.failure));
  }
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
  if (!loss_) lose_all(std::move(failure));
}

void ErrorTable::lose_all(Ref<Failure> failure) {
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
