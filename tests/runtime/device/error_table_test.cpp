// What a device keeps of failures, and what it forgets.
#include "runtime/device/error_table.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace tide;

namespace {

void* at(uint64_t value) { return reinterpret_cast<void*>(value * 64); }

/// The number of them that code other than the test keeps.
size_t kept(const std::vector<Ref<Failure>>& failures) {
  return static_cast<size_t>(std::count_if(failures.begin(), failures.end(),
                                           [](const auto& each) { return !each->unique(); }));
}

}  // namespace

TEST_CASE("reported failures are forgotten, unread ones stay", "[device]") {
  ErrorTable book;
  std::vector<Ref<Failure>> reported, unread;
  for (uint64_t i = 0; i < 5000; ++i) {
    const bool is_read = i % 20 != 0;
    auto& list = is_read ? reported : unread;
    list.push_back(new Failure);
    book.set(at(1 + i % 10), {list.back(), true});
    if (is_read) list.back()->report();
  }
  for (uint64_t i = 0; i < 10; ++i) book.clear(at(1 + i));
  CHECK(book.empty());
  // As many again as there were unread ones before it looked.
  CHECK(kept(reported) <= 2 * unread.size());
  CHECK(kept(unread) == unread.size());
  CHECK(book.unread() == unread);
  for (const auto& each : unread) each->report();
  CHECK(book.unread().empty());
  for (int i = 0; i < 5000; ++i) {
    const Ref<Failure> last = new Failure;
    book.set(at(1), {last, true});
    last->report();
  }
  CHECK(kept(unread) == 0);
  CHECK(kept(reported) == 0);
}

TEST_CASE("a failure of many values is one, and none if it is known", "[device]") {
  ErrorTable book;
  const Ref<Failure> first = new Failure, second = new Failure, known = new Failure;
  known->is_known();
  for (uint64_t i = 1; i < 50; ++i) book.set(at(i), {i % 2 ? first : second, true});
  book.set(at(50), {known, true});
  CHECK(book.unread() == std::vector<Ref<Failure>>{first, second});
  CHECK(book.find(at(50))->failure == known);
}

TEST_CASE("a value is wrong until another is written there", "[device]") {
  ErrorTable book;
  CHECK(book.empty());
  CHECK_FALSE(book.find(at(1)));
  CHECK_FALSE(book.clear(at(1)));
  const Ref<Failure> lost = new Failure, notice = new Failure;
  book.set(at(1), {lost, true});
  book.set(at(2), {notice, false});
  CHECK_FALSE(book.empty());
  CHECK_FALSE(book.clear(at(3)));
  CHECK(book.find_unreported(at(1))->failure == lost);
  CHECK(book.find_unreported(at(2))->failure == notice);
  lost->report();
  notice->report();
  CHECK(book.find_unreported(at(1)));  // what is lost stays so
  CHECK_FALSE(book.find_unreported(at(2)));
  CHECK(book.find(at(2)));
  CHECK(book.clear(at(1)) == lost);
  CHECK_FALSE(book.find(at(1)));
  CHECK_FALSE(book.empty());
  CHECK(book.clear(at(2)) == notice);
  CHECK(book.empty());
}

TEST_CASE("a notice spoils what was flushed before it was reported", "[device]") {
  const Ref<Failure> failure = new Failure;
  const ValueError notice{failure, false}, lost{failure, true};
  const uint64_t before = Failure::number_work();
  CHECK(notice.spoils(before));
  failure->report();
  const uint64_t after = Failure::number_work();
  failure->report();  // only the first time counts
  CHECK(notice.spoils(before));
  CHECK_FALSE(notice.spoils(after));
  CHECK(lost.spoils(after));
}

TEST_CASE("every value of a lost device has the failure of the loss", "[device]") {
  ErrorTable book;
  const Ref<Failure> before = new Failure, loss = new Failure, later = new Failure;
  book.set(at(1), {before, false});
  CHECK_FALSE(book.is_lost());
  CHECK_FALSE(book.loss());
  book.lose(loss);
  book.lose(later);
  CHECK(book.is_lost());
  CHECK(book.loss() == loss);
  CHECK_FALSE(book.empty());
  for (const uint64_t value : {1, 2}) {
    book.set(at(value), {later, false});
    CHECK(book.find(at(value))->failure == loss);
    CHECK(book.clear(at(value)) == loss);
    CHECK(book.find(at(value))->lost);
  }
  CHECK(book.unread() == std::vector<Ref<Failure>>{loss});
  loss->report();
  CHECK(book.find_unreported(at(2)));
}
