// Binds the values of a call to the parameters of an op.
#include <algorithm>
#include <iterator>
#include <string>

#include "bindings/objects/device_object.h"
#include "bindings/objects/event_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/ops/stand_in.h"
#include "bindings/support/arguments.h"

namespace tide::bindings {
namespace {

using Reason = Mismatch::Reason;

/// Whether the value is a table other than a tensor-like object.
bool is_list(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TTABLE && !is_stand_in(L, index);
}

bool is_device(lua_State* L, int index) { return find<Device>(L, index) != nullptr; }

bool is_callable(lua_State* L, int index) {
  if (lua_isfunction(L, index)) return true;
  if (luaL_getmetafield(L, index, "__call") == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

/// Whether the value is an object of the class.
bool is_object(lua_State* L, const ClassInfo* info, int index) {
  const void* box = lua_touserdata(L, index);
  return box && lua_rawlen(L, index) >= sizeof(Box<char>) &&
         *static_cast<const ClassInfo* const*>(box) == info;
}

bool holds_two_tables(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) != 2) return false;
  const bool first = lua_rawgeti(L, index, 1) == LUA_TTABLE;
  const bool second = lua_rawgeti(L, index, 2) == LUA_TTABLE;
  lua_pop(L, 2);
  return first && second;
}

/// Whether the type of the value at `index` matches the parameter.
bool accepts(lua_State* L, const Signature& signature, int parameter, int index) {
  const int type = lua_type(L, index);
  const bool number = type == LUA_TNUMBER;
  switch (signature.parameters[parameter].kind) {
    case Kind::tensor:
      return find_tensor(L, index) != nullptr;
    case Kind::tensor_or_number:
      return number || type == LUA_TBOOLEAN || find_tensor(L, index) != nullptr;
    case Kind::number:
      return number || type == LUA_TBOOLEAN;
    case Kind::integer:
    case Kind::real:
    case Kind::dim:
    case Kind::position:
      return number;
    case Kind::boolean:
      return type == LUA_TBOOLEAN;
    case Kind::text:
    case Kind::dtype:
    case Kind::memory_format:
      return type == LUA_TSTRING;
    case Kind::device_or_index:
      if (number) return true;
      [[fallthrough]];
    case Kind::device:
      return type == LUA_TSTRING || is_device(L, index);
    case Kind::stream_or_device:
      return type == LUA_TSTRING || is_device(L, index) || find<StreamObject>(L, index);
    case Kind::dims:
    case Kind::sizes:
    case Kind::shape:
    case Kind::reals:
      return number || is_list(L, index);
    case Kind::tensors:
      return is_list(L, index) && !holds_stand_in(L, index);
    case Kind::tensor_list:
      return find_tensor(L, index) || is_list(L, index);
    case Kind::integers:
    case Kind::device_list:
    case Kind::options:
    case Kind::table:
      return is_list(L, index);
    case Kind::object:
      return is_object(L, signature.classes[parameter], index);
    case Kind::callable:
      return is_callable(L, index);
    case Kind::value:
    case Kind::values:
      return true;
    case Kind::targets:  // only with accepts_in_rest
      return false;
    case Kind::dim_lists:
      return holds_two_tables(L, index);
  }
  return false;
}

/// Whether the value can be one of the arguments of a variadic parameter of this kind.
bool accepts_in_rest(lua_State* L, Kind kind, int index) {
  if (kind == Kind::tensors) return find_tensor(L, index) != nullptr;
  const int type = lua_type(L, index);
  if (kind != Kind::targets) return type == LUA_TNUMBER;
  return type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TSTRING || is_device(L, index) ||
         find_tensor(L, index);
}

}  // namespace

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::tensor:
      return "tensor";
    case Kind::tensor_or_number:
      return "tensor or number";
    case Kind::number:
      return "number";
    case Kind::integer:
      return "integer";
    case Kind::real:
      return "number";
    case Kind::boolean:
      return "boolean";
    case Kind::text:
      return "string";
    case Kind::dim:
      return "dimension";
    case Kind::dims:
      return "dimension or table of dimensions";
    case Kind::dim_lists:
      return "table of two tables of dimensions";
    case Kind::position:
      return "position";
    case Kind::sizes:
      return "integer or table of integers";
    case Kind::shape:
      return "integers or table of integers";
    case Kind::dtype:
      return "type name";
    case Kind::device:
      return "device";
    case Kind::tensors:
      return "table of tensors";
    case Kind::tensor_list:
      return "tensor or table of tensors";
    case Kind::integers:
      return "table of integers";
    case Kind::reals:
      return "number or table of numbers";
    case Kind::memory_format:
      return "memory format";
    case Kind::stream_or_device:
      return "stream or device";
    case Kind::device_or_index:
      return "device or index";
    case Kind::device_list:
      return "table of devices";
    case Kind::targets:
      return "device, type name, tensor or boolean";
    case Kind::object:
      return "object";
    case Kind::value:
    case Kind::values:
      return "value";
    case Kind::table:
      return "table";
    case Kind::callable:
      return "function";
    case Kind::options:
      return "table of options";
  }
  return "";
}

