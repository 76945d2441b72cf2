// `tide lesson`: lists the lessons, runs one, or prints it in another form.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/module.h"
#include "bindings/support/embedded.h"
#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/run/terminal.h"
#include "interpreter/run/time_limit.h"
#include "interpreter/version.h"

namespace tide {
namespace {

constexpr std::string_view kLessons = "lessons/";
constexpr char kAnswers[] = "lessons/answers/";

/// "lessons/02_async_queue.lua" without folder and suffix.
std::string_view lesson_name(std::string_view path) {
  path.remove_prefix(kLessons.size());
  return path.substr(0, path.size() - std::string_view(".lua").size());
}

/// The lessons in order: the files whose names begin with a number.
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

/// The text of a lesson, or of its answers.
std::string lesson_text(const std::string& path) {
  const std::optional<std::string> text = read_script(path);
  if (!text) throw UsageError{"lesson: " + path + " is not part of this build"};
  return *text;
}

/// The text of a file's first comment line.
std::string first_comment(const std::string& path) {
  const std::string text = lesson_text(path);
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  return std::string(line.substr(std::min(line.size(), line.find_first_not_of("- "))));
}

int list_lessons() {
  for (const std::string& path : lessons()) {
    const std::string name(lesson_name(path));
    std::printf("%-22s %s\n", name.c_str(), first_comment(path).c_str());
  }
  std::puts(
      "\n`tide lesson N` goes through one, section by section. To change it, make a copy:"
      "\n`tide lesson N --show > mine.lua`, and run that: `tide mine.lua`."
      "\n`tide lesson N --exercises > mine.lua` makes a script of functions to complete, which "
      "checks them."
      "\n`tide lesson N --html FILE` writes a page with its output and figures."
      "\n`tide lesson N --answers` prints answers to the exercises at its end, as a script.");
  return EXIT_SUCCESS;
}

/// Sets the result of `tide.accelerator()` in a lesson: the device in `--device D`, else a GPU,
/// else a simulated one.
void choose_accelerator(lua_State* L, const Words& words) {
  TideOptions options;
  OptionReader reader(words);
  while (reader.next())
    if (const auto device = reader.value("--device")) options.accelerator = *device;
  if (options.accelerator.empty()) {
    if (luaL_dostring(L, "return tide.cuda.is_available() and 'cuda' or 'sim'")) lua_error(L);
    options.accelerator = lua_tostring(L, -1);
  }
  tide_set_options(L, options);
}

/// Calls a library function, given as an expression, with the top `arguments` values of the stack;
/// pushes its result.
void call_library(lua_State* L, const std::string& function, int arguments) {
  push_library_function(L, "return " + function + "(...)", "lesson");
  lua_insert(L, -1 - arguments);
  lua_call(L, arguments, 1);
}

std::string string_at_top(lua_State* L) {
  size_t size;
  const char* const text = lua_tolstring(L, -1, &size);
  return {text, size};
}

/// A lesson to run: the arguments after its name and its text. prepare_lesson replaces the text
/// with one that prints itself or marks its output.
struct Lesson {
  Words words;
  std::string text;
  bool all = false;       ///< do not stop at the sections
  bool recorded = false;  ///< mark the output for a page
};

int prepare_lesson(lua_State* L) {
  Lesson& lesson = *static_cast<Lesson*>(lua_touserdata(L, 1));
  choose_accelerator(L, lesson.words);
  lua_pushlstring(L, lesson.text.data(), lesson.text.size());
  if (lesson.recorded) {
    call_library(L, "require('tide.lessons.recording').script", 1);
    lesson.text = string_at_top(L);
    return 0;
  }
  lua_createtable(L, 0, 2);
  lua_pushboolean(L, on_terminal() && !lesson.all);
  lua_setfield(L, -2, "pause");
  lua_pushboolean(L, on_colored_terminal());
  lua_setfield(L, -2, "color");
  call_library(L, "require('tide.lessons.walk').script", 2);
  lesson.text = string_at_top(L);
  return 0;
}

int run_lesson(const std::string& path, Lesson lesson, std::optional<double> seconds = {}) {
  catch_interrupts(Impatience::kEndProgram);
  if (seconds) limit_time(*seconds);
  State state;
  state.set_arguments({{program_name, "lesson"}, path, lesson.words});
  lua_pushcfunction(state, prepare_lesson);
  lua_pushlightuserdata(state, &lesson);
  if (!call(state, 1, 0)) {
    report_error(state);
    return EXIT_FAILURE;
  }
  const bool succeeded = run_text(state, lesson.text, "@" + path);
  return finish(state, succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Converts a text with the function in tide.lessons.FILE; nullopt if that returns nil.
std::optional<std::string> made_of(const std::string& text, const std::string& file) {
  State state;
  lua_pushlstring(state, text.data(), text.size());
  call_library(state, "require('tide.lessons." + file + "')", 1);
  if (lua_isnil(state, -1)) return std::nullopt;
  return string_at_top(state);
}

/// The answers of a lesson, with the solutions replaced by starting points for the learner.
std::string exercises_of(std::string_view name, const std::string& answers) {
  const std::optional<std::string> exercises = made_of(answers, "unsolved");
  if (exercises) return *exercises;
  throw UsageError{"lesson: the exercises of " + std::string(name) +
                   " have no checks: find them at its end; --answers prints answers"};
}

/// Runs a lesson with the given arguments, and prints its page or writes it to a file.
int write_page(const std::string& path, const std::string& file, const Words& words) {
  catch_interrupts(Impatience::kEndProgram);
  State state;
  if (!lua_checkstack(state, static_cast<int>(words.size()) + 8)) throw std::bad_alloc();
  push_library_function(state, "return require('tide.manual.site.lesson_page')(...)", "lesson");
  lua_pushlstring(state, path.data(), path.size());
  lua_pushlstring(state, file.data(), file.size());
  for (const std::string& word : words) lua_pushlstring(state, word.data(), word.size());
  if (!call(state, 2 + static_cast<int>(words.size()), 1)) {
    report_error(state);
    return EXIT_FAILURE;
  }
  const char* const problem = lua_tostring(state, -1);
  if (problem) report_error(state);
  return problem ? EXIT_FAILURE : EXIT_SUCCESS;
}

/// Removes `--html [FILE]` from the arguments; returns the file, empty if none is named.
std::optional<std::string> take_html(Words& words) {
  const auto option = std::find(words.begin(), words.end(), "--html");
  if (option == words.end()) return std::nullopt;
  const auto next = option + 1;
  const bool has_file = next != words.end() && !next->starts_with('-');
  std::string file = has_file ? *next : "";
  words.erase(option, next + has_file);
  return file;
}

}  // namespace

int lesson_recorder_command(const Words& words) {
  OptionReader reader(words);
  std::optional<double> seconds;
  while (reader.next()) {
    if (const auto limit = reader.seconds("--time-limit")) {
      seconds = limit;
      continue;
    }
    const std::string path = reader.word();
    return run_lesson(path, {reader.remaining(), lesson_text(path), false, true}, seconds);
  }
  throw UsageError{"lesson: no lesson to record"};
}

int lesson_command(const Words& words) {
  if (words.empty()) return list_lessons();
  const std::optional<std::string> path = find_lesson(words[0]);
  if (!path) throw UsageError{"lesson: no lesson named '" + words[0] + "'"};
  Lesson lesson{Words(words.begin() + 1, words.end()), lesson_text(*path)};
  const auto take = [&](const char* option) { return std::erase(lesson.words, option) > 0; };
  const std::string_view name = lesson_name(*path);
  const auto answers = [&] { return lesson_text(kAnswers + std::string(name) + ".lua"); };
  std::optional<std::string> printed;
  if (take("--show")) printed = lesson.text;
  if (take("--answers")) printed = answers();
  if (take("--exercises")) printed = exercises_of(name, answers());
  if (take("--notebook")) printed = made_of(printed.value_or(lesson.text), "notebook");
  if (printed) {
    std::fputs(printed->c_str(), stdout);
    return EXIT_SUCCESS;
  }
  if (const auto file = take_html(lesson.words)) return write_page(*path, *file, lesson.words);
  lesson.all = take("--all");
  return run_lesson(*path, std::move(lesson));
}

}  // namespace tide
