// Where windows are cut, plans found again, blocks taken over, and what running short of memory
// does.

#include "runtime/autograd/autograd.h"
#include "runtime/device/sim_options.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"
#include "runtime/record/recorder.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"
#include "tests/runtime/execute/work.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using Catch::Matchers::ContainsSubstring;
using test::Values;
using test::values;
using test::work_of;

namespace {

constexpr int64_t kBytes = 1 << 20;
const Shape kMegabyte{kBytes / 4};

/// A tensor that lies in memory.
Tensor stored(const Shape& shape, Device device = {}) {
  const std::vector<float> numbers(static_cast<size_t>(shape.numel()), 3);
  return record_constant(numbers.data(), shape, DType::f32, device);
}

const Device kSim{DeviceKind::sim, 0};

/// A simulated device with this much memory, for the time of a test.
class LimitedMemory {
 public:
  explicit LimitedMemory(size_t bytes) { set(bytes); }
  ~LimitedMemory() { set(size_t{1} << 30); }
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

 private:
  static void set(size_t bytes) {
    engine::empty_cache(kSim);
    SimOptions options;
    options.memory_limit = bytes;
    engine::configure_sim(0, options);
  }
};

}  // namespace

TEST_CASE("a compute op flushes what was recorded before it", "[record]") {
  const Tensor x = stored({8, 8});
  Tensor y;
  engine::synchronize();
  const int64_t before = engine::statistics().windows;
  y = matmul(x, x) + 1;
  CHECK(engine::statistics().windows == before);
  y = matmul(y, x);
  CHECK(engine::statistics().windows == before + 1);
}

TEST_CASE("elementwise ops are flushed in runs of 128", "[record]") {
  Tensor x = stored({8});
  CHECK(work_of([&] {
          for (int i = 0; i < 300; ++i) x = x + 1;
        }).windows == 3);
}

TEST_CASE("compute ops are flushed in runs of 128 as well", "[record]") {
  Tensor x = stored({8});
  CHECK(work_of([&] {
          for (int i = 0; i < 300; ++i) x = cumsum(x, Dim{0}) * 0.5;
        }).windows == 5);
  CHECK(work_of([&] {
          for (int i = 0; i < 300; ++i) x = cumsum(x, Dim{0});
        }).windows == 3);
}

TEST_CASE("results that will be stored are flushed by their bytes", "[record]") {
  const Tensor x = stored({4, 1 << 20});  // 16 MB
  const int64_t bytes = int64_t{4} << 22;
  const std::array<int64_t, 4> backwards{4, 3, 2, 1};
  const Tensor rows = record_constant(backwards.data(), {4}, DType::i64, Device{});
  Tensor y = x;
  const auto work = work_of([&] {
    for (int i = 0; i < 40; ++i) y = index_select(y, Dim{0}, rows);
  });
  CHECK(work.windows == 10);  // eight results each: four are checks of the positions
  CHECK(work.peak <= 10 * bytes);
}

TEST_CASE("unread results are flushed from 64 MB on", "[record]") {
  constexpr int64_t kEach = int64_t{8} << 20;
  const auto bytes = [](int64_t count) {
    return zeros({count}, {.dtype = DType::u8, .device = Device{}});
  };
  const Tensor x = bytes(kEach), less = bytes(kEach - 1);
  for (const bool enough : {false, true}) {
    engine::synchronize();
    const int64_t before = engine::statistics().windows;
    std::vector<Tensor> kept;
    for (int i = 0; i < 7; ++i) kept.push_back(x + (i + 1));
    kept.push_back((enough ? x : less) + 8);
    CHECK(engine::statistics().windows - before == enough);
  }
}

TEST_CASE("programs that differ in numbers and offsets share a plan and its kernels", "[record]") {
  const Tensor x = stored({64, 48});
  const auto program = [&](double number, int64_t row) {
    return values(sum(narrow(x, Dim{0}, Position{row}, 8) * number + rand({8, 48})));
  };
  program(2, 5);
  const auto again = work_of([&] {
    for (int i = 0; i < 20; ++i) program(0.1 * i, 2 + i);
  });
  CHECK(again.plans == 0);
  CHECK(work_of([&] { values(sum(narrow(x, Dim{0}, Position{2}, 9) * 2)); }).plans > 0);
}

