// Serializes and deserializes Lua values.
#include "bindings/threads/serialized_values.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "bindings/module.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/generator_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/object.h"
#include "bindings/threads/channel.h"

namespace tide::bindings {
namespace {

constexpr int kMostLevels = 200;
constexpr int kModuleLevels = 3;  ///< tide.nn.Linear, tide.native.methods.add
constexpr char kLibrary[] = "tide";
constexpr char kSeparator = '\1';

/// Registry keys: the names of values in modules, and the number of modules they come from.
constexpr char kNames = 0, kModuleCount = 0;

constinit thread_local bool loads_own_chunk = false;

int append(lua_State*, const void* data, size_t size, void* to) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return 0;
}

const char* read_whole(lua_State*, void* from, size_t* size) {
  auto*& code = *static_cast<const std::string**>(from);
  if (!code) return nullptr;
  const std::string* const whole = std::exchange(code, nullptr);
  *size = whole->size();
  return whole->data();
}

/// Whether the script added this function to a standard library table. Lua functions and C closures
/// are the script's; `require` is not. (The name is at index - 1.)
bool is_of_script(lua_State* L, int index) {
  if (!lua_iscfunction(L, index)) return true;
  if (!lua_getupvalue(L, index, 1)) return false;
  lua_pop(L, 1);
  return std::strcmp(lua_tostring(L, index - 1), "require") != 0;
}

/// Whether every state has a global function of this name.
bool is_of_base(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "assert",   "collectgarbage", "dofile", "error",   "getmetatable", "ipairs",
      "load",     "loadfile",       "next",   "pcall",   "print",        "rawequal",
      "rawget",   "rawlen",         "rawset", "require", "select",       "setmetatable",
      "tonumber", "tostring",       "type",   "warn",    "xpcall"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

void Packer::refuse(const std::string& what) const {
  throw ArgumentError(std::string(function_) + ": " + path_ + ": " + what +
                      " cannot go to another " + destination_);
}

void Packer::add(int index, const std::string& name) {
  path_ = name;
  serialized_.values_.push_back(pack(index));
}

uint32_t Packer::put(Item item) {
  serialized_.items_.push_back(std::move(item));
  return static_cast<uint32_t>(serialized_.items_.size() - 1);
}

uint32_t Packer::put_object(int index, Item item) {
  const uint32_t number = put(std::move(item));
  seen_.emplace(lua_topointer(state_, index), number);
  return number;
}

uint32_t Packer::pack(int index) {
  lua_State* const L = state_;
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return put(std::monostate());
    case LUA_TBOOLEAN:
      return put(lua_toboolean(L, index) != 0);
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) return put(lua_tointeger(L, index));
      return put(lua_tonumber(L, index));
    case LUA_TSTRING: {
      size_t size;
      const char* text = lua_tolstring(L, index, &size);
      return put(std::string(text, size));
    }
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TUSERDATA:
      break;
    default:
      refuse(std::string("a ") + luaL_typename(L, index));
  }
  if (const auto found = seen_.find(lua_topointer(L, index)); found != seen_.end())
    return found->second;
  if (lua_type(L, index) == LUA_TUSERDATA) return pack_userdata(index);
  lua_pushglobaltable(L);
  const bool is_globals = lua_rawequal(L, -1, index);
  lua_pop(L, 1);
  if (is_globals) return put_object(index, SerializedValues::Globals());
  if (is_named(index)) {
    std::vector<std::string> path;
    const std::string text = lua_tostring(L, -1);
    for (size_t first = 0; first <= text.size();) {
      const size_t last = std::min(text.find(kSeparator, first), text.size());
      path.push_back(text.substr(first, last - first));
      first = last + 1;
    }
    lua_pop(L, 1);
    return put_object(index, SerializedValues::Name{std::move(path)});
  }
  if (depth_ == kMostLevels)
    refuse("a value nested " + std::to_string(kMostLevels) + " levels deep");
  luaL_checkstack(L, 8, "values of a thread");
  ++depth_;
  const size_t length = path_.size();
  const uint32_t item = lua_type(L, index) == LUA_TTABLE ? pack_table(index) : pack_function(index);
  path_.resize(length);
  --depth_;
  return item;
}

