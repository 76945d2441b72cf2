// `tide test`: collects test files, runs each in a separate process and reports the results.
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/test/junit.h"
#include "interpreter/test/process.h"
#include "interpreter/test/test_result.h"
#include "interpreter/test/watch.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

constexpr char kDefaultPath[] = "tests/scripts";
constexpr char kTestSuffix[] = "_test.lua";
constexpr char kSpecSuffix[] = "_spec.lua";  ///< as in busted
constexpr char kProgramName[] = "runner.lua";

struct Options {
  Words paths;
  Words worker_words;  ///< options passed to the test processes
  Words devices;
  std::string junit;
  std::string selection;  ///< the options that select tests, as they were given
  bool list = false, watch = false;
  // Each test process uses a thread pool: two pools on the same cores slow each other down.
  int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  double timeout = 300;
};

Options read_options(const Words& words) {
  Options options;
  OptionReader reader(words);
  while (reader.next()) {
    if (auto filter = reader.value("--filter")) {
      options.worker_words.insert(options.worker_words.end(), {"--filter", *filter});
      options.selection += " --filter '" + *filter + "'";
    } else if (auto tag = reader.value("--tag")) {
      options.worker_words.insert(options.worker_words.end(), {"--tag", *tag});
      options.selection += " --tag '" + *tag + "'";
    } else if (auto device = reader.value("--device")) {
      options.worker_words.insert(options.worker_words.end(), {"--device", *device});
      options.devices.push_back(*device);
    } else if (auto jobs = reader.number("--jobs", 1, 1000)) {
      options.jobs = static_cast<int>(*jobs);
    } else if (auto timeout = reader.number("--timeout", 1)) {
      options.timeout = static_cast<double>(*timeout);
    } else if (auto junit = reader.value("--junit")) {
      options.junit = *junit;
    } else if (reader.flag("--list")) {
      options.list = true;
      options.worker_words.push_back("--list");
    } else if (reader.flag("--watch")) {
      options.watch = true;
      options.worker_words.push_back("--report-loaded");
    } else if (reader.is_option()) {
      reader.refuse();
    } else {
      options.paths.push_back(reader.word());
    }
  }
  if (options.paths.empty()) options.paths.push_back(kDefaultPath);
  return options;
}

/// A test file, or a program that prints its own counts.
struct TestFile {
  std::string path;
  bool is_program = false;
};

bool is_test_name(const std::string& name) {
  return name.ends_with(kTestSuffix) || name.ends_with(kSpecSuffix);
}

/// The test files below a path, sorted; a file named explicitly may have any name.
std::vector<TestFile> collect(const std::string& path) {
  if (!fs::exists(path)) throw UsageError{"test: no file or folder '" + path + "'"};
  if (!fs::is_directory(path)) return {{path}};
  const fs::path program = fs::path(path) / kProgramName;
  if (fs::exists(program)) return {{program.string(), true}};
  std::vector<TestFile> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    const std::string name = entry.path().string();
    if (entry.is_regular_file() && is_test_name(name)) files.push_back({name});
  }
  if (files.empty())
    throw UsageError{"test: no *" + std::string(kTestSuffix) + " or *" + kSpecSuffix + " below '" +
                     path + "'"};
  std::sort(files.begin(), files.end(),
            [](const TestFile& a, const TestFile& b) { return a.path < b.path; });
  return files;
}

ProcessStart start_of(const TestFile& file, const Options& options) {
  if (file.is_program) {
    ProcessStart start{{file.path}, true};
    if (!options.devices.empty()) {
      start.words.insert(start.words.end(), {"--device", options.devices.back()});
    }
    return start;
  }
  ProcessStart start{{"--test-worker", file.path}};
  start.words.insert(start.words.end(), options.worker_words.begin(), options.worker_words.end());
  return start;
}

/// The reason why a process failed regardless of its tests; empty if it did not.
std::string trouble(const ProcessEnd& end, bool complete) {
  if (end.timed_out) return "ran longer than " + std::to_string(int(end.seconds)) + " s";
  if (end.signal) return std::string("ended by signal SIG") + sigabbrev_np(end.signal);
  if (end.exit_status != 0) return "exit status " + std::to_string(end.exit_status);
  return complete ? "" : "the process ended before its tests";
}

/// The number before a word in a line, 0 if absent.
int number_before(std::string_view line, std::string_view word) {
  const size_t end = line.find(word);
  if (end == std::string_view::npos) return 0;
  const size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  return std::atoi(std::string(line.substr(begin, end - begin)).c_str());
}

/// Parses the counts in the last line of a test program: "12 passed 1 failed 3 not there yet".
void read_counts(FileResult& file) {
  std::string_view line = file.output;
  while (line.ends_with('\n')) line.remove_suffix(1);
  line = line.substr(line.rfind('\n') + 1);  // 0 if it is the only line
  const auto add = [&](std::string_view word, const TestResult& result) {
    file.tests.insert(file.tests.end(), number_before(line, word), result);
  };
  add(" passed", {"a case", "passed", "", 0});
  add(" failed", {"a case", "failed", "see the program's output", 0});
  add(" not there yet", {"a case", "pending", "", 0});
}

/// Moves the reports of loaded files to `file.loaded`.
void take_loaded(FileResult& file) {
  for (const TestResult& result : file.tests)
    if (result.status == "loaded") file.loaded.push_back(result.name);
  std::erase_if(file.tests, [](const TestResult& result) { return result.status == "loaded"; });
}

