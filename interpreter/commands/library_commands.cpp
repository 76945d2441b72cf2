// `tide lesson`, `tide bench`, `tide info`, `tide smi`, `tide help` and `tide manual`: doors to
// what the Lua library holds.
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
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/version.h"

namespace tide {
namespace {

constexpr std::string_view kLessons = "lessons/";
constexpr char kAnswers[] = "lessons/answers/";
constexpr char kBench[] = "bench/main.lua";

/// "lessons/02_async_queue.lua" without folder and suffix.
std::string_view lesson_name(std::string_view path) {
  path.remove_prefix(kLessons.size());
  return path.substr(0, path.size() - std::string_view(".lua").size());
}

/// The lessons, in order: files whose names begin with a number.
std::vector<std::string> lessons() {
  std::vector<std::string> paths = list_scripts(kLessons);
  std::erase_if(paths, [](const std::string& path) {
    return !path.ends_with(".lua") ||
           !std::isdigit(static_cast<unsigned char>(path[kLessons.size()]));
  });
  return paths;
}

/// Finds a lesson by its number ("2", "02"), its name ("async_queue") or both.
std::optional<std::string> find_lesson(const std::string& wanted) {
  for (const std::string& path : lessons()) {
    const std::string_view name = lesson_name(path);
    const size_t mark = name.find('_');
    const std::string number(name.substr(0, mark));
    const bool is_number =
        std::all_of(wanted.begin(), wanted.end(), [](unsigned char c) { return std::isdigit(c); });
    const bool same_number =
        is_number && wanted.size() < 4 && std::atoi(number.c_str()) == std::atoi(wanted.c_str());
    if (wanted == name || same_number ||
        (mark != std::string_view::npos && wanted == name.substr(mark + 1))) {
      return path;
    }
  }
  return std::nullopt;
}

/// Prints a file of scripts/.
int print_script(const std::string& path) {
  const std::optional<std::string> text = read_script(path);
  if (!text) throw UsageError{"lesson: " + path + " is not part of this build"};
  std::fputs(text->c_str(), stdout);
  return EXIT_SUCCESS;
}

/// The text of a file's first comment line.
std::string first_comment(const std::string& path) {
  const std::string text = read_script(path).value_or("");
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  return std::string(line.substr(std::min(line.size(), line.find_first_not_of("- "))));
}

int list_lessons() {
  for (const std::string& path : lessons()) {
    const std::string name(lesson_name(path));
    std::printf("%-22s %s\n", name.c_str(), first_comment(path).c_str());
  }
  std::puts(
      "\n`tide lesson N` runs one, `tide lesson N --show` prints its text. To change it, make a "
      "copy:"
      "\n`tide lesson N --show > mine.lua`, and run that: `tide mine.lua`."
      "\n`tide lesson N --answers` prints answers to the exercises at its end, as a script.");
  return EXIT_SUCCESS;
}

/// What `tide.accelerator()` answers in a lesson: the device of `--device D` among its words, else
/// a GPU, or a simulated one where there is none.
int choose_accelerator(lua_State* L) {
  const Words& words = *static_cast<const Words*>(lua_touserdata(L, 1));
  TideOptions options;
  OptionReader reader(words);
  while (reader.next())
    if (const auto device = reader.value("--device")) options.device = *device;
  if (options.device.empty()) {
    if (luaL_dostring(L, "return tide.cuda.is_available() and 'cuda' or 'sim'"))
      return lua_error(L);
    options.device = lua_tostring(L, -1);
  }
  tide_set_options(L, options);
  return 0;
}

/// Runs a file of scripts/ as `tide FILE args` runs a script, after `prepare(words)`, if any.
int run_embedded(const std::string& path, const std::string& command, const Words& words,
                 lua_CFunction prepare = nullptr) {
  const std::optional<std::string> text = read_script(path);
  if (!text) throw UsageError{command + ": " + path + " is not part of this build"};
  catch_interrupts(Impatience::kEndProgram);
  State state;
  state.set_arguments({{program_name, command}, path, words});
  if (prepare) {
    lua_pushcfunction(state, prepare);
    lua_pushlightuserdata(state, const_cast<Words*>(&words));
    if (!call(state, 1, 0)) {
      report_error(state);
      return EXIT_FAILURE;
    }
  }
  const bool succeeded = run_text(state, *text, "@" + path);
  return finish(state, succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Calls the function NAME of a module with the words, and prints the text it returns, if any. If a
/// false follows the text, it says what is wrong.
int print_answer(const char* name, const Words& words, const char* module = "tide") {
  State state;
  // A frame of the library, not of a script: tracebacks leave it out.
  const std::string chunk_name = std::string(kLibrarySource) + name;
  constexpr std::string_view kText =
      "local module, name = ... return require(module)[name](select(3, ...))";
  luaL_loadbufferx(state, kText.data(), kText.size(), chunk_name.c_str(), "t");
  lua_pushstring(state, module);
  lua_pushstring(state, name);
  for (const std::string& word : words) lua_pushlstring(state, word.data(), word.size());
  if (!call(state, 2 + static_cast<int>(words.size()), 2)) {
    report_error(state);
    return EXIT_FAILURE;
  }
  const bool wrong = lua_isboolean(state, -1) && !lua_toboolean(state, -1);
  if (const char* text = lua_tostring(state, -2))
    std::fprintf(wrong ? stderr : stdout, wrong ? "tide: %s\n" : "%s\n", text);
  return finish(state, wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}

}  // namespace

int lesson_command(const Words& words) {
  if (words.empty()) return list_lessons();
  const std::optional<std::string> path = find_lesson(words[0]);
  if (!path) throw UsageError{"lesson: there is no lesson '" + words[0] + "'"};
  const Words rest(words.begin() + 1, words.end());
  const auto given = [&](const char* option) {
    return std::find(rest.begin(), rest.end(), option) != rest.end();
  };
  if (given("--answers")) return print_script(kAnswers + std::string(lesson_name(*path)) + ".lua");
  if (given("--show")) return print_script(*path);
  return run_embedded(*path, "lesson", rest, choose_accelerator);
}

int bench_command(const Words& words) { return run_embedded(kBench, "bench", words); }

int info_command(const Words& words) {
  if (words == Words{"--measure"}) return print_answer("measure", {}, "tide.profiler.peaks");
  if (!words.empty()) throw UsageError{"info: takes nothing, or --measure"};
  print_version();
  return print_answer("info", {});
}

int smi_command(const Words& words) {
  if (words.empty()) return print_answer("smi", {});
  if (words[0] != "dmon" || words.size() > 2)
    throw UsageError{"smi: takes nothing, or dmon [TIMES]"};
  catch_interrupts(Impatience::kEndProgram);
  return print_answer("monitor_devices", {words.begin() + 1, words.end()}, "tide.native");
}

int help_command(const Words& words) {
  if (words.size() > 1) throw UsageError{"help: takes one name"};
  return print_answer("help", words);
}

int manual_command(const Words& words) {
  if (words.size() == 2 && words[0] == "--luals")
    return print_answer("write", {words[1]}, "tide.reference.annotations");
  if (words.size() != 1 || words[0].starts_with('-'))
    throw UsageError{"manual: takes a folder, or --luals and a file"};
  std::filesystem::create_directories(words[0]);
  return print_answer("write", words, "tide.reference.manual");
}

}  // namespace tide