uint32_t Packer::pack_table(int index) {
  lua_State* const L = state_;
  const uint32_t number = put_object(index, SerializedValues::Table());
  const size_t length = path_.size();
  std::vector<SerializedValues::Pair> pairs;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_type(L, -2) == LUA_TSTRING)
      path_ += std::string(".") + lua_tostring(L, -2);
    else if (lua_isinteger(L, -2))
      path_ += "[" + std::to_string(lua_tointeger(L, -2)) + "]";
    else
      path_ += std::string("[a ") + luaL_typename(L, -2) + "]";
    const uint32_t key = pack(-2);
    pairs.push_back({key, pack(-1)});
    path_.resize(length);
    lua_pop(L, 1);
  }
  uint32_t metatable = SerializedValues::kNone;
  if (lua_getmetatable(L, index)) {
    path_ += " (metatable)";
    metatable = pack(-1);
    lua_pop(L, 1);
  }
  const auto listed =
      static_cast<uint32_t>(std::min<lua_Unsigned>(lua_rawlen(L, index), pairs.size()));
  serialized_.items_[number] = SerializedValues::Table{std::move(pairs), listed, metatable};
  return number;
}

uint32_t Packer::pack_function(int index) {
  lua_State* const L = state_;
  if (lua_iscfunction(L, index)) refuse("a C function that is not in a module");
  const uint32_t number = put_object(index, SerializedValues::Function());
  SerializedValues::Function function;
  lua_pushvalue(L, index);
  lua_dump(L, append, &function.code, 0);
  lua_pop(L, 1);
  const size_t length = path_.size();
  for (int n = 1; const char* name = lua_getupvalue(L, index, n); ++n) {
    const void* const variable = lua_upvalueid(L, index, n);
    const auto found = std::find(variables_.begin(), variables_.end(), variable);
    const auto place = static_cast<uint32_t>(found - variables_.begin());
    if (found == variables_.end()) {
      variables_.push_back(variable);
      path_ += std::string(" (its variable '") + name + "')";
      // Registered before packing, as the value may be a function that shares the variable.
      const uint32_t value = pack(-1);
      function.variables.push_back({place, value});
      path_.resize(length);
    } else {
      function.variables.push_back({place, SerializedValues::kNone});
    }
    lua_pop(L, 1);
  }
  serialized_.items_[number] = std::move(function);
  return number;
}

uint32_t Packer::pack_userdata(int index) {
  lua_State* const L = state_;
  if (const Tensor* tensor = find_tensor(L, index))
    return put_object(index, SerializedValues::Leaf{SharedTensor(*tensor),
                                                    tensor->requires_grad() && tensor->is_leaf()});
  if (const Device* device = find<Device>(L, index)) return put_object(index, *device);
  if (const Generator* generator = find<Generator>(L, index)) return put_object(index, *generator);
  if (const auto* channel = find<std::shared_ptr<Channel>>(L, index))
    return put_object(index, *channel);
  refuse(std::string("a ") + type_name(L, index));
}

/// Whether the table or function belongs to a module; if so, pushes its path.
bool Packer::is_named(int index) {
  lua_State* const L = state_;
  lua_pushvalue(L, index);
  if (lua_rawget(L, names_) == LUA_TSTRING) return true;
  lua_pop(L, 1);
  return false;
}

