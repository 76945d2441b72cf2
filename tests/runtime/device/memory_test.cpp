// The caching allocator: size classes, reuse, limits, faults.
#include "runtime/device/memory.h"

#include <cstring>
#include <set>
#include <vector>

#include "runtime/cpu/sim_backend.h"
#include "runtime/record/node.h"
#include "tests/support/catch.h"

using namespace tide;

TEST_CASE("block sizes waste little and never shrink", "[device]") {
  for (size_t bytes = 1; bytes < size_t{1} << 40; bytes += bytes / 3 + 1) {
    const size_t block = Allocator::block_size(bytes);
    CAPTURE(bytes, block);
    REQUIRE(block >= bytes);
    REQUIRE(Allocator::block_size(block) == block);
    if (bytes > 32 * 1024)
      REQUIRE(block <=
              std::max(bytes + bytes / 7, (bytes + (2u << 20) - 1) & ~size_t{(2u << 20) - 1}));
  }
}

TEST_CASE("a released block is handed out again", "[device]") {
  SimDevice backend(0);
  ProcessUse use;
  Allocator allocator(backend, use);
  for (size_t bytes : {size_t{2000}, size_t{100000}, size_t{10} << 20}) {
    Ref<Storage> first = allocator.allocate(bytes);
    void* const place = first->data;
    CHECK(reinterpret_cast<uintptr_t>(place) % 64 == 0);
    first = {};
    CHECK(allocator.allocate(bytes)->data == place);
  }
  CHECK(allocator.statistics().in_use == 0);
  CHECK(allocator.trim() > 0);
  CHECK(allocator.statistics().cached == 0);
}

TEST_CASE("trimming releases all but what lies beside a block in use", "[device]") {
  SimDevice backend(0);
  ProcessUse use;
  Allocator allocator(backend, use);
  std::vector<Ref<Storage>> blocks;
  for (int i = 0; i < 3000; ++i) blocks.push_back(allocator.allocate(i % 3 ? 2000 : 100));
  std::memset(blocks[1500]->data, 7, blocks[1500]->bytes);
  blocks = {blocks[1500]};
  CHECK(allocator.trim() > size_t{3} << 20);
  CHECK(allocator.statistics().cached < size_t{1} << 18);
  for (int i = 0; i < 3000; ++i) {
    blocks.push_back(allocator.allocate(i % 3 ? 2000 : 100));
    std::memset(blocks.back()->data, 1, blocks.back()->bytes);
  }
  CHECK(static_cast<const char*>(blocks[0]->data)[99] == 7);
  blocks.clear();
  CHECK(allocator.statistics().in_use == 0);
  allocator.trim();
  CHECK(allocator.statistics().cached == 0);
}

TEST_CASE("blocks that work may still use stay where unused ones are released", "[device]") {
  SimDevice backend(0);
  ProcessUse use;
  Allocator allocator(backend, use);
  constexpr size_t kBytes = size_t{1} << 20;
  Ref<Storage> early = allocator.allocate(kBytes), late = allocator.allocate(kBytes);
  Ref<Storage> other = allocator.allocate(kBytes, 1);
  void* const of_late = late->data;
  early = {};
  const uint64_t work = Failure::number_work();
  late = other = {};  // while that work is flushed: it may use them
  allocator.trim_unused(0, work);
  CHECK(allocator.statistics().cached == 2 * kBytes);
  CHECK(allocator.allocate(kBytes)->data == of_late);
  allocator.trim_unused(1, work + 1);
  CHECK(allocator.statistics().cached == kBytes);
  allocator.trim_unused(0, work + 1);
  CHECK(allocator.statistics().cached == 0);
}

TEST_CASE("the smallest blocks are handed out again in turns", "[device]") {
  SimDevice backend(0);
  ProcessUse use;
  Allocator allocator(backend, use);
  std::set<void*> places;
  void* before = nullptr;
  for (int i = 0; i < 1000; ++i) {
    void* const place = allocator.allocate(100)->data;
    CHECK(place != before);
    before = place;
    places.insert(place);
  }
  CHECK(places.size() <= 16);
}

TEST_CASE("a limit counts what is cached as well, and trimming makes room", "[device]") {
  SimDevice backend(0);
  SimOptions options;
  options.memory_limit = size_t{8} << 20;
  backend.simulation->configure(options);
  ProcessUse use;
  Allocator allocator(backend, use);
  Ref<Storage> block = allocator.allocate(size_t{6} << 20);
  REQUIRE(block);
  CHECK(!allocator.allocate(size_t{4} << 20));
  block = {};
  CHECK(!allocator.allocate(size_t{2} << 20).get() == false);
  CHECK(!allocator.allocate(size_t{4} << 20));
  allocator.trim();
  CHECK(allocator.allocate(size_t{4} << 20));
  CHECK(allocator.statistics().peak == size_t{6} << 20);
}

TEST_CASE("the lower of two limits holds, for small blocks, too", "[device]") {
  SimDevice backend(0);
  SimOptions options;
  options.memory_limit = size_t{8} << 20;
  backend.simulation->configure(options);
  ProcessUse use;
  Allocator allocator(backend, use);
  allocator.limit_to({size_t{1} << 20, "a test"});
  CHECK(allocator.statistics().limit == size_t{1} << 20);
  CHECK(std::string(allocator.statistics().limit_name) == "a test");
  Ref<Storage> block = allocator.allocate(size_t{1} << 20);
  REQUIRE(block);
  CHECK(!allocator.allocate(100));
  block = {};
  CHECK(!allocator.allocate(100));  // what is cached counts
  allocator.trim();
  CHECK(allocator.allocate(100));
  allocator.limit_to({size_t{64} << 20, "a test"});
  CHECK(allocator.statistics().limit == size_t{8} << 20);
  CHECK(std::string(allocator.statistics().limit_name) == "");
}

TEST_CASE("an allocation that is to fail gives nothing, the next one a block", "[device]") {
  SimDevice backend(0);
  SimOptions options;
  options.fail_allocation = 2;
  backend.simulation->configure(options);
  ProcessUse use;
  Allocator allocator(backend, use);
  CHECK(allocator.allocate(100));
  CHECK(!allocator.allocate(100));
  CHECK(allocator.allocate(100));
}
