// Serves requests of a front end with a session.
#include "interpreter/jupyter/kernel.h"

#include <signal.h>

#include <cstdio>
#include <sstream>
#include <string_view>

#include "bindings/module.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script.h"
#include "interpreter/session/completion.h"

namespace tide::jupyter {
namespace {

constexpr char kName[] = "notebook";
constexpr char kForms[] = "return require('tide.display.forms').of(...)";
constexpr char kNotebook[] = "return require 'tide.display.notebook'";

/// Unblocks SIGINT in this thread while it exists. Discards a pending SIGINT, because it was meant
/// for an input that has ended.
class WithInterrupts {
 public:
  WithInterrupts() {
    sigemptyset(&interrupt_);
    sigaddset(&interrupt_, SIGINT);
    constexpr timespec kNow = {};
    while (sigtimedwait(&interrupt_, nullptr, &kNow) > 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &interrupt_, nullptr);
  }
  ~WithInterrupts() { pthread_sigmask(SIG_BLOCK, &interrupt_, nullptr); }
  WithInterrupts(const WithInterrupts&) = delete;
  WithInterrupts& operator=(const WithInterrupts&) = delete;

 private:
  sigset_t interrupt_;
};

/// The string values of the table at `index`, by key.
Forms read_forms(lua_State* L, int index) {
  Forms forms;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    size_t size;
    const char* const form = lua_tolstring(L, -1, &size);
    if (form && lua_type(L, -2) == LUA_TSTRING) forms[lua_tostring(L, -2)].assign(form, size);
    lua_pop(L, 1);
  }
  return forms;
}

}  // namespace

template <void (NotebookKernel::*kMethod)(lua_State*)>
int NotebookKernel::call_method(lua_State* L) {
  auto* const self = static_cast<NotebookKernel*>(lua_touserdata(L, lua_upvalueindex(1)));
  try {
    (self->*kMethod)(L);
    return 0;
  } catch (const std::exception& error) {
    lua_pushstring(L, error.what());
  }
  return lua_error(L);  // Outside the handler, so that the exception is released.
}

void NotebookKernel::open(lua_State* L) {
  state_ = L;
  session_.emplace(L);
  push_library_function(L, kNotebook, kName);
  lua_call(L, 0, 1);
  const luaL_Reg functions[] = {{"show", call_method<&NotebookKernel::show>},
                                {"clear", call_method<&NotebookKernel::clear>},
                                {"page", call_method<&NotebookKernel::keep_page>},
                                {nullptr, nullptr}};
  lua_pushlightuserdata(L, this);
  luaL_setfuncs(L, functions, 1);
  lua_settop(L, 0);
}

void NotebookKernel::show(lua_State* L) {
  if (request_.silent) return;
  output_.flush();
  const std::string id = luaL_optstring(L, 2, "");
  front_end_->show(read_forms(L, 1), id, lua_toboolean(L, 3));
}

void NotebookKernel::clear(lua_State*) {
  if (request_.silent) return;
  output_.flush();
  front_end_->clear();
}

void NotebookKernel::keep_page(lua_State* L) { reply_.page = lua_tostring(L, 1); }

std::optional<std::string> NotebookKernel::read_line() {
  if (!request_.may_read) {
    std::fputs("cannot read standard input: this front end does not support input\n", stderr);
    return std::nullopt;
  }
  output_.flush();
  return front_end_->read_line(is_interrupted);
}

void NotebookKernel::begin_output() {
  if (request_.silent) return output_.begin([](const char*, std::string) {});
  output_.begin(
      [this](const char* stream, std::string text) { front_end_->print(stream, std::move(text)); });
}

Reply NotebookKernel::execute(const Request& request, FrontEnd& front_end) {
  request_ = request;
  front_end_ = &front_end;
  reply_ = {};
  begin_output();
  std::string text = request.code;
  session_->set_number(request.number);
  const bool kept = request.stored && !request.silent;
  Forms forms;
  const InputKind kind = kept ? session_->read(text) : session_->read_aside(text);
  reply_.leave = kind == InputKind::kLeave;
  reply_.error = run(kind, forms);
  tide_flush(state_);
  output_.end();
  if (!request.silent && !forms.empty()) front_end.show_result(forms);
  return std::move(reply_);
}

std::optional<Error> NotebookKernel::evaluate(const std::string& expression, Forms& forms) {
  begin_output();
  const std::optional<Error> error = run(session_->read_aside(expression), forms);
  output_.end();
  return error;
}

/// Runs the input that was read, if it can be run; fills `forms` if it has values.
std::optional<Error> NotebookKernel::run(InputKind kind, Forms& forms) {
  std::optional<Error> error;
  std::string note;
  if (kind == InputKind::kUnfinished) {
    lua_pushfstring(state_, "In [%d]: the input ends inside a statement", request_.number);
    kind = InputKind::kWrong;
  }
  const WithInterrupts guard;
  if (kind == InputKind::kWrong) {
    error = take_error("SyntaxError");
  } else if (kind == InputKind::kRunnable && !session_->run(note)) {
    error = take_error("Error");
  } else if (const int count = lua_gettop(state_); kind == InputKind::kRunnable && count > 0) {
    push_library_function(state_, kForms, kName);
    lua_insert(state_, 1);
    if (call(state_, count, 2)) {
      forms = read_forms(state_, 1);
      if (const char* problem = lua_tostring(state_, 2)) note = problem;
    } else {
      error = take_error("Error");
    }
  }
  lua_settop(state_, 0);
  if (!note.empty()) std::fprintf(stderr, "note: %s\n", note.c_str());
  return error;
}

/// Pops an error message.
Error NotebookKernel::take_error(const char* name) {
  const char* const text = lua_tostring(state_, -1);
  const std::string whole = text ? text : "(error object is not a string)";
  lua_settop(state_, 0);
  Error error{name, whole.substr(0, whole.find("\nstack traceback:")), {}};
  const std::string_view first = std::string_view(whole).substr(0, whole.find('\n'));
  if (first == "interrupted" || first.ends_with(": interrupted")) error.name = "Interrupted";
  std::istringstream lines(whole);
  for (std::string line; std::getline(lines, line);) error.traceback.push_back(line);
  return error;
}

Candidates NotebookKernel::complete(const std::string& before_cursor) {
  // Like the prompt, completes within one line.
  const size_t line = before_cursor.rfind('\n') + 1;
  Completion found = tide::complete(state_, *session_, before_cursor.substr(line));
  return {line + found.begin, std::move(found.candidates)};
}

std::optional<std::string> NotebookKernel::inspect(const std::string& code, size_t position) {
  return session_->explain(code, position);
}

Completeness NotebookKernel::check(const std::string& code, std::string& indent) {
  int depth = 0;
  const InputKind kind = session_->check(code, depth);
  if (kind == InputKind::kWrong) return Completeness::kInvalid;
  if (kind != InputKind::kUnfinished) return Completeness::kComplete;
  indent.assign(2 * static_cast<size_t>(depth > 0 ? depth : 0), ' ');
  return Completeness::kIncomplete;
}

std::vector<std::pair<int, std::string>> NotebookKernel::inputs() {
  std::vector<std::pair<int, std::string>> inputs;
  for (Input& input : session_->inputs()) inputs.emplace_back(input.number, std::move(input.text));
  return inputs;
}

}  // namespace tide::jupyter
