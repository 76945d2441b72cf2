#include "bindings/io/onnx.h"

#include "bindings/io/arrays.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "runtime/io/image.h"
#include "runtime/io/onnx.h"
#include "runtime/os/file_replacement.h"
#include "runtime/os/memory_budget.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// Builds values on Lua's stack.
class TableBuilder : public MessageBuilder {
 public:
  explicit TableBuilder(lua_State* L) : L_(L) {}
  void push_table() override {
    make_place();
    lua_newtable(L_);
  }
  void push_integer(int64_t value) override {
    make_place();
    lua_pushinteger(L_, value);
  }
  void push_number(double value) override {
    make_place();
    lua_pushnumber(L_, value);
  }
  void push_text(std::string_view text) override {
    make_place();
    lua_pushlstring(L_, text.data(), text.size());
  }
  void set_field(const std::string& name) override { lua_setfield(L_, -2, name.c_str()); }
  void set_place(int64_t place) override { lua_rawseti(L_, -2, place); }

 private:
  /// Reserves stack for a value and its key.
  void make_place() {
    if (!lua_checkstack(L_, 2)) throw ArgumentError("messages are nested too deep");
  }

  lua_State* L_;
};

/// Reads tables on Lua's stack.
class TableSource : public MessageSource {
 public:
  TableSource(lua_State* L, const char* function) : L_(L), function_(function) {}
  bool push_field(const std::string& name) override {
    if (lua_type(L_, -1) != LUA_TTABLE) expected("a table");
    if (!lua_checkstack(L_, 2)) throw ArgumentError("messages are nested too deep");
    if (lua_getfield(L_, -1, name.c_str()) != LUA_TNIL) return true;
    lua_pop(L_, 1);
    return false;
  }
  void push_place(int64_t place) override {
    if (!lua_checkstack(L_, 2)) throw ArgumentError("messages are nested too deep");
    lua_rawgeti(L_, -1, place);
  }
  void pop() override { lua_pop(L_, 1); }
  int64_t length() const override {
    if (lua_type(L_, -1) != LUA_TTABLE) expected("a list");
    return static_cast<int64_t>(lua_rawlen(L_, -1));
  }
  int64_t integer() const override {
    int is_integer;
    const lua_Integer value = lua_tointegerx(L_, -1, &is_integer);
    if (!is_integer) expected("an integer");
    return value;
  }
  double number() const override {
    if (lua_type(L_, -1) != LUA_TNUMBER) expected("a number");
    return lua_tonumber(L_, -1);
  }
  std::string_view text() const override {
    if (lua_type(L_, -1) != LUA_TSTRING) expected("a string");
    size_t length;
    const char* const text = lua_tolstring(L_, -1, &length);
    written_.add(2 * length);
    return {text, length};
  }

 private:
  [[noreturn]] void expected(const char* what) const { throw_expected(L_, -1, function_, what); }

  lua_State* L_;
  const char* function_;
  mutable CountedMemory written_;  ///< the message and its encoding
};

int read_message(lua_State* L, const std::string& path, const std::string& type) {
  TableBuilder builder(L);
  const HostArray bytes = read_whole_file(path);
  const CountedMemory message(bytes.bytes());
  read_onnx(bytes.text(), path, type, builder);
  return 1;
}

int write_message(lua_State* L, const std::string& path, const std::string& type, Table message,
                  const std::string& function) {
  lua_pushvalue(L, message.index);
  TableSource source(L, function.c_str());
  replace_file(path, write_onnx(type, source));
  return 0;
}

}  // namespace

std::span<const luaL_Reg> onnx_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<read_message, "read_onnx", "path, type">,
      kNative<write_message, "write_onnx", "path, type, message, function">,
  };
  return functions;
}

}  // namespace tide::bindings
