// The entry of every C++ test program. A name or tag that no test has is a failure.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/support/skip.h"

int main(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings = Catch::WarnAbout::NoTests;
  const int status = session.run(argc, argv);
  test::print_skipped();
  return status;
}
