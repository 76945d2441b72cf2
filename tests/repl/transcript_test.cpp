// Types each tests/repl/*.keys at the prompt and compares all that the terminal shows with the
// approved *.txt beside it. With TIDE_APPROVE=1 in the environment the texts are written again.
//
// A line of keys is typed and ended with Enter; <Tab>, <Up>, <Ctrl-C> and <Ctrl-D> are keys, and a
// line that ends in one of the last two gets no Enter. Lines between <Paste> and <End> are pasted.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

namespace {

namespace fs = std::filesystem;

const std::pair<const char*, const char*> kKeys[] = {
    {"<Tab>", "\t"}, {"<Up>", "\x1b[A"}, {"<Ctrl-C>", "\x03"}, {"<Ctrl-D>", "\x04"}};

constexpr double kQuiet = 0.4;   ///< Seconds without output that mean: all keys are echoed.
constexpr double kAnswered = 3;  ///< Seconds that mean, where no prompt stands: there is no answer.

std::string keys_of(std::string line) {
  for (const auto& [name, key] : kKeys) {
    for (size_t at; (at = line.find(name)) != std::string::npos;) {
      line.replace(at, std::string(name).size(), key);
    }
  }
  return line;
}

/// Puts placeholders where runs differ: times with what is queued, addresses, the version.
std::string masked(const std::string& text) {
  std::string result =
      std::regex_replace(text, std::regex("\\[[0-9.e-]+ m?s(, [0-9]+ ops? queued)?"), "[TIME");
  result = std::regex_replace(result, std::regex("0x[0-9a-f]+"), "ADDRESS");
  return std::regex_replace(result, std::regex("tide [0-9.]+ \\(Lua [0-9.]+\\)"), "VERSION");
}

/// Types one line of keys once the prompt is there, and returns what was shown up to then.
std::string type_line(test::Terminal& terminal, const std::string& line) {
  std::string keys = keys_of(line);
  const bool control = keys.ends_with('\x03') || keys.ends_with('\x04');
  if (!control) {
    terminal.type(keys + "\n");
    return "";
  }
  // The terminal throws typed keys away at Ctrl-C: those before it must have arrived.
  terminal.type(keys.substr(0, keys.size() - 1));
  const std::string shown = terminal.read_until_quiet(kQuiet);
  terminal.type(keys.substr(keys.size() - 1));
  return shown;
}

std::string transcript(const std::string& keys_path) {
  test::Terminal terminal;
  std::istringstream lines(test::read_file(keys_path));
  std::string shown = terminal.read_to_prompt();
  for (std::string line; std::getline(lines, line);) {
    if (line == "<Paste>") {
      std::string block;
      while (std::getline(lines, line) && line != "<End>") block += line + "\n";
      terminal.type("\x1b[200~" + block + "\x1b[201~\n");
    } else {
      shown += type_line(terminal, line);
    }
    shown += terminal.read_answer(kAnswered);
  }
  terminal.wait();
  return masked(shown + terminal.read_until_quiet(0));
}

}  // namespace

TEST_CASE("the prompt answers as approved", "[repl]") {
  const bool approve = std::getenv("TIDE_APPROVE") != nullptr;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(TIDE_TESTS "/repl")) {
    if (entry.path().extension() != ".keys") continue;
    ++count;
    fs::path approved = entry.path();
    approved.replace_extension(".txt");
    CAPTURE(entry.path().string());
    const std::string shown = transcript(entry.path().string());
    if (approve) std::ofstream(approved) << shown;
    CHECK(shown == test::read_file(approved.string()));
  }
  CHECK(count > 0);
}
