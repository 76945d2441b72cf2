// Accounts of lines. The memory at the peak is saved on the first change afterwards, so that a new
// peak costs nothing.
#include "runtime/device/memory_ledger.h"

#include <algorithm>

#include "runtime/types/size_text.h"

namespace tide {

void MemoryLedger::keep_peak(Account& account) {
  if (account.changed_in_ == peak_) return;
  account.at_peak_ = account.now_;
  account.changed_in_ = peak_;
}

void MemoryLedger::take(Account& account, size_t bytes) {
  keep_peak(account);
  account.now_.bytes += bytes;
  ++account.now_.blocks;
}

void MemoryLedger::release(Account& account, size_t bytes) {
  keep_peak(account);
  account.now_.bytes -= bytes;
  --account.now_.blocks;
}

std::vector<MemoryHolder> MemoryLedger::holders() const {
  std::vector<MemoryHolder> holders;
  for (const auto& [site, account] : accounts_) {
    const HeldMemory& at_peak = account.changed_in_ == peak_ ? account.at_peak_ : account.now_;
    if (account.now_.blocks || at_peak.blocks) holders.push_back({site, account.now_, at_peak});
  }
  return holders;
}

std::string largest_holders(std::vector<MemoryHolder> holders) {
  constexpr size_t kLines = 5;
  std::erase_if(holders, [](const MemoryHolder& holder) {
    return !holder.site.known() || !holder.now.blocks;
  });
  std::sort(holders.begin(), holders.end(), [](const MemoryHolder& a, const MemoryHolder& b) {
    if (a.now.bytes != b.now.bytes) return a.now.bytes > b.now.bytes;
    return a.site.text() < b.site.text();
  });
  std::string text;
  for (size_t i = 0; i < std::min(kLines, holders.size()); ++i) {
    const HeldMemory& held = holders[i].now;
    text += (i ? ", " : "") + holders[i].site.text() + " holds " + size_text(held.bytes) + " in " +
            std::to_string(held.blocks) + (held.blocks == 1 ? " block" : " blocks");
  }
  return text;
}

}  // namespace tide
