// Dispatches calls of ops: finds the matching row, runs it, and writes in-place results.
#include "bindings/ops/dispatch.h"

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bindings/objects/generator_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/autocast.h"
#include "bindings/ops/rows.h"
#include "bindings/ops/stand_in.h"
#include "bindings/support/entry.h"
#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/shape/write.h"

namespace tide::bindings {
namespace {

constexpr int kScopes = 6;

/// The rows with one name in one scope.
struct OpSet {
  const char* name;
  std::vector<const OpRow*> rows;
  AutocastRule autocast = AutocastRule::none;
};

bool belongs(const OpRow& row, OpScope scope) {
  switch (scope) {
    case OpScope::method:
      return row.flags & kMethodOnly;
    case OpScope::in_place:
      return row.flags & (kInPlace | kInPlaceView);
    case OpScope::function:
      return row.flags & kFunction;
    case OpScope::functional:
      return row.flags & kFunctional;
    case OpScope::linalg:
      return row.flags & kLinalg;
    case OpScope::special:
      return row.flags & kSpecial;
  }
  return false;
}

std::vector<OpSet> make_sets(OpScope scope) {
  std::vector<OpSet> sets;
  std::unordered_map<std::string_view, size_t> places;
  for (const OpFamily& family : op_families())
    for (const OpRow& row : family.rows) {
      if (!belongs(row, scope)) continue;
      const auto [place, is_new] = places.try_emplace(row.name, sets.size());
      if (is_new) sets.push_back({row.name, {}, autocast_rule(row.name)});
      sets[place->second].rows.push_back(&row);
    }
  return sets;
}

/// Created once; Lua functions point into them.
const std::vector<OpSet>& op_sets(OpScope scope) {
  static const auto sets = [] {
    std::array<std::vector<OpSet>, kScopes> all;
    for (int i = 0; i < kScopes; ++i) all[i] = make_sets(static_cast<OpScope>(i));
    return all;
  }();
  return sets[static_cast<int>(scope)];
}

/// Binds the call to the first matching row, else throws the mismatch of the row that matched the
/// most arguments. Null if an argument is a tensor-like object: its function to be called is then
/// on top of the stack.
const OpRow* bind_row(Call& call, const OpSet& set, int top) {
  Mismatch furthest;
  const OpRow* blamed = nullptr;
  for (const OpRow* row : set.rows) {
    call.signature = &row->signature;
    const Mismatch mismatch = bind(call, top);
    if (mismatch.reason == Mismatch::Reason::none) return row;
    if (mismatch.progress > furthest.progress) {
      furthest = mismatch;
      blamed = row;
    }
    lua_settop(call.L, top);
  }
  if (push_tensor_function(call.L, top)) return nullptr;
  call.signature = &blamed->signature;
  furthest = bind(call, top);  // again: the message may name a value that was given by name
  throw_mismatch(call, furthest, top);
}

/// 0 for bool, 1 for integers, 2 for floating types.
int category(DType type) { return is_floating(type) ? 2 : is_integer(type) ? 1 : 0; }

/// Writes the result of an op into x. As in PyTorch, a float may be narrowed, but not converted to
/// an integer or bool.
void write_back(const char* name, const Tensor& x, const Tensor& result) {
  if (category(result.dtype()) > category(x.dtype()))
    throw DTypeError(std::string(name) + "_: a result of type " +
                     std::string(name_of(result.dtype())) +
                     " cannot be written to a tensor of type " + std::string(name_of(x.dtype())));
  if (!(result == x)) tide::write(name, x, result);
}

/// Makes x a view of its own elements, for scripts that hold it.
void become_view(const char* name, Tensor& x, const Tensor& view) {
  check_may_change(name, x);
  if (GradientMode::enabled())
    x = view;
  else
    x.set_data(view);  // a leaf stays a leaf
}

/// The generator of the call; null for the thread's own.
Generator* generator_of(const Call& call) {
  return call.generator ? &check_generator(call.L, call.generator, call.name) : nullptr;
}

/// Whether the last argument, `inplace`, is true.
bool wants_in_place(const Call& call) {
  const int last = call.signature->count - 1;
  return call.given(last) && read_boolean(call, last);
}

/// Whether all numbers passed to a call are finite; does not check numbers in tables.
bool given_finite(const Call& call) {
  lua_State* L = call.L;
  for (int p = 0; p < call.signature->count; ++p) {
    const int index = call.index[p];
    if (!index) continue;
    if (const Tensor* x = find_tensor(L, index)) {
      if (!all_finite(*x)) return false;
    } else if (lua_type(L, index) == LUA_TNUMBER && !std::isfinite(lua_tonumber(L, index))) {
      return false;
    }
  }
  return true;
}

/// Throws if the `count` values on top of the stack contain nan or infinity produced by the call.
void check_anomaly(const Call& call, int count) {
  lua_State* L = call.L;
  for (int i = lua_gettop(L) - count + 1; i <= lua_gettop(L); ++i) {
    const Tensor* y = find_tensor(L, i);
    if (y && !all_finite(*y) && given_finite(call))
      throw Error(std::string("detect_anomaly: ") + call.name + ": the result of shape " +
                  y->shape().text() + " contains nan or infinity");
  }
}

/// Binds the call at the stack to a row, and converts its arguments under autocast; null as in
/// bind_row.
const OpRow* prepare(Call& call, lua_State* L, const OpSet& set) {
  call.L = L;
  call.name = set.name;
  const OpRow* row = bind_row(call, set, lua_gettop(L));
  if (row && set.autocast != AutocastRule::none && autocast_in_force().enabled())
    autocast_arguments(call, set.autocast);
  return row;
}

int call_op(lua_State* L) {
  const OpSet& set = *static_cast<OpSet*>(lua_touserdata(L, lua_upvalueindex(1)));
  const OpSpan span(set.name);
  const int top = lua_gettop(L);
  Call call;
  const OpRow* bound = prepare(call, L, set);
  if (!bound) return call_tensor_function(L, set.name, "", guard<call_op>, top);
  const OpRow& row = *bound;
  const GeneratorScope generator(generator_of(call));
  int count = 1;
  if (!row.compute) {
    count = row.invoke(call);
  } else {
    Tensor result = row.compute(call);
    if (row.flags & kInPlaceOption && wants_in_place(call)) {
      write_back(set.name, read_tensor(call, 0), result);
      lua_pushvalue(L, call.index[0]);
    } else {
      push_tensor(L, std::move(result));
    }
  }
  if (anomaly_detection()) check_anomaly(call, count);
  return count;
}

int call_op_in_place(lua_State* L) {
  const OpSet& set = *static_cast<OpSet*>(lua_touserdata(L, lua_upvalueindex(1)));
  const OpSpan span(set.name);
  const int top = lua_gettop(L);
  Call call;
  const OpRow* bound = prepare(call, L, set);
  if (!bound) return call_tensor_function(L, set.name, "_", guard<call_op_in_place>, top);
  const OpRow& row = *bound;
  const Tensor& x = check_tensor(L, 1, set.name);
  if (row.flags & kInPlaceView)
    become_view(set.name, *find<Tensor>(L, 1), row.compute(call));
  else
    write_back(set.name, x, row.compute(call));
  lua_settop(L, 1);
  if (anomaly_detection()) check_anomaly(call, 1);
  return 1;
}

}  // namespace

std::span<const OpFamily> op_families() {
  static const OpFamily families[] = {
      {"creation", "New tensors", creation_rows()},
      {"elementwise", "One element at a time", elementwise_rows()},
      {"special", "Composed of elementwise ops", special_rows()},
      {"reduction", "Combining elements", reduction_rows()},
      {"scan", "Running values and orders", scan_rows()},
      {"shape", "Other shapes of the same elements", shape_rows()},
      {"indexing", "Picking and placing elements", indexing_rows()},
      {"joining", "Joining and resampling", joining_rows()},
      {"arrangement", "Arrangements of tensors", arrangement_rows()},
      {"statistics", "Statistics and searches", statistics_rows()},
      {"matrix", "Products of matrices", matrix_rows()},
      {"linalg", "Linear algebra", linalg_rows()},
      {"softmax", "Softmax", softmax_rows()},
      {"normalization", "Normalization", normalization_rows()},
      {"convolution", "Convolution", convolution_rows()},
      {"pooling", "Pooling", pooling_rows()},
      {"loss", "Losses", loss_rows()},
  };
  return families;
}

void register_ops(lua_State* L, OpScope scope) {
  const lua_CFunction function =
      scope == OpScope::in_place ? guard<call_op_in_place> : guard<call_op>;
  for (const OpSet& set : op_sets(scope)) {
    // Through the stack instead of lua_setfield, because the in-place name is composed.
    lua_pushfstring(L, scope == OpScope::in_place ? "%s_" : "%s", set.name);
    lua_pushlightuserdata(L, const_cast<OpSet*>(&set));
    lua_pushcclosure(L, function, 1);
    lua_rawset(L, -3);
  }
}

}  // namespace tide::bindings
