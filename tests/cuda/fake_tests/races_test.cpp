// Data races: the fake driver finds them, and can run unordered threads in other orders.

#include "tests/cuda/fake_tests/driver_process.h"
#include "tests/support/catch.h"

namespace fake_tests {
namespace {

bool is_race(const std::string& said) {
  return said.find("nothing orders them") != std::string::npos;
}

/// %rd3: the thread's word of shared memory; %rd4: its neighbour's.
const std::string kShared =
    "mov.u64 %rd2, memory;\nmul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd3, %rd2, %rd5;\nxor.b32 %r3, "
    "%r1, 1;\n"
    "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd4, %rd2, %rd6;\n";
/// %rd7: the word of global memory at the thread's global index, with blocks of 2.
const std::string kGlobal =
    "mad.lo.u32 %r4, %r2, 2, %r1;\nmul.wide.u32 %rd8, %r4, 4;\nadd.u64 %rd7, %rd1, %rd8;\n";

}  // namespace

TEST_CASE("threads that exchange words of shared memory need a barrier", "[fake]") {
  const std::string write = kShared + "st.shared.u32 [%rd3], %r1;\n";
  const std::string read = "ld.shared.u32 %r5, [%rd4];\n";
  const std::string store = kGlobal + "st.global.u32 [%rd7], %r5;\n";
  const std::string without = run_kernel(write + read + store, 1, 2);
  CHECK(without.find(
            "thread 0 of block 0 reads what thread 1 of block 0 writes, and nothing orders them") !=
        std::string::npos);
  CHECK(run_kernel(write + "bar.sync 0;\n" + read + store, 1, 2) == "0: 1 0\n");
  // The barrier orders reads before it with writes after it, but not the other way round.
  CHECK(run_kernel(
            write + "bar.sync 0;\n" + read + "bar.sync 0;\nst.shared.u32 [%rd3], %r5;\n" + store, 1,
            2) == "0: 1 0\n");
  const std::string again =
      run_kernel(write + "bar.sync 0;\n" + read + "st.shared.u32 [%rd3], %r5;\n" + store, 1, 2);
  CHECK(is_race(again));
  CHECK_FALSE(is_race(run_kernel(write + read + store, 1, 2, "races=0")));
}

TEST_CASE(
    "a barrier of a warp orders its threads, a shuffle does not, and neither orders other warps",
    "[fake]") {
  // Thread 0 writes what another thread reads before.
  const auto code = [](int reader, const std::string& between) {
    return "setp.eq.u32 %p1, %r1, " + std::to_string(reader) +
           ";\nsetp.eq.u32 %p2, %r1, 0;\nmov.u32 %r5, 9;\n@%p1 ld.global.u32 %r3, [%rd1];\n" +
           between + "@%p2 st.global.u32 [%rd1], %r5;\n";
  };
  const std::string warp = "bar.warp.sync 0xffffffff;\n",
                    shuffle = "shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;\n";
  CHECK(run_kernel(code(1, warp), 1, 64) == "0: 9 0\n");
  CHECK(is_race(run_kernel(code(1, shuffle), 1, 64)));
  CHECK(is_race(run_kernel(code(40, warp), 1, 64)));
  CHECK(run_kernel(code(40, warp + "bar.sync 0;\n"), 1, 64) == "0: 9 0\n");
}

TEST_CASE("two writers of a word need synchronization, or the same value", "[fake]") {
  CHECK(is_race(run_kernel("st.global.u32 [%rd1], %r1;", 1, 2)));
  CHECK(is_race(run_kernel("st.global.u32 [%rd1], %r2;", 2, 1)));
  CHECK(run_kernel("mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;", 2, 2) == "0: 7 0\n");
  CHECK(run_kernel("mov.u32 %r3, 1;\nred.global.add.u32 [%rd1], %r3;", 4, 8) == "0: 32 0\n");
  CHECK(is_race(run_kernel(
      "mov.u32 %r3, 1;\nred.global.add.u32 [%rd1], %r3;\nst.global.u32 [%rd1], %r2;", 2, 1)));
  CHECK(run_kernel(kGlobal + "st.global.u32 [%rd7], %r4;", 2, 2) == "0: 0 1\n");
}

TEST_CASE("no barrier orders blocks", "[fake]") {
  const std::string write =
      "setp.eq.u32 %p1, %r2, 0;\nmov.u32 %r3, 5;\n@%p1 st.global.u32 [%rd1], %r3;\nbar.sync 0;\n";
  CHECK(is_race(run_kernel(write + "@!%p1 ld.global.u32 %r5, [%rd1];", 2, 1)));
  // The reader comes first.
  CHECK(is_race(run_kernel(write + "@!%p1 ld.global.u32 %r5, [%rd1];", 2, 1, "order=reversed")));
  CHECK_FALSE(is_race(run_kernel(write + "@!%p1 ld.global.u32 %r5, [%rd1+4];", 2, 1)));
}

TEST_CASE("blocks and threads run in the order that is set", "[fake]") {
  // The last write wins.
  const std::string block = "st.global.u32 [%rd1], %r2;", thread = "st.global.u32 [%rd1], %r1;";
  CHECK(run_kernel(block, 9, 1, "races=0") == "0: 8 0\n");
  CHECK(run_kernel(block, 9, 1, "races=0,order=reversed") == "0: 0 0\n");
  CHECK(run_kernel(thread, 1, 9, "races=0") == "0: 8 0\n");
  CHECK(run_kernel(thread, 1, 9, "races=0,order=reversed") == "0: 0 0\n");
  const std::string shuffled = run_kernel(block, 100, 1, "races=0,order=shuffled");
  CHECK(shuffled != "0: 99 0\n");
  CHECK(shuffled != "0: 0 0\n");
  // Each block runs once.
  CHECK(run_kernel("mov.u32 %r3, 1;\nred.global.add.u32 [%rd1], %r3;", 100, 1,
                   "races=0,order=shuffled") == "0: 100 0\n");
}

}  // namespace fake_tests