namespace {

constexpr std::string_view kOptionNames[] = {"dtype", "device", "requires_grad"};

/// The index of an option of creation functions; -1 for other options, -2 for options that are
/// accepted everywhere but have no effect.
int tensor_option(std::string_view key) {
  if (key == "ctx") return kDeviceOption;
  if (key == "pin_memory") return kPinMemoryOption;
  if (key == "memory_format") return kMemoryFormatOption;
  if (key == "non_blocking") return -2;
  const auto* const place = std::find(std::begin(kOptionNames), std::end(kOptionNames), key);
  return place == std::end(kOptionNames) ? -1 : static_cast<int>(place - kOptionNames);
}

bool takes_options(const Signature& signature) {
  return signature.count && signature.parameters[signature.count - 1].kind == Kind::options;
}

/// Whether the parameter can be given by name.
bool has_name(const Signature& signature, int parameter) {
  const Parameter& p = signature.parameters[parameter];
  return p.kind != Kind::options && p.kind != Kind::targets &&
         (p.by_name || !signature.takes_all());
}

int parameter_named(const Signature& signature, std::string_view key) {
  for (int p = 0; p < signature.count; ++p)
    if (has_name(signature, p) && signature.name(p) == key) return p;
  return -1;
}

/// Binds the values of the options table at `table`; they stay on the stack.
Mismatch bind_options(Call& call, int table, int progress) {
  lua_State* L = call.L;
  const Signature& signature = *call.signature;
  luaL_checkstack(L, kMaxParameters + kTensorOptionCount + 4, "options");
  lua_pushnil(L);
  while (lua_next(L, table)) {
    size_t size;
    // lua_tolstring must not convert the key in place: that would break lua_next.
    const char* text =
        lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : (size = 0, "");
    const std::string_view key(text, size);
    lua_insert(L, -2);  // keep the value below the key
    const int value = lua_gettop(L) - 1;
    if (const int p = parameter_named(signature, key); p >= 0) {
      if (call.given(p)) return {Reason::twice, p, value + 1, progress};
      if (!accepts(L, signature, p, value)) return {Reason::wrong_kind, p, value, progress};
      call.index[p] = value;
      call.by_name |= 1u << p;
      continue;
    }
    if (key == "generator") {
      call.generator = value;  // ignored by ops without random numbers
      continue;
    }
    const int option = takes_options(signature) ? tensor_option(key) : -1;
    if (option == -1) return {Reason::unknown_option, 0, value + 1, progress};
    if (option >= 0) call.option[option] = value;
  }
  return {};
}

}  // namespace

bool is_options_table(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) > 0) return false;
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  bool named = false;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    named = lua_type(L, -2) == LUA_TSTRING;
    lua_pop(L, named ? 1 : 2);
    if (!named) break;
  }
  return named;
}

namespace {

/// Whether the last value is a table of options that are all nil: {device = device}.
bool is_empty_options(lua_State* L, int index, int top) {
  if (index != top || lua_type(L, index) != LUA_TTABLE) return false;
  lua_pushnil(L);
  if (!lua_next(L, index)) return true;
  lua_pop(L, 2);
  return false;
}

/// Whether the last of `top` values is for a parameter that takes tables as they are.
bool keeps_tables(const Signature& signature, int top) {
  if (signature.count == 0) return false;
  if (signature.takes_all()) return true;
  const Kind kind = signature.parameters[std::min<int>(top, signature.count) - 1].kind;
  return kind == Kind::value || kind == Kind::table;
}

/// Binds the call of a function whose last parameter takes all further values. Optional parameters
/// before it are left out if the next value does not fit, except the last one.
Mismatch bind_all(Call& call, int top) {
  lua_State* L = call.L;
  const Signature& signature = *call.signature;
  const int last = signature.count - 1;
  int i = 1;
  for (int p = 0; p < last; ++p) {
    const Parameter& parameter = signature.parameters[p];
    if (parameter.by_name) {
      if (i <= top && (is_options_table(L, i) || is_empty_options(L, i, i))) {
        if (Mismatch mismatch = bind_options(call, i, i); mismatch.reason != Reason::none)
          return mismatch;
        ++i;
      }
      while (signature.parameters[p + 1].by_name) ++p;
    } else if (i > top) {
      if (!parameter.optional) return {Reason::missing, p, 0, i};
    } else if (lua_isnil(L, i) && parameter.optional) {
      ++i;
    } else if (accepts(L, signature, p, i)) {
      call.index[p] = i++;
    } else if (!parameter.optional || p == last - 1) {
      return {Reason::wrong_kind, p, i, i};
    }
  }
  call.index[last] = i;
  call.rest_count = std::max(0, top - i + 1);
  return {};
}

}  // namespace

