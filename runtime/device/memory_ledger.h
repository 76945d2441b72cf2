// Which lines of a script hold a device's memory, now and at its peak.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device/memory_statistics.h"

namespace tide {

/// The accounts of the lines that allocated blocks. Not thread-safe. Releasing allocates nothing.
class MemoryLedger {
 public:
  class Account {
   public:
    explicit Account(CallSite site) : site_(site) {}
    CallSite site() const { return site_; }

   private:
    friend MemoryLedger;
    const CallSite site_;
    HeldMemory now_;
    HeldMemory at_peak_;       ///< if anything changed since the peak
    uint64_t changed_in_ = 0;  ///< the peak after which it changed
  };

  /// The account of a line, which lives as long as the ledger.
  Account& account(CallSite site) { return accounts_.try_emplace(site, site).first->second; }
  void take(Account& account, size_t bytes);
  void release(Account& account, size_t bytes);
  /// Marks the current state as the peak.
  void note_peak() { ++peak_; }
  /// The lines that hold memory, or did at the peak; in any order.
  std::vector<MemoryHolder> holders() const;

 private:
  struct Hash {
    size_t operator()(const CallSite& site) const {
      return (reinterpret_cast<size_t>(site.file) >> 4) * 31 + static_cast<size_t>(site.line);
    }
  };
  void keep_peak(Account& account);

  std::unordered_map<CallSite, Account, Hash> accounts_;
  uint64_t peak_ = 1;  ///< number of the last peak
};

/// The lines that currently hold the most: "train.lua:12 holds 64.0 MB in 3 blocks, ..."; empty if
/// none is known.
std::string largest_holders(std::vector<MemoryHolder> holders);

}  // namespace tide
