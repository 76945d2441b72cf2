// Files watched by `tide test --watch`.
#include "interpreter/test/watch.h"

#include <ctime>
#include <fstream>
#include <thread>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using test::TemporaryFolder;

/// The processor time of the calling thread in seconds.
double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TEST_CASE("hidden files and folders and editors' copies are not watched", "[watch]") {
  const TemporaryFolder folder;
  for (const char* name : {"/.hidden", "/.hidden/inside", "/seen"})
    std::filesystem::create_directory(folder.path() + name);
  for (const char* name : {".hidden/a.lua", ".hidden/inside/b.lua", ".c.lua", "seen/d.lua~"})
    folder.write(name, "");
  const std::string seen = folder.write("seen/e.lua", "text");
  const tide::FileStates states = tide::look_at({folder.path(), folder.path() + "/none"});
  REQUIRE(states.size() == 1);
  CHECK(states.begin()->first == seen);
  CHECK(states.begin()->second.second == 4);
}

TEST_CASE("waiting for a change takes almost no processor time", "[watch]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.lua", "");
  const tide::FileStates known = tide::look_at({folder.path()});
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::ofstream(path) << "changed";
  });
  const double begun = thread_seconds();
  CHECK(tide::wait_for_change({folder.path()}, known) == path);
  CHECK(thread_seconds() - begun < 0.1);
  writer.join();
}