TEST_CASE("a value without other owners gives its block to the next", "[record]") {
  Tensor x = stored(kMegabyte);
  CHECK(work_of([&] { x = x * 2; }).blocks == 0);
  const Tensor held = x;
  CHECK(work_of([&] { x = x * 2; }).blocks == 1);
  CHECK(values(held)[0] == 6);
  CHECK(values(x)[0] == 12);
}

TEST_CASE("a part is written in place, unless the old value has an owner", "[record]") {
  const Tensor x = stored(kMegabyte);
  const Tensor part = narrow(x, Dim{0}, Position{2}, 3);
  CHECK(work_of([&] { write("fill_", part, 1); }).blocks == 0);
  Tensor inner, y;
  work_of([&] { inner = x * 2, y = inner + 1; });  // inner is not stored: it holds x's value
  CHECK(work_of([&] { write("fill_", part, 2); }).blocks == 1);
  CHECK(values(narrow(inner, Dim{0}, Position{1}, 4)) == Values{6, 2, 2, 2});
  CHECK(values(narrow(x, Dim{0}, Position{1}, 4)) == Values{3, 2, 2, 2});
}

TEST_CASE("views see writes through each other, snapshots do not", "[record]") {
  const Tensor x = stored({4, 6});
  const Tensor row = select(x, Dim{0}, Position{2}), column = select(x, Dim{1}, Position{1});
  const Tensor before = clone(row);
  write("fill_", column, 5);
  write("mul_", row, row * 10);
  CHECK(values(row) == Values{50, 30, 30, 30, 30, 30});
  CHECK(values(column) == Values{5, 50, 5, 5});
  CHECK(values(before) == Values{3, 3, 3, 3, 3, 3});
}

TEST_CASE("memory that is cached or unreachable is found before an error", "[record]") {
  const LimitedMemory limit(4 * kBytes);
  Tensor garbage = stored({3 * kBytes / 4}, kSim);
  engine::synchronize();
  int reclaims = 0;
  engine::set_reclaim([&] {
    ++reclaims;
    garbage = Tensor();
  });
  const Tensor y = full({kBytes / 2}, 2.0, {.dtype = {}, .device = kSim});  // 2 MB
  CHECK(values(y)[0] == 2);
  CHECK(reclaims > 0);
  engine::set_reclaim({});
}

TEST_CASE("out of memory says who asked for what, and a smaller try works", "[record]") {
  const LimitedMemory limit(4 * kBytes);
  std::vector<float> numbers(4 * kBytes);
  for (int i = 0; i < 20; ++i) {
    const Tensor y = full({4 * kBytes}, 2.0, {.dtype = {}, .device = kSim});
    CHECK_THROWS_WITH(y.read(numbers.data(), "test"),
                      ContainsSubstring("full: out of memory on sim:0: asked for 16.0 MB") &&
                          ContainsSubstring("limit 4.0 MB"));
    CHECK_THROWS_WITH(y.read(numbers.data(), "test"), ContainsSubstring("limit 4.0 MB"));
    CHECK(values(sum(full({kBytes / 4}, 2.0, {.dtype = {}, .device = kSim}))) ==
          Values{kBytes / 2});
  }
  engine::synchronize();
  CHECK(engine::memory(kSim).in_use < kBytes);
}

TEST_CASE("a step runs whole or not at all", "[record]") {
  const Tensor a = stored({4}, kSim), b = stored({4}, kSim), good = stored({4}, kSim);
  const Tensor bad = index_select(
      good, Dim{0}, record_constant(std::array<int64_t, 1>{9}.data(), {1}, DType::i64, kSim));
  const auto step = [&](const Tensor& x, bool whole) {
    engine::begin_step();
    write("add_", a, a + good);
    if (whole) write("add_", b, b + sum(x));
    engine::end_step(whole);
  };
  step(bad, true);
  CHECK_THROWS_WITH(values(b), ContainsSubstring("position 9 is out of range"));
  CHECK(values(a) == Values{3, 3, 3, 3});  // the failure was reported once
  step(good, false);
  CHECK(values(a) == Values{3, 3, 3, 3});
  step(good, true);
  CHECK(values(a) == Values{6, 6, 6, 6});
  CHECK(values(b) == Values{15, 15, 15, 15});
}

