// Pinned host memory.

#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

/// Whether each result that a script fetches from the device is in pinned memory: "+" or "-".
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

TEST_CASE("released pinned memory is pageable again", "[cuda]") {
  cuda::CudaDeviceBackend& device = cuda_device();
  // The C library reuses the addresses, which a driver pins only once at a time.
  int handed_out_again = 0;
  for (const size_t bytes : {size_t{1} << 12, size_t{1} << 16, size_t{1} << 20, size_t{1} << 24}) {
    void* const first = device.allocate(bytes, DeviceBackend::Memory::pinned_host);
    REQUIRE(first);
    device.release(first, bytes, DeviceBackend::Memory::pinned_host);
    void* const second = device.allocate(bytes, DeviceBackend::Memory::pinned_host);
    REQUIRE(second);
    handed_out_again += second == first;
    device.release(second, bytes, DeviceBackend::Memory::pinned_host);
  }
  CHECK(handed_out_again > 0);
}

TEST_CASE("values that are fetched repeatedly are in pinned memory", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 8 do fetch_and_drop() end") == "---+++++");
}

TEST_CASE("a quarter of values that are fetched once and kept is pinned", "[cuda][fake]") {
  CHECK(fetched("local kept = {} for i = 1, 12 do kept[i] = fetch() end") == "---+---+---+");
}

TEST_CASE("small values are not pinned automatically", "[cuda][fake]") {
  CHECK(fetched("local small = tide.ones(1000, {device = 'cuda'})\n"
                "for _ = 1, 6 do fetch_and_drop(small) end") == "------");
}

TEST_CASE("the cpu's cache releases pinned blocks", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 5 do fetch_and_drop() end\n"
                "tide.empty_cache 'cpu'\n"
                "for _ = 1, 5 do fetch_and_drop() end") == "---++---++");
}

TEST_CASE("a copy to pinned memory has the value at the time of the request", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 4 do fetch_and_drop() end\n"
                "local y = there:to('cpu', {non_blocking = true})\n"
                "there:zero_()\n"
                "assert(y:is_pinned() and y:equal(expected))\n"
                "local z = there:to('cpu', {non_blocking = true})\n"
                "y:add_(1)\n"
                "assert(y:equal(expected + 1) and z:sum():item() == 0)") == "---+");
}

TEST_CASE("values are fetched even if nothing can be pinned", "[cuda][fake]") {
  CHECK(fetched("for _ = 1, 6 do fetch_and_drop() end", "pin_error=800") == "------");
}

}  // namespace tide::test