FileResult result_of(const TestFile& test, const ProcessEnd& end, const Options& options) {
  FileResult file{test.path, {}, end.output, end.seconds, {}};
  bool complete = true;
  if (test.is_program) {
    read_counts(file);
  } else {
    file.tests = decode(end.report, complete);
    take_loaded(file);
  }
  const std::string reason = trouble(end, complete);
  // A program's exit status 1 only repeats its counts.
  const bool reported = test.is_program && end.exit_status == 1 && file.count("failed") > 0;
  if (!reason.empty() && !reported) file.tests.push_back({"the process", "failed", reason, 0});
  if (file.tests.empty() && (test.is_program || options.selection.empty()))
    file.tests.push_back({"the file", "failed", "contains no tests", 0});
  return file;
}

std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    text.insert(at + 1, "    ");
  }
  return "    " + text;
}

void print_failures(const FileResult& file) {
  for (const TestResult& test : file.tests) {
    if (test.status != "failed") continue;
    std::printf("FAILED %s: %s\n%s\n", file.path.c_str(), test.name.c_str(),
                indented(test.message).c_str());
  }
  if (file.output.empty()) return;
  std::printf("  it printed:\n%s\n", indented(file.output).c_str());
}

/// Prints results file by file.
class Progress {
 public:
  explicit Progress(size_t files) : files_(files), on_terminal_(isatty(STDOUT_FILENO)) {}

  void add(const FileResult& file, bool is_program) {
    ++ended_;
    passed_ += file.count("passed");
    failed_ += file.count("failed");
    pending_ += file.count("pending");
    clear_line();
    std::printf("%s: %d passed, %d failed (%.2f s)\n", file.path.c_str(), file.count("passed"),
                file.count("failed"), file.seconds);
    if (file.count("failed") > 0 && !is_program) print_failures(file);
    if (on_terminal_ && ended_ < files_) {
      std::printf("[%zu/%zu] %d passed, %d failed", ended_, files_, passed_, failed_);
    }
    std::fflush(stdout);
  }

  /// The last line, which tools parse.
  void print_total() const {
    std::printf("%d passed, %d failed", passed_, failed_);
    if (pending_ > 0) std::printf(", %d skipped", pending_);
    std::puts("");
  }

 private:
  void clear_line() const {
    if (on_terminal_) std::fputs("\r\033[K", stdout);
  }

  size_t files_, ended_ = 0;
  int passed_ = 0, failed_ = 0, pending_ = 0;
  bool on_terminal_;
};

void print_names(const std::vector<FileResult>& results) {
  for (const FileResult& file : results) {
    if (file.count("failed") > 0) print_failures(file);
    for (const TestResult& test : file.tests) {
      if (test.status != "listed") continue;
      std::printf("%s: %s\n", file.path.c_str(), test.name.c_str());
    }
  }
}

/// Runs all files below the paths once and sets `results`. Returns the exit status.
int run_all(const Options& options, std::vector<FileResult>& results) {
  std::vector<TestFile> files;
  std::vector<ProcessStart> starts;
  for (const std::string& path : options.paths) {
    for (TestFile& file : collect(path)) {
      if (options.list && file.is_program) continue;
      starts.push_back(start_of(file, options));
      files.push_back(std::move(file));
    }
  }
  results.assign(files.size(), {});
  Progress progress(files.size());
  run_processes(starts, options.jobs, options.timeout, [&](size_t index, const ProcessEnd& end) {
    results[index] = result_of(files[index], end, options);
    if (!options.list) progress.add(results[index], files[index].is_program);
  });
  const bool none = std::all_of(results.begin(), results.end(),
                                [](const FileResult& file) { return file.tests.empty(); });
  if (options.list) print_names(results);
  if (!options.junit.empty()) write_junit(options.junit, results);
  if (!options.list) progress.print_total();
  if (none) std::fprintf(stderr, "tide: test: no test matches%s\n", options.selection.c_str());
  const bool failed = std::any_of(results.begin(), results.end(),
                                  [](const FileResult& file) { return file.count("failed") > 0; });
  return none || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/// Runs everything again whenever a file below the paths or loaded by the tests changes, until
/// Ctrl-C.
[[noreturn]] void run_and_watch(const Options& options) {
  for (;;) {
    const FileStates before = look_at(options.paths);
    std::vector<FileResult> results;
    try {
      run_all(options, results);
    } catch (const UsageError& error) {
      std::fprintf(stderr, "tide: %s\n", error.message.c_str());
    }
    std::vector<std::string> watched = options.paths;
    for (const FileResult& file : results)
      watched.insert(watched.end(), file.loaded.begin(), file.loaded.end());
    FileStates known = look_at(watched);
    // A source file that changed during the run was edited; other files are output of the tests.
    for (const auto& [path, state] : before)
      if (path.ends_with(".lua")) known[path] = state;
    std::printf("watching %zu files; Ctrl-C ends\n", known.size());
    std::fflush(stdout);
    std::printf("\n%s has changed\n", wait_for_change(watched, known).c_str());
  }
}

}  // namespace

int test_command(const Words& words) {
  const Options options = read_options(words);
  if (options.watch) run_and_watch(options);
  std::vector<FileResult> results;
  return run_all(options, results);
}

}  // namespace tide
