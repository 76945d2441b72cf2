// Plans are found by their whole key, and the least recently used go first.
#include "runtime/plan/plan_cache.h"

#include <array>
#include <vector>

#include "tests/support/catch.h"

using namespace tide;

TEST_CASE("a plan is made once per key, and again when it was not used for long", "[plan]") {
  PlanCache cache;
  int made = 0;
  const auto find = [&](uint64_t word) {
    return cache.find(std::array{word, word * 3}, [&] {
      ++made;
      return Ref<Plan>(new Plan);
    });
  };
  const Ref<Plan> first = find(0);
  for (uint64_t word = 1; word < 2048; ++word) find(word);
  CHECK(made == 2048);
  CHECK(find(0) == first);
  CHECK(made == 2048);
  find(5000);  // there is one too many: the oldest goes, which is no longer the first
  CHECK(find(0) == first);
  CHECK(made == 2049);
  find(1);
  CHECK(made == 2050);
}

TEST_CASE("keys of other lengths are other keys", "[plan]") {
  PlanCache cache;
  const auto find = [&](const std::vector<uint64_t>& key) {
    return cache.find(key, [] { return Ref<Plan>(new Plan); });
  };
  CHECK(find({1, 0}) != find({1}));
  CHECK(find({}) != find({0}));
}
