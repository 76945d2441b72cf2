// Runs the tide program with files as its standard streams, so that a full pipe cannot block it.
#include "tests/interpreter/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace test {

std::string tide_program() {
  namespace fs = std::filesystem;
  if (fs::exists(TIDE_PROGRAM)) return TIDE_PROGRAM;
  return (fs::read_symlink("/proc/self/exe").parent_path() / "tide").string();
}

Outcome run_tide(const std::vector<std::string>& words, const std::string& input,
                 const std::string& folder) {
  const std::string program = tide_program();
  const TemporaryFolder streams;
  const std::string in = streams.write("in", input), out = streams.write("out", ""),
                    err = streams.write("err", "");
  const pid_t process = fork();
  if (process == 0) {
    dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY), STDERR_FILENO);
    std::vector<char*> arguments = {const_cast<char*>("tide")};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execv(program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process) {
    throw std::runtime_error("cannot run " + program);
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out),
          read_file(err)};
}

TemporaryFolder::TemporaryFolder() {
  char name[] = "/tmp/tide-test-XXXXXX";
  if (!mkdtemp(name)) throw std::runtime_error("cannot make a folder in /tmp");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace test
