// The notebook kernel: a session whose inputs, output and results go through a front end.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/jupyter/output.h"
#include "interpreter/jupyter/plugin/plugin.h"
#include "interpreter/session/session.h"

namespace tide::jupyter {

/// Runs inputs as the prompt does. The thread that creates and calls it must block SIGINT, which is
/// unblocked while Lua runs.
class NotebookKernel final : public Kernel {
 public:
  explicit NotebookKernel(Output& output) : output_(output) {}

  /// Sets the Lua state. Must be called before any other method.
  void open(lua_State* L);

  /// A line that a script reads from standard input.
  std::optional<std::string> read_line();

  Reply execute(const Request& request, FrontEnd& front_end) override;
  std::optional<Error> evaluate(const std::string& expression, Forms& forms) override;
  Candidates complete(const std::string& before_cursor) override;
  std::optional<std::string> inspect(const std::string& code, size_t position) override;
  Completeness check(const std::string& code, std::string& indent) override;
  std::vector<std::pair<int, std::string>> inputs() override;

 private:
  template <void (NotebookKernel::*kMethod)(lua_State*)>
  static int call_method(lua_State* L);
  void show(lua_State* L);
  void clear(lua_State* L);
  void keep_page(lua_State* L);

  void begin_output();
  std::optional<Error> run(InputKind kind, Forms& forms);
  Error take_error(const char* name);

  Output& output_;
  lua_State* state_ = nullptr;
  std::optional<Session> session_;
  FrontEnd* front_end_ = nullptr;  ///< of the current or last input
  Request request_;                ///< the current or last one
  Reply reply_;
};

}  // namespace tide::jupyter
