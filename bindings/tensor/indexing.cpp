// x[...], x[...] = value, x.field, #x.
#include "runtime/ops/index/indexing.h"

#include <string>
#include <string_view>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

using Entry = IndexEntry;

[[noreturn]] void throw_entry(lua_State* L, int index) {
  throw_expected(L, index, "index",
                 "a position, a range {first, last}, a tensor, \"...\" or \"new\"");
}

/// Throws for a named field in addition to the `length` entries of the list at `table`: {1, 4, step
/// = 2}.
void refuse_names(lua_State* L, int table, lua_Integer length, const char* form) {
  // Array entries come first, except in lists created out of order.
  if (length == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, length);
  for (; lua_next(L, table); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2)) continue;
    const std::string_view name =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : type_name(L, -2);
    if (name == "n") continue;  // set by table.pack
    throw ArgumentError(std::string("index: ") + form + "; named fields are not supported, got \"" +
                        std::string(name) + "\"");
  }
}

/// The range {}, {first, last} or {first, last, step} in the table at `table`.
Entry range_entry(lua_State* L, int table) {
  Entry entry;
  const auto length = lua_rawlen(L, table);
  refuse_names(L, table, static_cast<lua_Integer>(length), "a range is {first, last, step}");
  if (length == 0) return entry;
  if (length != 2 && length != 3)
    throw ArgumentError("index: a range is {first, last} or {first, last, step}: got " +
                        std::to_string(length) + " numbers");
  entry.kind = Entry::Kind::range;
  int64_t* const parts[] = {&entry.first, &entry.last, &entry.step};
  for (lua_Unsigned i = 0; i < length; ++i) {
    lua_rawgeti(L, table, static_cast<lua_Integer>(i) + 1);
    if (!integer_at(L, -1, parts[i]))
      throw ArgumentError(std::string("index: a range needs integers, got ") +
                          (lua_isnumber(L, -1) ? lua_tostring(L, -1) : type_name(L, -1)));
    lua_pop(L, 1);
  }
  return entry;
}

Entry text_entry(lua_State* L, int index) {
  const std::string_view text = lua_tostring(L, index);
  Entry entry;
  if (text == "...")
    entry.kind = Entry::Kind::ellipsis;
  else if (text == "new")
    entry.kind = Entry::Kind::new_dim;
  else
    throw ArgumentError("index: expected \"...\" or \"new\", got \"" + std::string(text) +
                        "\"; use {} to select an entire dimension");
  return entry;
}

/// One entry of x[{...}], at an absolute stack index.
Entry entry_at(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: {
      Entry entry;
      entry.kind = Entry::Kind::position;
      if (!integer_at(L, index, &entry.first))
        throw ArgumentError("index: expected an integer index, got " +
                            std::to_string(lua_tonumber(L, index)));
      return entry;
    }
    case LUA_TSTRING:
      return text_entry(L, index);
    case LUA_TTABLE:
      return range_entry(L, index);
    default:
      if (const Tensor* tensor = find_tensor(L, index)) {
        Entry entry;
        entry.kind = Entry::Kind::tensor;
        entry.tensor = *tensor;
        return entry;
      }
      throw_entry(L, index);
  }
}

/// The entries of the key at stack index 2.
std::vector<Entry> read_entries(lua_State* L) {
  std::vector<Entry> entries;
  if (lua_type(L, 2) != LUA_TTABLE) {
    entries.push_back(entry_at(L, 2));
    return entries;
  }
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, 2));
  refuse_names(L, 2, length, "an index is a list of entries");
  entries.reserve(static_cast<size_t>(length));
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_rawgeti(L, 2, i);
    entries.push_back(entry_at(L, lua_gettop(L)));
    lua_pop(L, 1);
  }
  return entries;
}

/// x[i], or nil for an index one past the end, so that ipairs stops.
int index_position(lua_State* L, const Tensor& x) {
  int64_t position;
  if (!integer_at(L, 2, &position))
    throw ArgumentError("index: expected an integer index, got " +
                        std::to_string(lua_tonumber(L, 2)));
  if (x.rank() > 0 && position == x.shape()[0] + 1) return 0;
  push_tensor(L, index_first(x, position));
  return 1;
}

// --- fields --------------------------------------------------------------------------------------

