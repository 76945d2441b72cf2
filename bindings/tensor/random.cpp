// Seeds and states of random numbers.
#include "runtime/ops/random.h"

#include <chrono>
#include <string>

#include "bindings/ops/call.h"
#include "bindings/support/object.h"
#include "bindings/tensor/methods.h"

namespace tide::bindings {
namespace {

int manual_seed(lua_State* L) {
  int64_t seed;
  if (!integer_at(L, 1, &seed))
    throw ArgumentError(std::string("manual_seed: expected an integer, got ") + type_name(L, 1));
  default_generator().manual_seed(static_cast<uint64_t>(seed));
  return 0;
}

/// Numbers that differ from run to run.
int seed(lua_State* L) {
  if (!lua_isnoneornil(L, 1)) return manual_seed(L);
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  default_generator().manual_seed(static_cast<uint64_t>(now));
  lua_pushinteger(L, static_cast<lua_Integer>(now));
  return 1;
}

int initial_seed(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(default_generator().seed()));
  return 1;
}

int get_rng_state(lua_State* L) {
  const Generator& generator = default_generator();
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(generator.seed()));
  lua_setfield(L, -2, "seed");
  lua_pushinteger(L, static_cast<lua_Integer>(generator.offset()));
  lua_setfield(L, -2, "offset");
  return 1;
}

int set_rng_state(lua_State* L) {
  int64_t seed, offset;
  const bool is_table = lua_type(L, 1) == LUA_TTABLE;
  if (is_table) {
    lua_getfield(L, 1, "seed");
    lua_getfield(L, 1, "offset");
  }
  if (!is_table || !integer_at(L, -2, &seed) || !integer_at(L, -1, &offset))
    throw ArgumentError("set_rng_state: expected what get_rng_state gave");
  default_generator().set_state(static_cast<uint64_t>(seed), static_cast<uint64_t>(offset));
  return 0;
}

constexpr Function kFunctions[] = {
    {"manual_seed", guard<manual_seed>, "seed", "Starts the random numbers over from a seed"},
    {"seed", guard<seed>, "seed?", "As manual_seed; without a seed numbers differ in each run"},
    {"initial_seed", guard<initial_seed>, "", "The seed that random numbers started from"},
    {"get_rng_state", guard<get_rng_state>, "", "The state of the random numbers, to go on from"},
    {"set_rng_state", guard<set_rng_state>, "state", "Goes on from a state of get_rng_state"},
};

}  // namespace

std::span<const Function> random_functions() { return kFunctions; }

}  // namespace tide::bindings
