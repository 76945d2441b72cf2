// `tide smi dmon` at a terminal and elsewhere.
#include <string>

#include "tests/interpreter/command.h"
#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

constexpr char kSmiHead[] =
    "# gpu  pwr W temp C   sm %  mem % mclk MHz pclk MHz    used MB   queue\n";

}  // namespace

TEST_CASE("a terminal shows the devices' chart, redrawn in place", "[terminal]") {
  test::Terminal terminal({"smi", "dmon", "3", "--chart"});
  const std::string shown = terminal.read_until("▁▁▁");
  CHECK_THAT(shown, ContainsSubstring("cpu     use ") && ContainsSubstring("        memory ") &&
                        ContainsSubstring("        queue ") && !ContainsSubstring("# gpu"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("without cursor control, the chart is printed as lines", "[terminal]") {
  const auto outcome = test::run_tide({"smi", "dmon", "--chart", "1"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, StartsWith(std::string(kSmiHead) + "  cpu "));
  test::Terminal terminal({"-e", "os.execute [[TERM=dumb '" TIDE_PROGRAM "' smi dmon 1 --chart]] "
                                 "print 'that was all'"});
  CHECK_THAT(terminal.read_until("that was all"), ContainsSubstring("# gpu  pwr W") &&
                                                      ContainsSubstring("  cpu ") &&
                                                      !ContainsSubstring("▁"));
  CHECK(terminal.wait() == 0);
}
