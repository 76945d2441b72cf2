#include "tests/cuda/environment.h"

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

bool is_tagged_fake = false;

struct TagListener : Catch::EventListenerBase {
  using Catch::EventListenerBase::EventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    is_tagged_fake = info.tagsAsString().find("[fake]") != std::string::npos;
  }
};
CATCH_REGISTER_LISTENER(TagListener)

}  // namespace

Environment::Environment(std::initializer_list<std::pair<const char*, std::string>> variables) {
  for (const auto& [name, value] : variables) {
    if (value == TIDE_FAKE_DRIVER && !is_tagged_fake)
      FAIL("a test on the fake driver is not tagged [fake]");
    const char* before = std::getenv(name);
    before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
    setenv(name, value.c_str(), 1);
  }
}

Environment::~Environment() {
  for (const auto& [name, value] : before_) {
    if (value)
      setenv(name, value->c_str(), 1);
    else
      unsetenv(name);
  }
}

std::string run_with(const std::string& settings, const std::string& script,
                     const std::string& blas) {
  const Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                                 {"TIDE_FAKE_CUDA", settings},
                                 {"TIDE_FAKE_BLAS", blas}});
  const auto outcome = ::test::run_tide({"-e", script});
  return outcome.out + outcome.err;
}

}  // namespace tide::test
