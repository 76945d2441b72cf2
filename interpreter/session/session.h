// Inputs that share variables and results: how each is read and run, with or without a terminal.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tide {

/// What a text is as an input.
enum class InputKind {
  kRunnable,    ///< Its function is on the stack.
  kUnfinished,  ///< More lines may complete it. Nothing is on the stack, as for the others.
  kWrong,       ///< The message of the syntax error is on the stack.
  kNothing,     ///< It is blank.
  kLeave,       ///< It asks for the end of the session.
};

/// An input that was read, right or wrong.
struct Input {
  int number = 0;
  std::string text;
};

/// Inputs are numbered from 1; errors name their lines `In [1]:3`. The rules are in
/// scripts/tide/session, which is loaded with the first input. At the start of each call
/// the stack is empty, but for what the call before is said to have left.
class Session {
 public:
  explicit Session(lua_State* L) : state_(L) {}

  /// Of the next input.
  int number() const { return number_; }

  /// Reads a text, and takes the marks of a prompt off that it was copied with.
  InputKind read(std::string& text);

  /// The input that was read last does not count: the next one has its number.
  void take_back() { --number_; }

  /// Gives the next input a number.
  void set_number(int number) { number_ = number; }

  /// Reads a text that is no input: it leaves the number as it is, and is not kept; nor are its
  /// results, if it is run.
  InputKind read_aside(std::string text);

  /// What reading a text would find, which is not read; and how many blocks and brackets it leaves
  /// open.
  InputKind check(const std::string& text, int& depth);

  /// Runs what was read. Leaves its values on the stack or, if it fails, the message. Returns
  /// whether it succeeded; `note` becomes what there is to say about the input, if anything.
  bool run(std::string& note);

  /// Pushes the table of all that `text` may name.
  void push_names(const std::string& text);

  /// Pushes a table whose keys are the methods of the reference, or nil if they are not `wanted`.
  void push_methods(bool wanted);

  /// The help on the name in `text` at the byte `position`, or on the function whose arguments are
  /// there. None if there is none.
  std::optional<std::string> explain(const std::string& text, size_t position);

  /// The inputs so far, in order.
  std::vector<Input> inputs();

  /// Pushes a table whose keys may stand at the end of `text` in place of values, or nil.
  void push_candidates(const std::string& text);

  /// An input with its colours; `hint` becomes the signature of the call that is open at its end,
  /// if the cursor, behind byte `point`, is there.
  std::string decorate(const std::string& text, size_t point, std::string& hint);

  /// The text of a result with its colours.
  std::string paint(const std::string& text);

 private:
  InputKind read(std::string& text, bool aside);
  bool call_method(const char* name, int arguments, int results);
  std::string take_text(const std::string& otherwise);

  lua_State* state_;
  int number_ = 1;
};

}  // namespace tide
