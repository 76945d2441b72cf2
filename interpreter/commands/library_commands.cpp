// `tide bench`, `tide info`, `tide smi`, `tide help` and `tide manual`: commands implemented by the
// Lua library.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/module.h"
#include "bindings/support/embedded.h"
#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/pager.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/version.h"

namespace tide {
namespace {

constexpr char kBench[] = "bench/main.lua";

/// Calls function NAME of a module with the arguments, and prints the text it returns, if any,
/// through a pager if it is long. If `false` follows the text, the text is an error message.
int print_answer(const char* name, const Words& words, const char* module = "tide") {
  State state;
  constexpr std::string_view kText =
      "local module, name = ... return require(module)[name](select(3, ...))";
  push_library_function(state, kText, name);
  lua_pushstring(state, module);
  lua_pushstring(state, name);
  for (const std::string& word : words) lua_pushlstring(state, word.data(), word.size());
  if (!call(state, 2 + static_cast<int>(words.size()), 2)) {
    report_error(state);
    return EXIT_FAILURE;
  }
  const bool wrong = lua_isboolean(state, -1) && !lua_toboolean(state, -1);
  if (const char* text = lua_tostring(state, -2)) {
    if (wrong)
      std::fprintf(stderr, "tide: %s\n", text);
    else
      print_paged(tide_break_lines(text));
  }
  return finish(state, wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}

}  // namespace

int bench_command(const Words& words) {
  const std::optional<std::string> text = read_script(kBench);
  if (!text) throw UsageError{std::string("bench: ") + kBench + " is not part of this build"};
  catch_interrupts(Impatience::kEndProgram);
  State state;
  state.set_arguments({{program_name, "bench"}, kBench, words});
  const bool succeeded = run_text(state, *text, std::string("@") + kBench);
  return finish(state, succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

int info_command(const Words& words) {
  if (words == Words{"--measure"}) return print_answer("measure", {}, "tide.tools.profiler.peaks");
  if (!words.empty()) throw UsageError{"info: expected no argument or --measure"};
  print_version();
  return print_answer("info", {});
}

int smi_command(const Words& words) {
  if (words.empty()) return print_answer("smi", {});
  if (words[0] != "dmon") throw UsageError{"smi: expected no argument or dmon [TIMES] [--chart]"};
  catch_interrupts(Impatience::kEndProgram);
  return print_answer("run", {words.begin() + 1, words.end()}, "tide.tools.smi.monitor");
}

int help_command(const Words& words) {
  if (!words.empty() && words[0] == "--search") {
    if (words.size() == 1) throw UsageError{"help: --search needs a word to search for"};
    return print_answer("answer", {words.begin() + 1, words.end()}, "tide.reference.search");
  }
  if (words.size() > 1) throw UsageError{"help: expected one name, or --search and words"};
  return print_answer("help", words);
}

int manual_command(const Words& words) {
  if (words.size() == 2 && words[0] == "--luals")
    return print_answer("write", {words[1]}, "tide.manual.annotations");
  Words folders = words;
  const bool as_site = std::erase(folders, "--html") > 0;
  if (folders.size() != 1 || folders[0].starts_with('-'))
    throw UsageError{"manual: expected a folder, with --html for a site, or --luals and a file"};
  std::filesystem::create_directories(folders[0]);
  return print_answer("write", folders, as_site ? "tide.manual.site" : "tide.manual.manual");
}

}  // namespace tide