int get_shape(lua_State* L, const Tensor& x) {
  const Shape& shape = x.shape();
  lua_createtable(L, shape.rank(), 0);
  for (int d = 0; d < shape.rank(); ++d) {
    lua_pushinteger(L, shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  make_list(L);
  return 1;
}

int get_dtype(lua_State* L, const Tensor& x) {
  const std::string_view name = name_of(x.dtype());
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

int get_device(lua_State* L, const Tensor& x) {
  push_device(L, x.device());
  return 1;
}

int get_grad(lua_State* L, const Tensor& x) {
  push_tensor(L, x.grad());
  return 1;
}

int get_requires_grad(lua_State* L, const Tensor& x) {
  lua_pushboolean(L, x.requires_grad());
  return 1;
}

int get_is_leaf(lua_State* L, const Tensor& x) {
  lua_pushboolean(L, x.is_leaf());
  return 1;
}

int get_grad_fn(lua_State* L, const Tensor& x) {
  push_grad_function(L, x);
  return 1;
}

int get_retains_grad(lua_State* L, const Tensor& x) {
  lua_pushboolean(L, retains_grad(x));
  return 1;
}

int get_transposed(lua_State* L, const Tensor& x) {
  enter(L);
  push_tensor(L, reverse_dims(x));
  return 1;
}

int get_matrix_transposed(lua_State* L, const Tensor& x) {
  enter(L);
  push_tensor(L, matrix_transpose(x));
  return 1;
}

/// The conjugate transpose, which for real matrices is the transpose.
int get_adjoint(lua_State* L, const Tensor& x) {
  if (x.rank() != 0 && x.rank() != 2)
    throw ShapeError("H: expected a matrix, got " + x.shape().text() +
                     "; use mH for batches of matrices");
  enter(L);
  push_tensor(L, t(x));
  return 1;
}

int get_data(lua_State* L, const Tensor& x) {
  enter(L);
  push_tensor(L, detach(x));
  return 1;
}

void set_grad(lua_State* L, const Tensor& x) {
  const Tensor* grad = find_tensor(L, 3);
  if (!grad && !lua_isnil(L, 3)) throw_expected(L, 3, "grad", "tensor or nil");
  x.set_grad(grad ? *grad : Tensor());
}

void set_requires_grad(lua_State* L, const Tensor& x) {
  if (!lua_isboolean(L, 3)) throw_expected(L, 3, "requires_grad", "boolean");
  x.set_requires_grad(lua_toboolean(L, 3));
}

void set_data(lua_State* L, const Tensor& x) { x.set_data(check_tensor(L, 3, "data")); }

int push_count(lua_State* L, int64_t count) {
  lua_pushinteger(L, count);
  return 1;
}

int get_ndim(lua_State* L, const Tensor& x) { return push_count(L, x.rank()); }

int get_item_size(lua_State* L, const Tensor& x) {
  return push_count(L, static_cast<int64_t>(size_of(x.dtype())));
}

int get_bytes(lua_State* L, const Tensor& x) {
  return push_count(L, x.numel() * static_cast<int64_t>(size_of(x.dtype())));
}

/// A field x.name, which may be assignable.
struct Field {
  const char* name;
  int (*get)(lua_State* L, const Tensor& x);
  void (*set)(lua_State* L, const Tensor& x);
  const char* doc;
  const char* example;
};
constexpr Field kFields[] = {
    {"shape", get_shape, nullptr, "The sizes of the dimensions, as a table",
     "tide.ones(2, 3).shape --> {2, 3}"},
    {"dtype", get_dtype, nullptr, "The full name of the type",
     "tide.ones(2, {dtype = \"f16\"}).dtype --> \"float16\""},
    {"device", get_device, nullptr, "The device of the elements",
     "tide.ones(2, {device = \"sim\"}).device --> sim:0"},
    {"ctx", get_device, nullptr, "The device, under Gluon's name", "tide.ones(2).ctx --> cpu"},
    {"grad", get_grad, set_grad,
     "The gradient that backward has accumulated; nil before, and may be set to nil. Gluon's "
     "x:grad(device) returns it on a device",
     "local x = tide.ones(2):requires_grad_(); x:sum():backward(); x.grad --> {1.0, 1.0}"},
    {"requires_grad", get_requires_grad, set_requires_grad,
     "Whether gradients are computed for x; may be set",
     "(tide.ones(2):requires_grad_() * 2).requires_grad --> true"},
    {"is_leaf", get_is_leaf, nullptr,
     "Whether x was not computed from a tensor that requires a gradient",
     "(tide.ones(2):requires_grad_() * 2).is_leaf --> false"},
    {"grad_fn", get_grad_fn, nullptr,
     "The op that computed x, nil for a leaf. It has name(), next_functions (pairs of the op that "
     "computed an input, nil if it needs no gradient, and the index of its result) and, if it "
     "accumulates gradients, variable",
     "local x = tide.ones(2):requires_grad_(); local f = (x * 2).grad_fn; "
     "f:name(), f.next_functions[1][1].variable == x, x.grad_fn --> \"MulBackward\", true, nil"},
    {"retains_grad", get_retains_grad, nullptr,
     "Whether a non-leaf x keeps its gradient: see retain_grad",
     "local y = tide.ones(2):requires_grad_() * 2; y:retain_grad(); y.retains_grad --> true"},
    {"T", get_transposed, nullptr, "The dimensions in reverse order, as a view",
     "tide.tensor{{1, 2}, {3, 4}}.T --> {{1, 3}, {2, 4}}"},
    {"mT", get_matrix_transposed, nullptr, "The last two dimensions swapped, as a view",
     "tide.ones(5, 2, 3).mT.shape --> {5, 3, 2}"},
    {"H", get_adjoint, nullptr, "The conjugate transpose of a matrix: its transpose, as a view",
     "tide.tensor{{1, 2}, {3, 4}}.H --> {{1, 3}, {2, 4}}"},
    {"mH", get_matrix_transposed, nullptr,
     "The conjugate transposes of matrices: the last two dimensions swapped, as a view",
     "tide.ones(5, 2, 3).mH.shape --> {5, 3, 2}"},
    {"data", get_data, set_data,
     "The same elements without a grad function; can be assigned. Gluon's x:data(device) returns "
     "them on a device",
     "tide.ones(2):requires_grad_().data.requires_grad --> false"},
    {"ndim", get_ndim, nullptr, "The number of dimensions", "tide.ones(2, 3).ndim --> 2"},
    {"itemsize", get_item_size, nullptr, "The bytes of one element", "tide.ones(2).itemsize --> 4"},
    {"nbytes", get_bytes, nullptr, "The bytes of all elements", "tide.ones(2, 3).nbytes --> 24"},
};

/// __index; upvalues: the methods, and a table from field names to indices in kFields.
int tensor_index(lua_State* L) {
  const int type = lua_type(L, 2);
  if (type == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return raise_unknown_name(L, "tensor");
    return kFields[lua_tointeger(L, -1)].get(L, check_tensor(L, 1, lua_tostring(L, 2)));
  }
  const Tensor& x = check_tensor(L, 1, "index");
  enter(L);
  if (type == LUA_TNUMBER) return index_position(L, x);
  push_tensor(L, index(x, read_entries(L)));
  return 1;
}

TensorOrNumber value_at(lua_State* L, int index) {
  if (const Tensor* tensor = find_tensor(L, index)) return *tensor;
  if (lua_isboolean(L, index)) return Number(lua_toboolean(L, index) != 0);
  if (lua_isinteger(L, index)) return Number(static_cast<int64_t>(lua_tointeger(L, index)));
  if (lua_type(L, index) == LUA_TNUMBER) return Number(lua_tonumber(L, index));
  throw_expected(L, index, "assignment", "tensor, number or boolean");
}

/// __newindex; upvalue: a table from field names to indices in kFields.
int tensor_newindex(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "assignment");
  if (lua_type(L, 2) != LUA_TSTRING) {
    assign(x, read_entries(L), value_at(L, 3));
    return 0;
  }
  lua_pushvalue(L, 2);
  const std::string name = lua_tostring(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
    throw ArgumentError("a tensor has no field '" + name + "'");
  const Field& field = kFields[lua_tointeger(L, -1)];
  if (!field.set) throw ArgumentError("the field '" + name + "' of a tensor cannot be assigned");
  field.set(L, x);
  return 0;
}

/// w:data() and w:grad(), Gluon's form of w.data and w.grad: calls the field's tensor with w and an
/// optional device.
int tensor_call(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "call");
  const Tensor* owner = find_tensor(L, 2);
  if (!owner || !(share_elements(*owner, x) || owner->grad() == x))
    throw ArgumentError("a tensor is not callable: use x[i] to read an element, x * y to multiply");
  const Device device = lua_isnoneornil(L, 3) ? x.device() : device_at(L, 3, "data");
  if (device == x.device())
    lua_settop(L, 1);
  else
    push_tensor(L, record_transfer(x, device));
  return 1;
}

int tensor_length(lua_State* L) {
  const Tensor& x = check_tensor(L, 1, "#");
  if (x.rank() == 0) throw ShapeError("#: a tensor without dimensions has no length");
  lua_pushinteger(L, x.shape()[0]);
  return 1;
}

int tensor_tostring(lua_State* L) {
  if (!find_tensor(L, 1)) {
    lua_pushstring(L, type_name(L, 1));
    return 1;
  }
  const std::string text = tensor_text(*find_tensor(L, 1));
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

/// __names: a new table whose keys are the names of methods and fields; upvalues as for __index.
int tensor_names(lua_State* L) {
  lua_createtable(L, 0, 512);
  for (int table = 1; table <= 2; ++table) {
    lua_pushnil(L);
    while (lua_next(L, lua_upvalueindex(table))) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
  }
  return 1;
}

}  // namespace

std::vector<Function> tensor_fields() {
  std::vector<Function> rows;
  for (const Field& field : kFields)
    rows.push_back({field.name, nullptr, "", field.doc, field.example});
  return rows;
}

void add_indexing(lua_State* L) {
  lua_getfield(L, -1, "__methods");
  lua_createtable(L, 0, std::size(kFields));
  for (size_t i = 0; i < std::size(kFields); ++i) {
    lua_pushinteger(L, static_cast<lua_Integer>(i));
    lua_setfield(L, -2, kFields[i].name);
  }
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, guard<tensor_newindex>, 1);
  lua_setfield(L, -4, "__newindex");
  lua_pushvalue(L, -2);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, tensor_names, 2);
  lua_setfield(L, -4, "__names");
  lua_pushcclosure(L, guard_lookup<tensor_index>, 2);
  lua_setfield(L, -2, "__index");
  const luaL_Reg metamethods[] = {{"__len", guard_lookup<tensor_length>},
                                  {"__call", guard<tensor_call>},
                                  {"__tostring", guard<tensor_tostring>},
                                  {nullptr, nullptr}};
  luaL_setfuncs(L, metamethods, 0);
}

}  // namespace tide::bindings
