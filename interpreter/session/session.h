// A session of inputs that share variables and results, with or without a terminal.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tide {

/// The kind of an input.
enum class InputKind {
  kRunnable,    ///< its function is on the stack
  kUnfinished,  ///< more lines may complete it; nothing is on the stack
  kWrong,       ///< the syntax error's message is on the stack
  kNothing,     ///< blank; nothing is on the stack
  kLeave,       ///< ends the session; nothing is on the stack
};

/// An input that was read, valid or not.
struct Input {
  int number = 0;
  std::string text;
};

/// Inputs are numbered from 1; errors name their lines `In [1]:3`. The rules are in
/// scripts/tide/session, which is loaded with the first input. Each call expects the stack to be
/// empty except for the documented results of the previous call.
class Session {
 public:
  explicit Session(lua_State* L) : state_(L) {}

  /// The number of the next input.
  int number() const { return number_; }

  /// Reads a text after removing prompt markers copied with it.
  InputKind read(std::string& text);

  /// Discards the last input: the next one gets its number.
  void discard_last() { --number_; }

  /// Sets the number of the next input.
  void set_number(int number) { number_ = number; }

  /// Reads a text without numbering it or recording it and its results.
  InputKind read_aside(std::string text);

  /// The kind that reading a text would return, and the number of blocks and brackets it leaves
  /// open.
  InputKind check(const std::string& text, int& depth);

  /// Runs the input that was read. Pushes its values or, if it fails, the message, and returns
  /// whether it succeeded. Sets `note` to a note on the input, if any.
  bool run(std::string& note);

  /// Pushes a table of all names visible in `text`.
  void push_names(const std::string& text);

  /// Pushes a table whose keys are the methods of the reference, or nil if they are not `wanted`.
  void push_methods(bool wanted);

  /// Help on the name at byte `position` of `text`, or on the function whose arguments are there;
  /// none if not available.
  std::optional<std::string> explain(const std::string& text, size_t position);

  /// The inputs so far, in order.
  std::vector<Input> inputs();

  /// Pushes a table whose keys are the names other than values valid at the end of `text`, or nil.
  void push_candidates(const std::string& text);

  /// An input in color. If the cursor, at byte offset `point`, is at its end, sets `hint` to the
  /// signature of the call that is open there.
  std::string decorate(const std::string& text, size_t point, std::string& hint);

  /// The text of a result in color.
  std::string paint(const std::string& text);

 private:
  InputKind read(std::string& text, bool aside);
  bool call_method(const char* name, int arguments, int results);
  std::string take_text(const std::string& otherwise);

  lua_State* state_;
  int number_ = 1;
};

}  // namespace tide
