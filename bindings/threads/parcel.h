// Lua values on their way from one Lua state to another.
#pragma once

#include <cstdint>
#include <lua5.4/lua.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/ops/random/random.h"
#include "runtime/tensor/shared_tensor.h"

namespace tide::bindings {

class Channel;

/// Lua values taken out of a state, to be made again in any other, on any thread. Numbers, strings
/// and tables are copied; tensors share their values and lose their grad functions. Functions go
/// with the variables that they use; what modules hold is found again by name. What tables and
/// variables share in one parcel they share afterwards, cycles included.
class Parcel {
 public:
  /// Pushes the values; the number of them. Raises Lua errors: to be called in a protected call.
  int unpack(lua_State* L) const;

 private:
  friend class Packer;
  friend class Unpacker;
  friend class ParcelBytes;
  static constexpr uint32_t kNone = UINT32_MAX;

  /// A table or function that a module holds: the module's name, then keys.
  struct Name {
    std::vector<std::string> path;
  };
  struct Pair {
    uint32_t key, value;  ///< items
  };
  struct Table {
    std::vector<Pair> pairs;
    uint32_t length = 0;  ///< of the list among them
    uint32_t metatable = kNone;
  };
  struct Variable {
    uint32_t number;  ///< equal for those that functions share
    uint32_t value;   ///< kNone: another function brought it
  };
  struct Function {
    std::string code;  ///< as lua_dump writes it
    std::vector<Variable> variables;
  };
  struct Leaf {
    SharedTensor tensor;
    bool requires_grad;
  };
  /// The table of the global variables, of whichever state.
  struct Globals {};
  using Item = std::variant<std::monostate, bool, lua_Integer, lua_Number, std::string, Name, Table,
                            Function, Leaf, Device, Generator, std::shared_ptr<Channel>, Globals>;

  std::vector<Item> items_;
  std::vector<uint32_t> values_;  ///< the items that were packed, in order
};

/// Makes a parcel. To be called in a protected call.
class Packer {
 public:
  /// `function` begins the errors, which say what cannot go to another `place`. Leaves a value on
  /// the stack.
  Packer(lua_State* L, const char* function, const char* place = "thread")
      : state_(L), function_(function), there_(place) {
    learn_names();
  }

  /// Adds the value at a stack index. Throws ArgumentError if it, or something that it holds,
  /// cannot go there; `name` says what the value is called: "argument 2".
  void add(int index, const std::string& name);
  /// Adds two tables: the script's global variables, and by name why others are not among them.
  void add_globals();
  Parcel take() { return std::move(parcel_); }

 private:
  using Item = Parcel::Item;
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
  const char* const there_;
  std::string place_;  ///< of the value that is packed, for errors
  int depth_ = 0;
  int names_ = 0;  ///< stack index of the names of what modules hold
  Parcel parcel_;
  std::unordered_map<const void*, uint32_t> seen_;  ///< the items of objects
  std::vector<const void*> variables_;
};

}  // namespace tide::bindings
