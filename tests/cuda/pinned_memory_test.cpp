// The host's memory that the driver pins.

#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

/// Whether what a script fetches from the device lies in pinned memory, result by result: "+" or
/// "-".
std::string fetched(const std::string& script, const std::string& settings = "") {
  return run_with(settings, R"(
local expected = tide.arange(1 << 19):to("float32")
local there = expected:cuda()
local function fetch(x)
  local y = (x or there):cpu()
  assert(x or y:equal(expected))
  io.write(y:is_pinned() and "+" or "-")
  return y
end
local function fetch_and_drop(x)
  fetch(x)
  collectgarbage()
end
)" + script);
}

}  // namespace

TEST_CASE("memory that was pinned is ordinary again once it is given back", "[cuda]") {
  cuda::CudaBackend& backend = cuda_backend();
  // The C library hands out the same places again, which a driver pins only once at a time.
  int handed_out_again = 0;
  for (const size_t bytes : {size_t{1} << 12, size_t{1} << 16, size_t{1} << 20, size_t{1} << 24}) {
    void* const first = backend.allocate_host(bytes);
    REQUIRE(first);
    backend.release_host(first, bytes);
    void* const second = backend.allocate_host(bytes);
    REQUIRE(second);
    handed_out_again += second == first;
    backend.release_host(second, bytes);
  }
  CHECK(handed_out_again > 0);
}

TEST_CASE("what is fetched again and again lands in pinned memory", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 8 do fetch_and_drop() end") == "---+++++");
}

TEST_CASE("of values that are fetched once and kept a quarter is pinned", "[cuda][fake]") {
  CHECK(fetched("local kept = {} for i = 1, 12 do kept[i] = fetch() end") == "---+---+---+");
}

TEST_CASE("small values are never pinned unasked", "[cuda][fake]") {
  CHECK(fetched("local small = tide.ones(1000, {device = 'cuda'})\n"
                "for _ = 1, 6 do fetch_and_drop(small) end") == "------");
}

TEST_CASE("the cpu's cache gives pinned blocks back", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 5 do fetch_and_drop() end\n"
                "tide.empty_cache 'cpu'\n"
                "for _ = 1, 5 do fetch_and_drop() end") == "---++---++");
}

TEST_CASE("what lands in pinned memory is the value of the moment it was asked for",
          "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 4 do fetch_and_drop() end\n"
                "local y = there:to('cpu', {non_blocking = true})\n"
                "there:zero_()\n"
                "assert(y:is_pinned() and y:equal(expected))\n"
                "local z = there:to('cpu', {non_blocking = true})\n"
                "y:add_(1)\n"
                "assert(y:equal(expected + 1) and z:sum():item() == 0)") == "---+");
}

TEST_CASE("where nothing can be pinned values are fetched all the same", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 6 do fetch_and_drop() end", "pin_error=800") == "------");
}

}  // namespace tide::test
