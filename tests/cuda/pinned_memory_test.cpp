// The host's memory that the driver pins.

#include "tests/cuda/device_run.h"
#include "tests/support/catch.h"

namespace tide::test {

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

}  // namespace tide::test
