// The entry of every C++ test program. A name or tag that no test has is a failure.
#define CATCH_CONFIG_RUNNER

#include "tests/support/catch.h"
#include "tests/support/skip.h"

int main(int argc, char** argv) {
  Catch::Session session;
#if CATCH_VERSION_MAJOR < 3  // of 3 that is the rule
  session.configData().warnings = Catch::WarnAbout::NoTests;
#endif
  const int status = session.run(argc, argv);
  test::print_skipped();
  return status;
}
