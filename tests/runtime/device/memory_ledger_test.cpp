// What lines hold, now and at the peak.
#include "runtime/device/memory_ledger.h"

#include <map>
#include <vector>

#include "runtime/cpu/sim_backend.h"
#include "runtime/device/memory.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

const char* const kFile = intern_file_name("train.lua");

CallSite line(int number) { return {kFile, number}; }

std::map<int, MemoryHolder> by_line(const std::vector<MemoryHolder>& holders) {
  std::map<int, MemoryHolder> lines;
  for (const MemoryHolder& holder : holders) lines[holder.site.line] = holder;
  return lines;
}

}  // namespace

TEST_CASE("a ledger knows what each line holds, and held at the last peak", "[device]") {
  MemoryLedger ledger;
  auto &a = ledger.account(line(1)), &b = ledger.account(line(2));
  CHECK(&ledger.account(line(1)) == &a);
  ledger.take(a, 100);
  ledger.take(b, 10);
  ledger.note_peak();
  ledger.release(a, 100);
  ledger.take(b, 20);
  ledger.take(b, 30);
  auto lines = by_line(ledger.holders());
  CHECK(lines.size() == 2);
  CHECK(lines[1].now.blocks == 0);
  CHECK(lines[1].at_peak.bytes == 100);
  CHECK(lines[2].now.bytes == 60);
  CHECK(lines[2].now.blocks == 3);
  CHECK(lines[2].at_peak.bytes == 10);
  CHECK(lines[2].at_peak.blocks == 1);
  ledger.note_peak();
  lines = by_line(ledger.holders());
  CHECK(lines.size() == 1);  // line 1 neither holds anything nor did at the new peak
  CHECK(lines[2].at_peak.bytes == 60);
}

TEST_CASE("blocks are held by the line that they were asked for", "[device]") {
  SimDevice backend(0);
  ProcessUse use;
  Allocator allocator(backend, use);
  Ref<Storage> first = allocator.allocate(1 << 20, 0, line(1));
  Ref<Storage> second = allocator.allocate(2 << 20, 0, line(2));
  first = {};
  Ref<Storage> third = allocator.allocate(1 << 20, 0, line(3));  // the block of line 1
  auto lines = by_line(allocator.holders());
  CHECK(lines.size() == 3);
  CHECK(lines[1].now.bytes == 0);
  CHECK(lines[1].at_peak.bytes == 1 << 20);
  CHECK(lines[3].now.bytes == 1 << 20);
  CHECK(lines[3].at_peak.bytes == 0);
  CHECK(largest_holders(allocator.holders()) ==
        "train.lua:2 holds 2.0 MB in 1 block, train.lua:3 holds 1.0 MB in 1 block");
  allocator.reset_peak();
  lines = by_line(allocator.holders());
  CHECK(lines.size() == 2);
  CHECK(lines[3].at_peak.bytes == 1 << 20);
}

TEST_CASE("the largest holders are five, without those that no script asked for", "[device]") {
  MemoryLedger ledger;
  ledger.take(ledger.account({}), 1000 << 20);
  for (int i = 1; i <= 7; ++i)
    for (int block = 0; block < i; ++block) ledger.take(ledger.account(line(i)), 1 << 20);
  CHECK(largest_holders(ledger.holders()) ==
        "train.lua:7 holds 7.0 MB in 7 blocks, train.lua:6 holds 6.0 MB in 6 blocks, "
        "train.lua:5 holds 5.0 MB in 5 blocks, train.lua:4 holds 4.0 MB in 4 blocks, "
        "train.lua:3 holds 3.0 MB in 3 blocks");
}
