// The history of the prompt: its file, and what a second session finds.
#include "interpreter/repl/history.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

using test::TemporaryFolder;
using tide::PromptHistory;
namespace fs = std::filesystem;

namespace {

/// A user's state folder, for the time of a test.
class StateFolder {
 public:
  StateFolder() { setenv("XDG_STATE_HOME", folder_.path().c_str(), 1); }
  ~StateFolder() { unsetenv("XDG_STATE_HOME"); }
  StateFolder(const StateFolder&) = delete;

  std::string path() const { return folder_.path() + "/tide/history"; }
  std::string text() const { return test::read_file(path()); }
  /// Writes a file of the numbers first to last, one a line.
  void write_numbers(int first, int last) const {
    fs::create_directory(folder_.path() + "/tide");
    std::string text;
    for (int i = first; i <= last; ++i) text += std::to_string(i) + "\n";
    folder_.write("tide/history", text);
  }

 private:
  TemporaryFolder folder_;
};

unsigned mode_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

using Entries = std::vector<std::string>;

}  // namespace

TEST_CASE("the history is for its user alone", "[history]") {
  const StateFolder state;
  const mode_t before = umask(0);
  PromptHistory().add("secret = 1");
  umask(before);
  CHECK(mode_of(state.path()) == 0600);
  CHECK(mode_of(fs::path(state.path()).parent_path()) == 0700);
}

TEST_CASE("a session begins with the entries of those before", "[history]") {
  const StateFolder state;
  CHECK(PromptHistory().entries().empty());
  const Entries entries = {"x = 1 \\ 2", "for i = 1, 2 do\n  print(i)\nend", "print '\\n'", "x"};
  {
    PromptHistory first;
    for (const std::string& entry : entries) first.add(entry);
  }
  CHECK(PromptHistory().entries() == entries);
}

TEST_CASE("a repetition of the last entry is not kept", "[history]") {
  const StateFolder state;
  {
    PromptHistory first;
    for (const char* entry : {"a", "a", "b", "a", "a"}) first.add(entry);
  }
  PromptHistory second;  // what the session before ended with counts too
  second.add("a");
  second.add("c");
  CHECK(state.text() == "a\nb\na\nc\n");
}

TEST_CASE("a history of more than 4000 entries is cut to the last 2000", "[history]") {
  const StateFolder state;
  state.write_numbers(1, 4000);
  CHECK(PromptHistory().entries().size() == 4000);
  CHECK(state.text().starts_with("1\n"));
  state.write_numbers(1, 4001);
  PromptHistory history;
  CHECK(history.entries().size() == 2000);
  CHECK(history.entries().front() == "2002");
  CHECK(history.entries().back() == "4001");
  CHECK(state.text().starts_with("2002\n2003\n"));
  CHECK(mode_of(state.path()) == 0600);
  history.add("4001");
  history.add("last");
  CHECK(PromptHistory().entries().back() == "last");
  CHECK(PromptHistory().entries().size() == 2001);
  // Nothing is left beside it.
  const auto files = fs::directory_iterator(fs::path(state.path()).parent_path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("without a place for a history the prompt has an empty one", "[history]") {
  setenv("XDG_STATE_HOME", "/dev/null", 1);
  PromptHistory history;
  history.add("x");
  CHECK(history.entries().empty());
  unsetenv("XDG_STATE_HOME");
}
