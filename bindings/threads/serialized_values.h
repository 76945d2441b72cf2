// Serialized Lua values, for transfer from one Lua state to another.
#pragma once

#include <cstdint>
#include <lua5.4/lua.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/ops/random/random.h"
#include "runtime/tensor/shared_tensor.h"
#include "runtime/types/device.h"

namespace tide::bindings {

class Channel;

/// Lua values that can be recreated in any other state, on any thread. Numbers, strings and tables
/// are copied; tensors share their values and lose their grad functions. Functions are sent with
/// their upvalues; values in modules are looked up by name. Sharing between tables and upvalues is
/// preserved, including cycles.
class SerializedValues {
 public:
  /// Pushes the values and returns their number. Raises Lua errors, so call it in protected mode.
  int unpack(lua_State* L) const;

 private:
  friend class Packer;
  friend class Unpacker;
  friend class ValueCodec;
  static constexpr uint32_t kNone = UINT32_MAX;

  /// A table or function in a module: the module's name, then keys.
  struct Name {
    std::vector<std::string> path;
  };
  struct Pair {
    uint32_t key, value;  ///< items
  };
  struct Table {
    std::vector<Pair> pairs;
    uint32_t length = 0;  ///< of the array part
    uint32_t metatable = kNone;
  };
  struct Variable {
    uint32_t number;  ///< equal for shared upvalues
    uint32_t value;   ///< kNone: belongs to an earlier function
  };
  struct Function {
    std::string code;  ///< bytecode of lua_dump
    std::vector<Variable> variables;
  };
  struct Leaf {
    SharedTensor tensor;
    bool requires_grad;
  };
  /// The table of global variables of the state.
  struct Globals {};
  using Item = std::variant<std::monostate, bool, lua_Integer, lua_Number, std::string, Name, Table,
                            Function, Leaf, Device, Generator, std::shared_ptr<Channel>, Globals>;

  std::vector<Item> items_;
  std::vector<uint32_t> values_;  ///< the top-level items, in order
};

/// Serializes values. Call it in protected mode.
class Packer {
 public:
  /// `function` is the prefix of errors, and `place` the kind of destination named in them. Leaves
  /// a value on the stack.
  Packer(lua_State* L, const char* function, const char* place = "thread")
      : state_(L), function_(function), destination_(place) {
    learn_names();
  }

  /// Adds the value at a stack index. Throws ArgumentError if it contains a value that cannot be
  /// sent; `name` is the name of the value in errors, such as "argument 2".
  void add(int index, const std::string& name);
  /// Adds two tables: the script's global variables, and error messages by name for those that
  /// cannot be sent.
  void add_globals();
  SerializedValues take() { return std::move(serialized_); }

 private:
  using Item = SerializedValues::Item;
  uint32_t pack(int index);
  uint32_t put(Item item);
  uint32_t put_object(int index, Item item);
  uint32_t pack_table(int index);
  uint32_t pack_function(int index);
  uint32_t pack_userdata(int index);
  bool is_named(int index);
  void learn_names();
  void learn_names_in(int names, int table, const std::string& path, int depth);
  [[noreturn]] void refuse(const std::string& what) const;
  void forget_from(uint32_t item);

  lua_State* const state_;
  const char* const function_;
  const char* const destination_;
  std::string path_;  ///< path of the current value, for errors
  int depth_ = 0;
  int names_ = 0;  ///< stack index of the table of names
  SerializedValues serialized_;
  std::unordered_map<const void*, uint32_t> seen_;  ///< item numbers of objects
  std::vector<const void*> variables_;
};

}  // namespace tide::bindings
