// The sandbox's kernel filters, without tide's own checks.
#include "interpreter/run/kernel_filter.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

bool opens(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

/// The result of `check` in a filtered process; "lacking" if the kernel does not support filters.
std::string with_filters(const std::vector<std::string>& readable,
                         const std::vector<std::string>& writable,
                         const std::function<std::string()>& check) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t process = fork();
  if (process == 0) {
    const bool whole = tide::install_kernel_filters(readable, writable).empty();
    const std::string answer = whole ? check() : "lacking";
    [[maybe_unused]] const auto written = write(ends[1], answer.data(), answer.size());
    _exit(0);
  }
  close(ends[1]);
  std::string answer(4096, '\0');
  const ssize_t size = read(ends[0], answer.data(), answer.size());
  answer.resize(size > 0 ? static_cast<size_t>(size) : 0);
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? answer : "killed";
}

}  // namespace

TEST_CASE("the kernel blocks files, processes and sockets", "[sandbox]") {
  const test::TemporaryFolder readable, writable, other;
  const std::string read = readable.write("file", ""), kept = writable.write("file", ""),
                    secret = other.write("file", "");
  const std::string wrong = with_filters({readable.path()}, {writable.path()}, [&] {
    std::string wrong;
    const auto expect = [&](bool holds, const char* what) {
      if (!holds) wrong += std::string(what) + "\n";
    };
    expect(opens(read, O_RDONLY), "read");
    expect(!opens(read, O_WRONLY), "write what is readable");
    expect(!opens(read + "2", O_WRONLY | O_CREAT), "create where it is readable");
    expect(opens(kept, O_RDWR), "write");
    expect(opens(kept + "2", O_RDWR | O_CREAT | O_TRUNC), "create");
    expect(unlink(kept.c_str()) == 0, "remove");
    expect(!opens(secret, O_RDONLY), "read another's");
    expect(!opens(secret, O_WRONLY), "write another's");
    expect(unlink(secret.c_str()) != 0, "remove another's");
    expect(!opens(other.path() + "/new", O_WRONLY | O_CREAT), "create elsewhere");
    expect(opens("/usr", O_RDONLY | O_DIRECTORY) && opens("/dev/null", O_RDWR), "libraries");
    expect(std::system("true") != 0, "system");
    expect(fork() < 0, "fork");
    execl("/bin/true", "true", nullptr);  // would end this process without output
    expect(socket(AF_INET, SOCK_STREAM, 0) < 0 && socket(AF_UNIX, SOCK_STREAM, 0) < 0, "socket");
    bool ran = false;
    std::thread([&] {
      ran = true;
      expect(!opens(secret, O_RDONLY), "read another's on a thread");
    }).join();
    expect(ran, "thread");
    return wrong + "end";
  });
  if (wrong == "lacking")
    WARN("this kernel lacks Landlock or seccomp");
  else
    CHECK(wrong == "end");
}