TEST_CASE("a trial leaves what was recorded before it, and its own is dropped", "[record]") {
  const Tensor before = full({4}, 1.0, {.dtype = {}, .device = kSim}) + 1;
  const int64_t recorded = Recorder::of_thread().pending_ops();
  REQUIRE(recorded > 0);
  engine::begin_trial();
  CHECK(Recorder::of_thread().pending_ops() == 0);
  const Tensor tried = full({4}, 1.0, {.dtype = {}, .device = kSim}) * 2;
  CHECK_THROWS_AS(matmul(tried, full({3}, 1.0, {.dtype = {}, .device = kSim})), ShapeError);
  engine::end_trial();
  CHECK(Recorder::of_thread().pending_ops() == recorded);
  CHECK_THROWS_WITH(values(tried), ContainsSubstring("cancelled"));
  CHECK(values(before).front() == 2);
}

TEST_CASE("what is queued can be dropped: writes keep the old value", "[record]") {
  const Tensor a = stored({4}, kSim);
  engine::synchronize();
  SimOptions slow;
  slow.launch_cost = 0.01;
  engine::configure_sim(0, slow);
  for (int i = 0; i < 100; ++i) {
    write("add_", a, a + 1);
    engine::flush();
  }
  engine::interrupt();
  slow.launch_cost = 0;
  engine::configure_sim(0, slow);
  const double value = values(a)[0];
  CHECK(value < 103);
  write("add_", a, a + 1);
  CHECK(values(a)[0] == value + 1);
}

TEST_CASE("what is dropped leaves the values that were read before", "[record]") {
  const bool step = GENERATE(false, true);
  const Tensor a = stored({4}, kSim), written = stored({4}, kSim);
  const Tensor read = a + 1, other = a + 2;
  // Both are computed in the loops of their sums, and not stored.
  CHECK(values(sum(read)) == Values{16});
  CHECK(values(sum(other)) == Values{20});
  SimOptions slow;
  slow.launch_cost = 0.01;
  engine::configure_sim(0, slow);
  Tensor late = a;
  for (int i = 0; i < 20; ++i) {
    late = late + 1;
    engine::flush();
  }
  if (step) engine::begin_step();
  // In one loop with work that is lost, and as the input of a product.
  const Tensor mixed = read * late;
  write("add_", written, read);
  const Tensor product = matmul(view(other, {2, 2}), view(other, {2, 2}));
  if (step)
    engine::end_step();
  else
    engine::flush();
  engine::interrupt();
  slow.launch_cost = 0;
  engine::configure_sim(0, slow);
  CHECK_THROWS_WITH(values(product), ContainsSubstring("interrupted"));
  CHECK_THROWS_WITH(values(mixed), ContainsSubstring("interrupted"));
  CHECK(values(read) == Values{4, 4, 4, 4});
  CHECK(values(other) == Values{5, 5, 5, 5});
  CHECK(values(written) == values(a));
}

TEST_CASE("what a step starts from is made, dropped or failed", "[record]") {
  const auto made = [] {
    engine::begin_state();
    const Tensor state = full({4}, 2.0, {.dtype = {}, .device = kSim});
    engine::end_state();
    return state;
  };
  engine::synchronize();
  SimOptions options;
  options.launch_cost = 0.01;
  engine::configure_sim(0, options);
  const Tensor queued = stored({4}, kSim);
  for (int i = 0; i < 5; ++i) {
    write("add_", queued, queued + 1);
    engine::flush();
  }
  const Tensor dropped = made();
  engine::interrupt();
  options.launch_cost = 0;
  engine::configure_sim(0, options);
  CHECK(values(dropped) == Values{2, 2, 2, 2});

  // Its failure was overcome, but a step that needs it does not run before it was reported.
  const Tensor a = stored({4}, kSim);
  engine::synchronize();
  options.fail_op = 1;
  engine::configure_sim(0, options);
  const Tensor state = made();
  const auto step = [&] {
    engine::begin_step();
    write("add_", a, a + state);
    engine::end_step();
  };
  step();
  CHECK_THROWS_WITH(values(a), ContainsSubstring("full: the device failed"));
  CHECK(values(a) == Values{3, 3, 3, 3});
  step();
  CHECK(values(a) == Values{5, 5, 5, 5});
}
