// How work is shared out to threads.
#include "runtime/cpu/team.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/core/error.h"

using namespace tide;

TEST_CASE("a team covers the range once, in disjoint parts", "[cpu]") {
  Team team(3);
  for (int64_t n : {0, 1, 2, 3, 1000}) {
    std::vector<int> visits(n);
    team.for_range(n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++visits[i];
    });
    CHECK(visits == std::vector<int>(n, 1));
  }
}

TEST_CASE("a range below the grain stays on the leader", "[cpu]") {
  Team team(4);
  std::atomic<int> parts = 0;
  team.for_range(100, 64, [&](int64_t, int64_t) { ++parts; });
  CHECK(parts == 1);
  parts = 0;
  team.for_range(130, 64, [&](int64_t, int64_t) { ++parts; });
  CHECK(parts == 2);
}

TEST_CASE("a range inside a range runs on the same thread", "[cpu]") {
  Team team(2);
  std::atomic<int64_t> sum = 0;
  team.for_range(2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      team.for_range(10, 1, [&](int64_t first, int64_t last) { sum += last - first; });
  });
  CHECK(sum == 20);
}

TEST_CASE("the threads of a team are inside a range at the same time", "[cpu]") {
  Team team(3);
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> inside = 0;
    // Each part waits for the others, and in vain where one thread takes them one after the other.
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    team.for_range(3, 1, [&](int64_t, int64_t) {
      ++inside;
      while (inside < 3 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
    });
    REQUIRE(std::chrono::steady_clock::now() < latest);
  }
}

TEST_CASE("an exception on any thread reaches the leader, and the team goes on", "[cpu]") {
  Team team(2);
  for (int64_t bad : {0, 1})
    CHECK_THROWS_WITH(team.for_range(2, 1,
                                     [&](int64_t begin, int64_t end) {
                                       if (begin <= bad && bad < end)
                                         throw std::runtime_error("part failed");
                                     }),
                      "part failed");
  std::atomic<int> parts = 0;
  team.for_range(2, 1, [&](int64_t, int64_t) { ++parts; });
  CHECK(parts == 2);
}

TEST_CASE("what one thread wrote all others see in the next range", "[cpu]") {
  Team team(2);
  std::vector<int64_t> a(1000), b(1000);
  for (int round = 0; round < 200; ++round) {
    team.for_range(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) a[i] = round + i;
    });
    team.for_range(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) b[i] = a[999 - i];
    });
    REQUIRE(b[0] == round + 999);
  }
}

TEST_CASE("the number of threads can be set, within reason", "[cpu]") {
  Team team(1);
  team.set_threads(5);
  CHECK(team.threads() == 5);
  CHECK_THROWS_WITH(team.set_threads(0), Catch::Contains("between 1 and 1024, got 0"));
  CHECK_THROWS_WITH(team.set_threads(5000), Catch::Contains("between 1 and 1024, got 5000"));
  CHECK(team.threads() == 5);
  CHECK(default_thread_count() >= 1);
}
