// Tracks unchecked values.
#include "runtime/execute/pending_checks.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tide {

uint64_t PendingChecks::decided_after(const void* address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : open_[found->second.back() - first_].ticket;
}

void PendingChecks::add(uint64_t report, uint64_t ticket, Ref<Failure> failure,
                        std::span<void* const> results) {
  const uint64_t number = first_ + open_.size();
  open_.push_back({report, ticket, std::move(failure), {results.begin(), results.end()}});
  for (void* address : results) by_address_[address].push_back(number);
}

void PendingChecks::derive(void* address, std::span<void* const> sources) {
  Numbers numbers;
  for (const void* source : sources) {
    const auto found = by_address_.find(source);
    if (found == by_address_.end()) continue;
    Numbers united;
    std::set_union(numbers.begin(), numbers.end(), found->second.begin(), found->second.end(),
                   std::back_inserter(united));
    numbers = std::move(united);
  }
  if (numbers.empty()) {
    by_address_.erase(address);
    return;
  }
  for (uint64_t number : numbers) pending_check(number).results.push_back(address);
  by_address_[address] = std::move(numbers);
}

void PendingChecks::derive_part(void* address, std::span<void* const> sources) {
  std::vector<void*> all(sources.begin(), sources.end());
  all.push_back(address);
  derive(address, all);
}

void PendingChecks::decide(uint64_t done, const TakeReport& take) {
  for (; !open_.empty() && open_.front().ticket <= done; open_.pop_front(), ++first_) {
    const PendingCheck& check = open_.front();
    bool wrong = true;
    try {
      const auto text = take(check.report);
      wrong = text.has_value();
      if (wrong) check.failure->what += *text;
    } catch (const std::bad_alloc&) {  // a report that cannot be read counts as an error
      check.failure->shortage = true;
    }
    for (void* address : check.results) {
      const auto found = by_address_.find(address);
      // The address may hold another value by now. Numbers are ascending, so this one comes first.
      if (found == by_address_.end() || found->second.front() != first_) continue;
      found->second.erase(found->second.begin());
      if (found->second.empty()) by_address_.erase(found);
      if (!wrong) continue;
      const auto value_error = failures_.find(address);
      if (!value_error || !value_error->lost) failures_.set(address, {check.failure, true});
    }
  }
}

}  // namespace tide