/// Pushes the table of names. It is rebuilt when the number of modules has changed.
void Packer::learn_names() {
  lua_State* const L = state_;
  luaL_checkstack(L, 16, "values of a thread");
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) ++count;
  const bool known = lua_rawgetp(L, LUA_REGISTRYINDEX, &kModuleCount) == LUA_TNUMBER &&
                     lua_tointeger(L, -1) == count;
  lua_pop(L, 1);
  if (known) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kNames);
    lua_remove(L, -2);
    names_ = lua_gettop(L);
    return;
  }
  lua_newtable(L);
  const int names = lua_gettop(L), loaded = names - 1;
  // Modules come first, so that none gets a name inside another; globals come last, because a
  // script may have assigned values of modules to globals.
  for (const int pass : {0, 1, 2}) {
    const bool inside = pass > 0;
    for (lua_pushnil(L); lua_next(L, loaded); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) continue;
      const std::string name = lua_tostring(L, -2);
      const int value = lua_gettop(L);
      if (inside && (name == LUA_GNAME) != (pass == 2)) continue;
      if (inside && lua_istable(L, value)) {
        learn_names_in(names, value, name, name.starts_with(kLibrary) ? 1 : kModuleLevels);
      } else if (!inside && name != LUA_GNAME &&
                 (lua_istable(L, value) || lua_isfunction(L, value))) {
        lua_pushvalue(L, value);
        lua_pushstring(L, name.c_str());
        lua_rawset(L, names);
      }
    }
  }
  lua_newtable(L);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, names);
  lua_pushvalue(L, names);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kNames);
  lua_pushinteger(L, count);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kModuleCount);
  lua_remove(L, loaded);
  names_ = lua_gettop(L);
}

/// Names the functions in a table, and its tables down to a depth. Other values that a script
/// stores in a module are sent by value.
void Packer::learn_names_in(int names, int table, const std::string& path, int depth) {
  lua_State* const L = state_;
  luaL_checkstack(L, 8, "values of a thread");
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const int value = lua_gettop(L);
    const bool deep = lua_istable(L, value) && depth < kModuleLevels;
    const bool open = path == LUA_GNAME || path == LUA_LOADLIBNAME;
    if (!deep && (!lua_isfunction(L, value) || (open && is_of_script(L, value)))) continue;
    if (path == LUA_GNAME && !is_of_base(lua_tostring(L, -2))) continue;
    lua_pushvalue(L, value);
    const bool known = lua_rawget(L, names) != LUA_TNIL;
    lua_pop(L, 1);
    if (known) continue;
    const std::string place = path + kSeparator + lua_tostring(L, -2);
    lua_pushvalue(L, value);
    lua_pushstring(L, place.c_str());
    lua_rawset(L, names);
    if (deep) learn_names_in(names, value, place, depth + 1);
  }
}

void Packer::forget_from(uint32_t item) {
  serialized_.items_.resize(item);
  std::erase_if(seen_, [&](const auto& seen) { return seen.second >= item; });
}

void Packer::add_globals() {
  lua_State* const L = state_;
  std::vector<SerializedValues::Pair> there, missing;
  lua_pushglobaltable(L);
  const int globals = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, globals); lua_settop(L, globals + 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const std::string name = lua_tostring(L, -2);
    const auto before = static_cast<uint32_t>(serialized_.items_.size());
    const size_t variables = variables_.size();
    const int depth = depth_;
    const uint32_t key = put(name);
    try {
      path_ = "global '" + name + "'";
      there.push_back({key, pack(globals + 2)});
    } catch (const ArgumentError& error) {
      forget_from(before);
      variables_.resize(variables);
      depth_ = depth;
      const uint32_t again = put(name);
      missing.push_back({again, put(std::string(error.what()))});
    }
  }
  lua_settop(L, globals - 1);
  serialized_.values_.push_back(put(SerializedValues::Table{std::move(there)}));
  serialized_.values_.push_back(put(SerializedValues::Table{std::move(missing)}));
}

/// Deserializes items in a state. The table at stack index `made` holds tables, functions and
/// objects by item number, and the locations of upvalues by negative numbers.
class Unpacker {
 public:
  Unpacker(lua_State* L, const SerializedValues& values, int made)
      : state_(L), serialized_(values), made_(made) {}

  /// Pushes the value of an item.
  void make(uint32_t number) {
    lua_State* const L = state_;
    luaL_checkstack(L, 8, "values of a thread");
    if (lua_rawgeti(L, made_, lua_Integer{number} + 1) != LUA_TNIL) return;
    lua_pop(L, 1);
    std::visit([&](const auto& item) { push(item, number); }, serialized_.items_[number]);
  }

