#include "bindings/device/card.h"

#include <optional>
#include <string>
#include <string_view>

#include "bindings/ops/typed_function.h"
#include "runtime/device/modelled/roofline.h"
#include "runtime/ir/tensor_cores.h"

namespace tide::bindings {
namespace {

constexpr double kTera = 1e12;

double number_field(lua_State* L, int table, const char* name) {
  lua_getfield(L, table, name);
  const double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

std::string text_field(lua_State* L, int table, const char* name) {
  lua_getfield(L, table, name);
  const std::string value = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 1);
  return value;
}

/// Reads a field that is a table of peaks by type, in units of 1e12.
void read_peaks(lua_State* L, int table, const char* name, std::array<double, kDTypeCount>& peaks) {
  lua_getfield(L, table, name);
  for (size_t i = 0; i < peaks.size(); ++i) {
    const std::string type(name_of(static_cast<DType>(i)));
    peaks[i] = kTera * number_field(L, lua_gettop(L), type.c_str());
  }
  lua_pop(L, 1);
}

std::optional<ComputeOp> op_named(std::string_view name) {
  constexpr int kOps = 0
#define TIDE_COMPUTE_OP(name, cuts_window) +1
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP
      ;
  for (int i = 0; i < kOps; ++i)
    if (name == name_of(static_cast<ComputeOp>(i))) return static_cast<ComputeOp>(i);
  return std::nullopt;
}

/// The shape in the list on top of the stack; no dimensions if it is nil.
Shape shape_on_top(lua_State* L) {
  Shape shape;
  if (!lua_istable(L, -1)) return shape;
  const auto rank = static_cast<lua_Integer>(lua_rawlen(L, -1));
  for (lua_Integer i = 1; i <= rank; ++i) {
    lua_rawgeti(L, -1, i);
    shape.push_back(lua_tointeger(L, -1));
    lua_pop(L, 1);
  }
  return shape;
}

/// The compute op of a profile row, if it is one.
struct Product {
  std::optional<ComputeOp> op;
  DType type = DType::f32;
  std::vector<FactorSize> misfits;
};

Product product_at(lua_State* L, int part) {
  Product product;
  product.op = op_named(text_field(L, part, "name"));
  product.type = dtype_from_name(text_field(L, part, "dtype")).value_or(DType::f32);
  if (!product.op || lua_getfield(L, part, "inputs") != LUA_TTABLE) return product;
  lua_rawgeti(L, -1, 1);
  const Shape a = shape_on_top(L);
  lua_rawgeti(L, -2, 2);
  const Shape b = shape_on_top(L);
  lua_pop(L, 3);
  if (a.rank() && b.rank()) product.misfits = misfits(*product.op, product.type, a, b);
  return product;
}

/// Milliseconds, the limiting resource, and whether Tensor Cores are used.
int time_of_part(lua_State* L, Table row, Table figures) {
  const CardFigures card = card_at(L, figures.index);
  const int part = row.index;
  const double calls = number_field(L, part, "calls");
  const double bytes = number_field(L, part, "bytes") / calls;
  if (text_field(L, part, "kind") == "transfer") {
    lua_pushnumber(L, 1e3 * calls * transfer_time(card, bytes));
    lua_pushliteral(L, "link");
    lua_pushboolean(L, false);
    return 3;
  }
  const Product product = product_at(L, part);
  StepWork work;
  work.bytes = static_cast<int64_t>(bytes);
  work.flops = number_field(L, part, "flops") / calls;
  work.type = product.type;
  work.fits_tensor_cores =
      product.op && multiplies_matrices(*product.op) && product.misfits.empty();
  const StepTime one = time_of(card, work);
  constexpr const char* kBounds[] = {"memory", "compute", "launch"};
  lua_pushnumber(L, 1e3 * calls * one.seconds);
  lua_pushstring(L, kBounds[static_cast<size_t>(one.bound)]);
  lua_pushboolean(L, one.on_tensor_cores);
  return 3;
}

/// The sizes that are not multiples of the Tensor Core tile, as a list of {name,
/// size}, and the tile, 0 if the type is not supported.
int misfits_of_part(lua_State* L, Table part) {
  const Product product = product_at(L, part.index);
  lua_createtable(L, static_cast<int>(product.misfits.size()), 0);
  for (size_t i = 0; i < product.misfits.size(); ++i) {
    lua_createtable(L, 2, 0);
    lua_pushstring(L, product.misfits[i].name);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, product.misfits[i].size);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushinteger(L, tensor_core_tile(product.type));
  return 2;
}

}  // namespace

CardFigures card_at(lua_State* L, int index) {
  CardFigures card;
  card.name = text_field(L, index, "name");
  card.bandwidth = number_field(L, index, "bandwidth");
  card.link = number_field(L, index, "link");
  card.launch = number_field(L, index, "launch");
  card.latency = number_field(L, index, "latency");
  read_peaks(L, index, "tensor", card.tensor_peaks);
  read_peaks(L, index, "peaks", card.peaks);
  return card;
}

std::span<const luaL_Reg> estimate_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<time_of_part, "time", "part, card">,
      kNative<misfits_of_part, "misfits", "part">,
  };
  return functions;
}

}  // namespace tide::bindings