Mismatch bind(Call& call, int top) {
  lua_State* L = call.L;
  const Signature& signature = *call.signature;
  call.index.fill(0);
  call.option.fill(0);
  call.rest_count = 0;
  call.by_name = 0;
  call.generator = 0;
  if (signature.takes_all()) return bind_all(call, top);
  const bool named = top > 0 && is_options_table(L, top) && !keeps_tables(signature, top);
  const int positional = named ? top - 1 : top;
  int i = 1;
  for (int p = 0; p < signature.count && i <= positional; ++p) {
    const Parameter& parameter = signature.parameters[p];
    if (parameter.by_name) break;
    if (parameter.rest && accepts_in_rest(L, parameter.kind, i)) {
      call.index[p] = i;
      for (; i <= positional && !is_empty_options(L, i, top); ++i, ++call.rest_count)
        if (!accepts_in_rest(L, parameter.kind, i)) return {Reason::wrong_kind, p, i, i};
    } else if (lua_isnil(L, i)) {
      ++i;
    } else if (accepts(L, signature, p, i)) {
      call.index[p] = i++;
    } else if (parameter.optional && is_empty_options(L, i, top)) {
      break;
    } else {
      return {Reason::wrong_kind, p, i, i};
    }
  }
  while (i <= positional && lua_isnil(L, i)) ++i;
  if (is_empty_options(L, i, top)) ++i;
  if (i <= positional) return {Reason::too_many, 0, i, i};
  if (named)
    if (Mismatch mismatch = bind_options(call, top, i); mismatch.reason != Reason::none)
      return mismatch;
  for (int p = 0; p < signature.count; ++p)
    if (!call.given(p) && !signature.parameters[p].optional)
      return {Reason::missing, p, 0, named || p < positional ? p : i};
  return {};
}

namespace {

/// "argument 2 (other)", or "option 'keepdim'" for a value pushed after the `top` arguments.
std::string parameter_text(const Call& call, int parameter, int index, int top) {
  const std::string name(call.signature->name(parameter));
  if (index > top) return "option '" + name + "'";
  return argument_text(index && call.signature->takes_all() ? index : parameter + 1, name);
}

std::string known_options(const Signature& signature) {
  std::string known;
  const auto add = [&](std::string_view name) {
    known += known.empty() ? "" : ", ";
    known += name;
  };
  for (int p = 0; p < signature.count; ++p)
    if (signature.parameters[p].optional && has_name(signature, p)) add(signature.name(p));
  if (takes_options(signature))
    for (std::string_view name : kOptionNames) add(name);
  return known.empty() ? "there are none" : "known are " + known;
}

[[noreturn, gnu::cold]] void throw_unknown_option(const Call& call, const std::string& key) {
  throw ArgumentError(std::string(call.name) + ": unknown option '" + key +
                      "': " + known_options(*call.signature));
}

}  // namespace

void throw_mismatch(const Call& call, const Mismatch& mismatch, int top) {
  lua_State* L = call.L;
  const Signature& signature = *call.signature;
  const std::string name = call.name;
  const int p = mismatch.parameter;
  const ClassInfo* const info = signature.classes ? signature.classes[p] : nullptr;
  switch (mismatch.reason) {
    case Reason::wrong_kind:
    case Reason::missing:
      throw_expected(L, mismatch.index ? mismatch.index : lua_gettop(L) + 1,
                     name + ": " + parameter_text(call, p, mismatch.index, top),
                     info ? info->word : kind_text(signature.parameters[p].kind));
    case Reason::too_many:
      if (mismatch.index <= signature.count && signature.parameters[mismatch.index - 1].by_name)
        throw_expected(L, mismatch.index, name + ": " + argument_text(mismatch.index, ""),
                       kind_text(Kind::options));
      throw ArgumentError(name + ": too many arguments: argument " +
                          std::to_string(mismatch.index) + " is a " + type_name(L, mismatch.index));
    case Reason::twice:
      throw ArgumentError(name + ": " + parameter_text(call, p, 0, top) +
                          ": given both by position and by name");
    case Reason::unknown_option: {
      const char* key = lua_type(L, mismatch.index) == LUA_TSTRING ? lua_tostring(L, mismatch.index)
                                                                   : type_name(L, mismatch.index);
      throw_unknown_option(call, key);
    }
    case Reason::none:
      break;
  }
  throw InternalError(name + ": arguments rejected without a reason");
}

Call bound_call(lua_State* L, const char* name, const Signature& signature) {
  Call call;
  call.L = L;
  call.name = name;
  call.signature = &signature;
  const int top = lua_gettop(L);
  if (const Mismatch mismatch = bind(call, top); mismatch.reason != Reason::none)
    throw_mismatch(call, mismatch, top);
  if (call.generator)  // only ops take one
    throw_unknown_option(call, "generator");
  return call;
}

}  // namespace tide::bindings
