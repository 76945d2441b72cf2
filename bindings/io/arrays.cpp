// Reads tensors for files, and creates tensors from arrays in files.
#include "bindings/io/arrays.h"

#include <algorithm>

#include "bindings/objects/tensor_object.h"
#include "bindings/support/arguments.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {

void ArraysToWrite::add(std::string name, const Tensor& x) {
  HostArray array(x.dtype(), x.shape());
  x.read(array.data.get(), "save");
  arrays_.push_back({std::move(name), array.type, array.shape, array.data.get()});
  elements_.push_back(std::move(array));
}

void add_table(lua_State* L, int index, const std::string& prefix, const char* function,
               std::vector<std::pair<std::string, Tensor>>& tensors) {
  constexpr int kDeepest = 64;
  if (!lua_checkstack(L, 4) || lua_gettop(L) > 3 * kDeepest)
    throw ArgumentError(std::string(function) + ": tables are nested too deep");
  lua_pushnil(L);
  while (lua_next(L, index)) {
    std::string name = prefix;
    if (lua_type(L, -2) == LUA_TSTRING)
      name += lua_tostring(L, -2);
    else if (lua_isinteger(L, -2))
      name += std::to_string(lua_tointeger(L, -2));
    else
      throw ArgumentError(std::string(function) + ": names must be strings, got " +
                          type_name(L, -2));
    if (const Tensor* tensor = find_tensor(L, -1))
      tensors.emplace_back(std::move(name), *tensor);
    else if (lua_type(L, -1) == LUA_TTABLE)
      add_table(L, lua_gettop(L), name + ".", function, tensors);
    else
      throw_expected(L, -1, std::string(function) + ": '" + name + "'", "tensor");
    lua_pop(L, 1);
  }
  if (prefix.empty())
    std::ranges::sort(
        tensors, {}, [](const auto& named) -> auto& { return named.first; });
}

Tensor tensor_of(HostArray array, Device device) {
  std::shared_ptr<const std::byte[]> elements(std::move(array.data));
  return record_constant(std::move(elements), array.shape, array.type, device);
}

void push_arrays(lua_State* L, NamedArrays arrays, Device device) {
  lua_createtable(L, 0, static_cast<int>(arrays.size()));
  for (auto& [name, array] : arrays) {
    lua_pushlstring(L, name.data(), name.size());
    push_tensor(L, tensor_of(std::move(array), device));
    lua_rawset(L, -3);
  }
}

}  // namespace tide::bindings
