// Threads of a warp that diverge and reconverge, and errors of single threads in the fake driver.

#include "tests/cuda/fake_tests/driver_process.h"
#include "tests/support/catch.h"

namespace fake_tests {
namespace {

/// Adds %r3 to the first word of memory.
const std::string kAdd = "red.global.add.u32 [%rd1], %r3;\n";

/// Runs code only in the threads from 5 on; the others wait after it.
std::string in_some(const std::string& code) {
  return "setp.lt.u32 %p1, %r1, 5;\n@%p1 bra $after;\n" + code + "$after:\n";
}

bool says(const std::string& said, const std::string& problem) {
  return said.find("tried: " + problem) != std::string::npos && said.find("\n700: ") != said.npos;
}

}  // namespace

TEST_CASE("threads of a warp run loops of different lengths, and reconverge", "[fake]") {
  // Thread i counts to i, then gets its neighbour's count.
  const std::string count =
      "mov.u32 %r3, 0;\n$again:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra $done;\n"
      "add.u32 %r3, %r3, 1;\nbra $again;\n$done:\n";
  const std::string neighbour = "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\n";
  const std::string check =
      "xor.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r4, %r5;\nselp.u32 %r3, 1, 0, %p2;\n";
  CHECK(run_kernel(count + kAdd, 1, 37) == "0: 666 0\n");
  for (const char* order : {"", "order=reversed", "order=shuffled"})
    CHECK(run_kernel(count + neighbour + check + kAdd, 2, 64, order) == "0: 128 0\n");
}

TEST_CASE("both sides of a branch run, and each thread keeps its results", "[fake]") {
  const std::string ways =
      "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra $few;\nmov.u32 %r3, 1;\nbra $join;\n$few:\n"
      "mov.u32 %r3, 100;\n$join:\n";
  CHECK(run_kernel(ways + kAdd, 1, 32) == "0: 725 0\n");
  CHECK(run_kernel("setp.ge.u32 %p1, %r1, 7;\nmov.u32 %r3, 100;\n@%p1 mov.u32 %r3, 1;\n" + kAdd, 1,
                   32) == "0: 725 0\n");
  // Some threads exit, the others continue.
  CHECK(run_kernel("setp.lt.u32 %p1, %r1, 7;\n@%p1 ret;\nbar.sync 0;\nmov.u32 %r3, 1;\n" + kAdd, 1,
                   70) == "0: 63 0\n");
}

TEST_CASE("an error of one thread ends the launch", "[fake]") {
  const std::string place = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n";
  const auto global = [&](const std::string& offset) {
    return run_kernel(place + in_some("ld.global.u32 %r3, [%rd3" + offset + "];\n"), 1, 32);
  };
  CHECK(global("+3968") == "0: 0 0\n");
  CHECK(says(global("+3972"), "an illegal memory access (line "));
  CHECK(says(global("-21"), "an address is not aligned (line "));
  CHECK(says(run_kernel(place + in_some("st.global.v2.u32 [%rd3], {%r1, %r1};\n"), 1, 8),
             "an address is not aligned (line "));
  const auto shared = [&](const std::string& access) {
    return run_kernel(
        "mov.u64 %rd4, memory;\nmul.wide.u32 %rd2, %r1, 4;\n"
        "add.u64 %rd3, %rd4, %rd2;\n" +
            in_some(access),
        1, 32);
  };
  CHECK(shared("st.shared.u32 [%rd3+3968], %r1;\n") == "0: 0 0\n");
  CHECK(says(shared("st.shared.u32 [%rd3+3972], %r1;\n"), "an address is outside of its memory"));
  CHECK(says(shared("st.shared.u64 [%rd3], %rd1;\n"), "an address is not aligned"));
  CHECK(says(run_kernel(in_some("trap;\n"), 1, 32), "a kernel has trapped"));
  CHECK(says(run_kernel(in_some("activemask.b32 %r3;\n"), 1, 32), "activemask depends on"));
}

TEST_CASE("a shuffle waits for all threads of its mask at the same instruction", "[fake]") {
  const std::string all = "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n";
  const std::string others = "shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffffffe0;\n";
  CHECK(says(run_kernel(in_some(all) + all, 1, 32), "threads of a warp wait for each other"));
  CHECK(says(run_kernel(in_some(all) + "bar.sync 0;\n", 1, 32), "threads of a warp wait for"));
  CHECK(says(run_kernel(others, 1, 32), "a thread takes part in an exchange that does not name"));
  CHECK(says(run_kernel(in_some(others), 1, 32), "a shuffle reads a thread that takes no part"));
  CHECK(run_kernel(in_some("vote.sync.ballot.b32 %r3, %p1, 0xffffffe0;\n" + kAdd), 1, 32) ==
        "0: 0 0\n");
}

}  // namespace fake_tests
