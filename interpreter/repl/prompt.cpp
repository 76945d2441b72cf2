// The prompt's read-eval-print loop.
#include "interpreter/repl/prompt.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "bindings/module.h"
#include "bindings/support/embedded.h"
#include "interpreter/repl/history.h"
#include "interpreter/repl/line_editor.h"
#include "interpreter/run/pager.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/run/terminal.h"
#include "interpreter/session/completion.h"
#include "interpreter/session/session.h"

namespace tide {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kHelp[] = "return (require('tide').help(...))";
constexpr char kTableText[] = "return require('tide.internal.table_text')(...)";
constexpr char kGreeting[] =
    "help() lists what there is, ?NAME explains it, %help the commands, Ctrl-D ends.";

/// tostring, with metamethods.
int to_text(lua_State* L) {
  luaL_tolstring(L, 1, nullptr);
  return 1;
}

/// Removes the suffix `end`; returns whether the text had it.
bool remove_suffix(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.erase(text.size() - end.size());
  return true;
}

/// Whether an input calls `help` or `tide.help`.
bool asks_for_help(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with("tide.")) text.remove_prefix(std::string_view("tide.").size());
  constexpr std::string_view kName = "help";
  return text.starts_with(kName) && text.find_first_of(" ({\"'[", kName.size()) == kName.size();
}

class Prompt {
 public:
  explicit Prompt(lua_State* L)
      : state_(L),
        session_(L),
        on_terminal_(on_terminal()),
        colored_(on_colored_terminal()),
        editor_(make_line_editor(
            [this](const std::string& before) { return complete(state_, session_, before); },
            colored_
                ? [this](const std::string& line, size_t point) { return decorate(line, point); }
                : Decorator())) {
    push_global(L, "help");
    if (lua_isnil(L, -1) && luaL_loadstring(L, kHelp) == LUA_OK) set_global(L, "help");
    lua_pop(L, 1);
    if (!on_terminal_) return;
    history_.emplace();
    for (const std::string& entry : history_->entries()) editor_->remember(entry);
  }

  void run() {
    if (on_terminal_) std::puts(kGreeting);
    std::string text;
    while (read_input(text)) {
      if (kind_ == InputKind::kRunnable || kind_ == InputKind::kWrong) run_input();
      lua_settop(state_, 0);
    }
  }

 private:
  /// Reads lines until they can be run or have an error, and pushes the function or the message.
  /// False at the end of the session.
  bool read_input(std::string& text) {
    text.clear();
    kind_ = InputKind::kNothing;
    while (true) {
      std::string line;
      const ReadResult result = read_line(text, line);
      if (result == ReadResult::kInterrupted) return kind_ = InputKind::kNothing, true;
      if (result == ReadResult::kEnd && text.empty()) return false;
      if (result == ReadResult::kEnd) {
        kind_ = InputKind::kWrong;
        lua_pushfstring(state_, "In [%d]: the input ends inside a statement", session_.number());
        return true;
      }
      const bool pasted = text.empty() && line.find('\n') != std::string::npos;
      text += text.empty() ? line : "\n" + line;
      kind_ = session_.read(text);
      if (kind_ == InputKind::kUnfinished) continue;
      if (kind_ == InputKind::kLeave) return false;
      if (kind_ == InputKind::kNothing) return true;
      if (kind_ == InputKind::kWrong && pasted) {
        // The text does not compile as one chunk; try line by line.
        session_.discard_last();
        lua_pop(state_, 1);
        split(text);
        text.clear();
        continue;
      }
      remember(text);
      is_question_ = text.find_first_not_of(" \t") == text.find('?');
      asks_for_help_ = is_question_ || asks_for_help(text);
      return true;
    }
  }

  /// `In [12]: `, or the prompt of a continuation line.
  std::string next_prompt(bool continued) {
    const std::string first = "In [" + std::to_string(session_.number()) + "]: ";
    if (!continued) return prompt_text("_PROMPT", first);
    const std::string_view mark = "...: ";
    return prompt_text("_PROMPT2", std::string(first.size() - mark.size(), ' ').append(mark));
  }

  /// The text of a global, or `text` if it is nil.
  std::string prompt_text(const char* global, std::string text) {
    push_global(state_, global);
    if (!lua_isnil(state_, -1)) {
      lua_pushcfunction(state_, to_text);
      lua_insert(state_, -2);
      if (call(state_, 1, 1))
        text = lua_tostring(state_, -1);
      else
        show_error();
    }
    lua_pop(state_, 1);
    return text;
  }

  /// Reads the first line of an input, or the next line of an unfinished one.
  ReadResult read_line(const std::string& text, std::string& line) {
    if (waiting_.empty()) {
      int depth = 0;
      if (!text.empty()) session_.check(text, depth);
      const std::string indentation(kIndentation * static_cast<size_t>(std::max(0, depth)), ' ');
      return editor_->read(next_prompt(!text.empty()).c_str(), indentation, line);
    }
    line = std::move(waiting_.front());
    waiting_.pop_front();
    return ReadResult::kLine;
  }

