// How work is shared out to threads.
#include "runtime/cpu/team.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/device/stop_check.h"
#include "runtime/types/error.h"
#include "tests/support/catch.h"

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

namespace {

constexpr auto kLong = std::chrono::seconds(20);

/// A thread in help_until of the team, until the end of the scope.
class Helper {
 public:
  explicit Helper(Team& team)
      : thread_([this, &team] { done = team.help_until(kLong, [this] { return over_.load(); }); }),
        id(thread_.get_id()) {}
  void join() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  ~Helper() { join(); }

  std::atomic<bool> done{false};

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;

 public:
  const std::thread::id id;
};

/// The threads that take part in a range of n items, which takes until there are two.
std::set<std::thread::id> threads_of_range(Team& team, int64_t n) {
  std::mutex mutex;
  std::set<std::thread::id> inside;
  std::atomic<size_t> count = 0;
  const auto latest = std::chrono::steady_clock::now() + kLong;
  team.for_range(n, 1, [&](int64_t, int64_t) {
    {
      const std::lock_guard lock(mutex);
      inside.insert(std::this_thread::get_id());
      count = inside.size();
    }
    while (count < 2 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  });
  return inside;
}

}  // namespace

TEST_CASE("a thread that waits takes part in short ranges", "[cpu]") {
  Team team(2);
  Helper helper(team);
  const auto latest = std::chrono::steady_clock::now() + kLong;
  bool took_part = false;
  while (!took_part && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // a worker that is awake comes first
    took_part = threads_of_range(team, 2).contains(helper.id);
  }
  CHECK(took_part);
  CHECK_FALSE(helper.done);
  helper.join();
  CHECK(helper.done);
}

TEST_CASE("a thread that waits takes no part in long ranges", "[cpu]") {
  Team team(2);
  Helper helper(team);
  for (int i = 0; i < 200; ++i) {
    const auto threads = threads_of_range(team, Team::kShortRange + 1);
    CHECK(threads.size() == 2);
    CHECK_FALSE(threads.contains(helper.id));
  }
}

TEST_CASE("a wait that helps ends in time, with the condition's value", "[cpu]") {
  Team team(2);
  const std::chrono::microseconds soon(50);
  CHECK_FALSE(team.help_until(soon, [] { return false; }));
  CHECK(team.help_until(kLong, [] { return true; }));
  std::atomic<bool> done = false;
  team.for_range(2, 1, [&](int64_t, int64_t) {
    // From inside a range too: there is nothing to take part in.
    if (team.help_until(soon, [] { return false; })) done = true;
  });
  CHECK_FALSE(done);
}

TEST_CASE("ranges are complete while helpers come and go and workers fall asleep", "[cpu]") {
  Team team(4);
  std::atomic<bool> over = false;
  std::thread helper([&] {
    while (!over) {
      team.help_until(std::chrono::microseconds(20), [] { return false; });
      std::this_thread::yield();
    }
  });
  for (int round = 0; round < 500; ++round) {
    if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::atomic<int64_t> sum = 0;
    team.for_range(16, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    CHECK(sum == 16);
  }
  over = true;
  helper.join();
}

TEST_CASE("an exception in a part that a waiting thread took reaches the leader", "[cpu]") {
  Team team(2);
  Helper helper(team);
  bool helped = false;
  for (int i = 0; i < 10000 && !helped; ++i) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // a worker that is awake comes first
    std::atomic<bool> thrown = false;
    try {
      team.for_range(2, 1, [&](int64_t, int64_t) {
        if (std::this_thread::get_id() == helper.id) {
          thrown = true;
          throw std::runtime_error("part failed");
        }
        const auto latest = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
        while (!thrown && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
      });
      CHECK_FALSE(thrown);
    } catch (const std::runtime_error&) {
      helped = true;
    }
  }
  CHECK(helped);
  CHECK_FALSE(helper.done);
}

TEST_CASE("the number of threads can be set, within reason", "[cpu]") {
  Team team(1);
  team.set_threads(5);
  CHECK(team.threads() == 5);
  CHECK_THROWS_WITH(team.set_threads(0),
                    Catch::Matchers::ContainsSubstring("between 1 and 1024, got 0"));
  CHECK_THROWS_WITH(team.set_threads(5000),
                    Catch::Matchers::ContainsSubstring("between 1 and 1024, got 5000"));
  CHECK(team.threads() == 5);
  CHECK(default_thread_count() >= 1);
}

TEST_CASE("a range stops between two parts when its step is dropped", "[cpu]") {
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    Team team(threads);
    std::atomic<uint64_t> dropped_until = 4;
    std::atomic<int64_t> done = 0;
    const auto drop_at_once = [&](int64_t begin, int64_t end) {
      done += end - begin;
      dropped_until = 5;
    };
    {
      const CheckedStep step({&dropped_until, 5});
      CHECK_THROWS_AS(team.for_range(1000, 1, drop_at_once), Interrupted);
      CHECK(done > 0);
      CHECK(done < 1000);
      done = 0;
      CHECK_THROWS_AS(team.for_range(1000, 1, drop_at_once), Interrupted);
      CHECK(done == 0);
    }
    team.for_range(1000, 1, drop_at_once);  // a step that must not be dropped
    CHECK(done == 1000);
  }
}

TEST_CASE("pieces of a step that may be dropped are short", "[cpu]") {
  const std::atomic<uint64_t> dropped_until = 4;
  const CheckedStep step({&dropped_until, 5});
  Team team(1);
  std::vector<int64_t> sizes;
  team.for_range(2560, 1, [&](int64_t begin, int64_t end) {
    if (sizes.size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    sizes.push_back(end - begin);
  });
  CHECK(sizes[0] == 10);  // a little at first
  CHECK(sizes[1] < 5);    // it took long
  CHECK(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == 2560);
}

TEST_CASE("a helper leaves a range when its condition holds", "[cpu]") {
  constexpr int64_t kItems = 100;
  Team team(2);
  int64_t helped = 0;
  for (int round = 0; round < 200 && helped == 0; ++round) {
    std::atomic<bool> goes_on = false;
    const auto helper = std::this_thread::get_id();
    std::thread leader([&] {
      team.for_range(kItems, 1, [&](int64_t begin, int64_t end) {
        if (std::this_thread::get_id() == helper) helped += end - begin;
        while (std::this_thread::get_id() != helper && !goes_on) std::this_thread::yield();
      });
    });
    team.help_until(std::chrono::milliseconds(50), [&] { return helped > 0; });
    goes_on = true;
    leader.join();
  }
  CHECK(helped > 0);
  CHECK(helped <= kItems / 4);  // its first chunk
}
