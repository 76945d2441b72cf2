// Replaced files: at once or not at all, whatever the path names and whichever process is killed
// meanwhile.
#include "runtime/os/file_replacement.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "runtime/types/error.h"
#include "tests/runtime/io/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

namespace fs = std::filesystem;

/// The process has the rights of an ordinary user, and the folder is that user's, for the time of a
/// test. False where root, who may write everything, cannot become another user.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const TemporaryFolder& folder) {
    if (geteuid() != 0) return;
    changed_ = chown(folder.file("").c_str(), kUnprivileged, kUnprivileged) == 0 &&
               seteuid(kUnprivileged) == 0;
    ordinary_ = changed_;
  }
  ~OrdinaryUser() {
    if (changed_ && seteuid(0) != 0) std::abort();
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  explicit operator bool() const { return ordinary_; }

 private:
  static constexpr uid_t kUnprivileged = 65534;
  bool changed_ = false, ordinary_ = true;
};

/// From now on the process finds no file system that has files without a name.
void forbid_files_without_name() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(99);
}

/// How a child process ends that does this, with or without files that have no name. Its exit
/// status is 0 if `work` returns true.
template <class Work>
int run_child(bool without_name, Work work) {
  const pid_t process = fork();
  if (process == 0) {
    if (!without_name) forbid_files_without_name();
    bool well = false;
    try {
      well = work();
    } catch (const std::exception&) {
    }
    _exit(well ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

bool was_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

mode_t mode_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

}  // namespace

TEST_CASE("a file is replaced at once, and only by commit", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  put(path, "old");
  {
    FileReplacement file(path);
    file.write("half");
    CHECK(contents(path) == "old");
  }
  CHECK(contents(path) == "old");
  replace_file(path, "new");
  CHECK(contents(path) == "new");
  CHECK(folder.count() == 1);
}

TEST_CASE("a process that is killed while it writes leaves nothing for long", "[os]") {
  const bool without_name = GENERATE(true, false);
  CAPTURE(without_name);
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  put(path, "old");
  for (int i = 0; i < 5; ++i) {
    CHECK(was_killed(run_child(without_name, [&] {
      FileReplacement first(path), second(path);
      first.write("half");
      raise(SIGKILL);
      return false;
    })));
    // Where files have names, those of one dead process: two, each time.
    CHECK(folder.count() == (without_name ? 1 : 3));
    CHECK(contents(path) == "old");
  }
  CHECK(run_child(without_name, [&] { return replace_file(path, "new"), true; }) == 0);
  CHECK(contents(path) == "new");
  CHECK(folder.count() == 1);
}

TEST_CASE("the files of writers that live stay", "[os]") {
  const bool without_name = GENERATE(true, false);
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  const int status = run_child(without_name, [&] {
    FileReplacement first(path), second(path);
    first.write("first");
    second.write("second");
    replace_file(path, "third");
    if (contents(path) != "third") return false;
    first.commit();
    if (contents(path) != "first") return false;
    second.commit();
    return contents(path) == "second";
  });
  CHECK(status == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("many threads and processes may replace one file", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  const auto write_often = [&] {
    for (int i = 0; i < 50; ++i)
      replace_file(path, std::string(1000, static_cast<char>('a' + i % 26)));
    return true;
  };
  const bool without_name = GENERATE(true, false);
  const int status = run_child(without_name, [&] {
    std::array<std::thread, 4> threads;
    for (auto& thread : threads) thread = std::thread(write_often);
    for (auto& thread : threads) thread.join();
    const std::string text = contents(path);
    return text == std::string(1000, text[0]);
  });
  CHECK(status == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("a full disk leaves the old file alone", "[os]") {
  const bool without_name = GENERATE(true, false);
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  put(path, "old");
  const int status = run_child(without_name, [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &little) != 0) return false;
    try {
      replace_file(path, std::string(5000, 'x'));
    } catch (const FileError& error) {
      return error.what() == path + ": cannot be written: File too large";
    }
    return false;
  });
  CHECK(status == 0);
  CHECK(contents(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a replaced file keeps its mode and owner, a new one gets the usual", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  put(path, "old");
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  const bool is_root = geteuid() == 0;
  if (is_root) REQUIRE(chown(path.c_str(), 1234, 4321) == 0);
  replace_file(path, "new");
  CHECK((mode_of(path) & 07777) == 0640);
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK(status.st_uid == (is_root ? 1234 : geteuid()));
  CHECK(status.st_gid == (is_root ? 4321 : getegid()));
  const mode_t mask = umask(027);
  replace_file(folder.file("b"), "new");
  umask(mask);
  CHECK((mode_of(folder.file("b")) & 07777) == 0640);
}

TEST_CASE("a file that may not be written is not replaced", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  put(path, "old");
  chmod(path.c_str(), 0444);
  const OrdinaryUser user(folder);
  if (!user) return ::test::skip("root may write everything, and cannot become another user");
  CHECK_THROWS_WITH(replace_file(path, "new"),
                    Catch::Matchers::ContainsSubstring("Permission denied"));
  CHECK(contents(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("links stay, and what they point to is replaced", "[os]") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("below"));
  put(folder.file("below/a"), "old");
  fs::create_symlink("below/a", folder.file("link"));
  fs::create_symlink("link", folder.file("link of link"));
  fs::create_symlink("below/new", folder.file("dangling"));
  replace_file(folder.file("link of link"), "new");
  replace_file(folder.file("dangling"), "made");
  CHECK(contents(folder.file("below/a")) == "new");
  CHECK(contents(folder.file("below/new")) == "made");
  for (const char* name : {"link", "link of link", "dangling"})
    CHECK(fs::is_symlink(folder.file(name)));
  CHECK(folder.count() == 4);
  fs::create_symlink("circle", folder.file("circle"));
  CHECK_THROWS_WITH(replace_file(folder.file("circle"), ""),
                    Catch::Matchers::ContainsSubstring("Too many levels of symbolic links"));
}

TEST_CASE("a folder is refused, and so is one that is not there", "[os]") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("b"));
  for (const char* name : {"b", "b/", "none/a", "none/"})
    CHECK_THROWS_WITH(
        replace_file(folder.file(name), "x"),
        Catch::Matchers::ContainsSubstring(std::string(name) + ": cannot be written: "));
  CHECK_THROWS_WITH(replace_file("", "x"),
                    Catch::Matchers::ContainsSubstring("No such file or directory"));
  CHECK(fs::is_directory(folder.file("b")));
}

TEST_CASE("a device stays a device", "[os]") {
  const TemporaryFolder folder;
  // An own one: a failure of this test as root must not cost the machine its /dev/null.
  std::string path = folder.file("null");
  if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) {
    if (geteuid() == 0) return ::test::skip("no device can be made here");
    path = "/dev/null";
  }
  replace_file(path, "gone");
  CHECK(S_ISCHR(mode_of(path)));
  fs::create_symlink(path, folder.file("link"));
  replace_file(folder.file("link"), "gone");
  CHECK(S_ISCHR(mode_of(path)));
}

TEST_CASE("a pipe is written to, all at the end", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = contents(path); });
  const std::string text(300000, 'x');
  replace_file(path, text);
  reader.join();
  CHECK(got == text);
  CHECK(S_ISFIFO(mode_of(path)));
}

TEST_CASE("a reader that has gone is an error, not the end of the process", "[os]") {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  close(pipe_ends[0]);
  CHECK_THROWS_WITH(replace_file("/dev/fd/" + std::to_string(pipe_ends[1]), "x"),
                    Catch::Matchers::EndsWith("cannot be written: Broken pipe"));
  close(pipe_ends[1]);
}

TEST_CASE("an own descriptor goes on where it is", "[os]") {
  const TemporaryFolder folder;
  const Descriptor file(open(folder.file("a").c_str(), O_RDWR | O_CREAT, 0600));
  REQUIRE(::write(file, "before ", 7) == 7);
  replace_file("/dev/fd/" + std::to_string(file), "after");
  CHECK(contents(folder.file("a")) == "before after");
}

TEST_CASE("a name of the greatest length can be replaced", "[os]") {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  replace_file(path, "long");
  CHECK(contents(path) == "long");
  CHECK(folder.count() == 1);
}

}  // namespace tide::test