 private:
  void remember(uint32_t number) {
    lua_pushvalue(state_, -1);
    lua_rawseti(state_, made_, lua_Integer{number} + 1);
  }

  void push(std::monostate, uint32_t) { lua_pushnil(state_); }
  void push(bool value, uint32_t) { lua_pushboolean(state_, value); }
  void push(lua_Integer value, uint32_t) { lua_pushinteger(state_, value); }
  void push(lua_Number value, uint32_t) { lua_pushnumber(state_, value); }
  void push(const std::string& value, uint32_t) {
    lua_pushlstring(state_, value.data(), value.size());
  }
  void push(SerializedValues::Globals, uint32_t) { lua_pushglobaltable(state_); }

  void push(const SerializedValues::Name& name, uint32_t number) {
    lua_getglobal(state_, "require");
    lua_pushstring(state_, name.path[0].c_str());
    lua_call(state_, 1, 1);
    for (size_t i = 1; i < name.path.size(); ++i) {
      if (lua_getfield(state_, -1, name.path[i].c_str()) == LUA_TNIL)
        luaL_error(state_, "module '%s' has no '%s' in another thread", name.path[0].c_str(),
                   name.path[i].c_str());
      lua_remove(state_, -2);
    }
    remember(number);
  }

  void push(const SerializedValues::Table& table, uint32_t number) {
    lua_createtable(state_, static_cast<int>(table.length),
                    static_cast<int>(table.pairs.size() - table.length));
    remember(number);
    for (const auto& [key, value] : table.pairs) {
      make(key);
      make(value);
      lua_rawset(state_, -3);
    }
    if (table.metatable == SerializedValues::kNone) return;
    make(table.metatable);
    lua_setmetatable(state_, -2);
  }

  void push(const SerializedValues::Function& function, uint32_t number) {
    const std::string* code = &function.code;
    loads_own_chunk = true;
    const int status = lua_load(state_, read_whole, static_cast<void*>(&code), "function", "b");
    loads_own_chunk = false;
    if (status != LUA_OK) lua_error(state_);
    remember(number);
    int place = 0;
    for (const auto& [variable, value] : function.variables) {
      ++place;
      const lua_Integer where = -lua_Integer{variable} - 1;
      if (value == SerializedValues::kNone) {
        lua_rawgeti(state_, made_, where);
        const lua_Integer first = lua_tointeger(state_, -1);
        lua_rawgeti(state_, made_, first / 256 + 1);
        lua_upvaluejoin(state_, -3, place, -1, static_cast<int>(first % 256));
        lua_pop(state_, 2);
        continue;
      }
      lua_pushinteger(state_, lua_Integer{number} * 256 + place);
      lua_rawseti(state_, made_, where);
      make(value);
      lua_setupvalue(state_, -2, place);
    }
  }

  void push(const SerializedValues::Leaf& leaf, uint32_t number) {
    Tensor tensor = leaf.tensor.tensor();
    if (leaf.requires_grad) tensor.set_requires_grad(true);
    push_tensor(state_, std::move(tensor));
    remember(number);
  }

  void push(Device device, uint32_t) { push_device(state_, device); }
  void push(const Generator& generator, uint32_t number) {
    push_object(state_, generator);
    remember(number);
  }
  void push(const std::shared_ptr<Channel>& channel, uint32_t number) {
    push_object(state_, channel);
    remember(number);
  }

  lua_State* const state_;
  const SerializedValues& serialized_;
  const int made_;
};

int SerializedValues::unpack(lua_State* L) const {
  luaL_checkstack(L, static_cast<int>(values_.size()) + 8, "values of a thread");
  lua_newtable(L);
  const int made = lua_gettop(L);
  Unpacker unpacker(L, *this, made);
  for (const uint32_t value : values_) unpacker.make(value);
  lua_remove(L, made);
  return static_cast<int>(values_.size());
}

}  // namespace tide::bindings

bool tide_loads_own_chunk() { return tide::bindings::loads_own_chunk; }
