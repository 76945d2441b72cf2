// Copies between devices: direct with peer access, otherwise through the host.
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

/// The fake driver's report on a script's copies, with the settings `fake`, and the script's
/// errors.
std::string report_of(const std::string& script, const std::string& fake) {
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "report_peers=1" + fake}});
  const ::test::TemporaryFolder folder;
  return ::test::run_tide({folder.write("copies.lua", script)}).err;
}

std::string copies(int all, int through_host) {
  return "fake driver: " + std::to_string(all) + " copies between devices, " +
         std::to_string(through_host) + " through the host\n";
}

/// Four copies by several streams, of results that are still being computed when the copy is
/// queued.
const std::string kRoundTrip = R"(
  local x = tide.randn(300, 70)
  local y = x:to("cuda:0") + 1
  for _ = 1, 2 do
    y = y:to("cuda:1") + 1
    local stream = tide.Stream("cuda:0")
    tide.stream(stream, function() y = y:to("cuda:0") + 1 end)
  end
  assert(y:cpu():allclose(x + 5))
)";

}  // namespace

TEST_CASE("devices with peer access copy directly", "[fake]") {
  CHECK(report_of(kRoundTrip, "") == copies(4, 0));
  CHECK(report_of("local y = tide.ones(3, {device = 'cuda:2'}):to('cuda:1'):to('cuda:0')\n"
                  "assert(y:sum():item() == 3)",
                  ",devices=3") == copies(2, 0));
}

TEST_CASE("copies are right without peer access", "[fake]") {
  CHECK(report_of(kRoundTrip, ",peers=0") == copies(4, 4));
  CHECK(report_of(kRoundTrip, ",peers=2") == copies(4, 4));
}

TEST_CASE("the log reports how devices copy to each other", "[fake]") {
  const Environment log({{"TIDE_LOG", "1"}});
  CHECK(report_of(kRoundTrip, "").find("cuda:1 and cuda:0 copy to each other directly\n") !=
        std::string::npos);
  CHECK(report_of(kRoundTrip, ",peers=0")
            .find("cuda:1 and cuda:0 copy to each other through the host\n") != std::string::npos);
}

}  // namespace tide::test