  void split(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) waiting_.push_back(std::move(line));
  }

  void remember(const std::string& text) {
    editor_->remember(text);
    if (history_) history_->add(text);
  }

  void run_input() {
    const auto start = Clock::now();
    std::string note;
    if (kind_ == InputKind::kRunnable && session_.run(note)) {
      if (asks_for_help_ && lua_type(state_, 1) == LUA_TSTRING) {
        const std::string text = lua_tostring(state_, 1);
        const bool is_source = text.starts_with("-- ");  // of `??name`: do not rewrap its lines
        print_paged(is_source ? text : tide_break_lines(text));
      } else {
        print_results();
      }
    } else {
      waiting_.clear();  // The remaining lines of a pasted block depend on the failed one.
      show_error();
    }
    if (!note.empty())
      std::printf(colored_ ? "\033[33m%s\033[0m\n" : "%s\n",
                  tide_break_lines("note: " + note).c_str());
    if (kind_ == InputKind::kWrong) return;
    if (!is_question_) tide_flush(state_);
    if (on_terminal_) print_cost(Clock::now() - start);
  }

  Decoration decorate(const std::string& line, size_t point) {
    Decoration decoration;
    decoration.painted = session_.decorate(line, point, decoration.hint);
    return decoration;
  }

  /// Replaces a value with its text in color. If tostring fails, leaves the error to print.
  void paint(int index) {
    lua_pushcfunction(state_, to_text);
    lua_pushvalue(state_, index);
    if (call(state_, 1, 1)) {
      const std::string text = session_.paint(lua_tostring(state_, -1));
      lua_pushlstring(state_, text.data(), text.size());
      lua_replace(state_, index);
    }
    lua_pop(state_, 1);
  }

  /// Replaces a plain table or a function with readable text instead of an address.
  void spell_out(int index) {
    if (lua_isfunction(state_, index)) return spell_out_function(index);
    if (lua_type(state_, index) != LUA_TTABLE) return;
    if (lua_getmetatable(state_, index)) return lua_pop(state_, 1);
    luaL_loadstring(state_, kTableText);
    lua_pushvalue(state_, index);
    if (call(state_, 1, 1))
      lua_replace(state_, index);
    else
      lua_pop(state_, 1);
  }

  /// "function (In [3]:1)", or its origin.
  void spell_out_function(int index) {
    lua_Debug info;
    lua_pushvalue(state_, index);
    lua_getinfo(state_, ">S", &info);
    if (*info.what == 'C')
      lua_pushliteral(state_, "function (built in)");
    else if (is_library_source({info.source, info.srclen}))
      lua_pushliteral(state_, "function (of the library)");
    else
      lua_pushfstring(state_, "function (%s:%d)", info.short_src, info.linedefined);
    lua_replace(state_, index);
  }

  /// Prints the values on the stack with the current global `print`.
  void print_results() {
    const int count = lua_gettop(state_);
    if (count == 0) return;
    if (!lua_checkstack(state_, LUA_MINSTACK)) return;
    for (int index = 1; index <= count; ++index) {
      const bool is_text = lua_type(state_, index) == LUA_TSTRING;
      spell_out(index);
      if (colored_ && !is_text) paint(index);
    }
    push_global(state_, "print");
    lua_insert(state_, 1);
    if (call(state_, count, 0)) return;
    std::string message = lua_tostring(state_, -1);
    if (!remove_suffix(message, "\n\t[C]: in function 'print'"))
      message = "error calling 'print' (" + message + ")";
    remove_suffix(message, "\nstack traceback:");
    lua_pushlstring(state_, message.data(), message.size());
    show_error();
  }

  void show_error() {
    std::fflush(stdout);
    const char* message = lua_tostring(state_, -1);
    if (!message) message = "(error object is not a string)";
    std::fprintf(stderr, colored_ ? "\033[31m%s\033[0m\n" : "%s\n",
                 tide_break_lines(message).c_str());
  }

  /// `[1.25 ms, 3 ops queued]`. Counts without waiting or flushing.
  void print_cost(Clock::duration time) {
    const double milliseconds = std::chrono::duration<double, std::milli>(time).count();
    // Ops recorded by a help query are not counted.
    const std::int64_t pending = is_question_ ? 0 : tide_pending_operations(state_);
    std::string cost(64, '\0');
    if (milliseconds < 1000) {
      cost.resize(std::snprintf(cost.data(), cost.size(), "[%.3g ms", milliseconds));
    } else {
      cost.resize(std::snprintf(cost.data(), cost.size(), "[%.2f s", milliseconds / 1000));
    }
    if (pending > 0) {
      cost += ", " + std::to_string(pending) + (pending == 1 ? " op queued" : " ops queued");
    }
    std::printf(colored_ ? "\033[2m%s]\033[0m\n" : "%s]\n", cost.c_str());
    std::fflush(stdout);
  }

  lua_State* state_;
  Session session_;
  bool on_terminal_;
  bool colored_;
  std::unique_ptr<LineEditor> editor_;
  std::optional<PromptHistory> history_;
  std::deque<std::string> waiting_;  ///< remaining lines of a pasted block
  InputKind kind_ = InputKind::kRunnable;
  bool is_question_ = false;    ///< whether the input is `?text`
  bool asks_for_help_ = false;  ///< whether it is a question or calls help
};

}  // namespace

void run_prompt(lua_State* L) {
  lua_settop(L, 0);
  Prompt(L).run();
}

}  // namespace tide
