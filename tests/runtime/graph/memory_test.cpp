// The caching allocator: size classes, reuse, limits, faults.
#include "runtime/graph/memory.h"

#include <catch2/catch.hpp>
#include <set>

#include "runtime/cpu/host_backend.h"

using namespace tide;

TEST_CASE("block sizes waste little and never shrink", "[graph]") {
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

TEST_CASE("a block that was given back is handed out again", "[graph]") {
  SimBackend backend(0);
  Allocator allocator(backend);
  for (size_t bytes : {size_t{2000}, size_t{100000}, size_t{10} << 20}) {
    Ref<Storage> first = allocator.allocate(bytes);
    void* const place = first->data;
    CHECK(reinterpret_cast<uintptr_t>(place) % 64 == 0);
    first = {};
    CHECK(allocator.allocate(bytes)->data == place);
  }
  CHECK(allocator.statistics().in_use == 0);
  CHECK(allocator.trim() > 0);
  CHECK(allocator.statistics().cached <= size_t{1} << 20);  // a slab of small blocks stays
}

TEST_CASE("the smallest blocks are handed out again in turns", "[graph]") {
  SimBackend backend(0);
  Allocator allocator(backend);
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

TEST_CASE("a limit counts what is cached as well, and trimming makes room", "[graph]") {
  SimBackend backend(0);
  engine::SimOptions options;
  options.memory_limit = size_t{8} << 20;
  backend.configure(options);
  Allocator allocator(backend);
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

TEST_CASE("an allocation that is to fail gives nothing, the next one a block", "[graph]") {
  SimBackend backend(0);
  engine::SimOptions options;
  options.fail_allocation = 2;
  backend.configure(options);
  Allocator allocator(backend);
  CHECK(allocator.allocate(100));
  CHECK(!allocator.allocate(100));
  CHECK(allocator.allocate(100));
}
