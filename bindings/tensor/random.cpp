// Seeds and states of random numbers.
#include "runtime/ops/random/random.h"

#include <chrono>
#include <string>

#include "bindings/objects/generator_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/object.h"
#include "bindings/tensor/methods.h"

namespace tide::bindings {
namespace {

/// The integer seed at a stack index.
uint64_t seed_at(lua_State* L, int index) {
  return static_cast<uint64_t>(checked_integer_at(L, index, "manual_seed"));
}

uint64_t seed_of_the_moment() {
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

void push_state(lua_State* L, const Generator& generator) {
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(generator.seed()));
  lua_setfield(L, -2, "seed");
  lua_pushinteger(L, static_cast<lua_Integer>(generator.offset()));
  lua_setfield(L, -2, "offset");
}

/// Reads the state at a stack index.
void read_state(lua_State* L, int index, const char* function, Generator& generator) {
  int64_t seed, offset;
  const bool is_table = lua_type(L, index) == LUA_TTABLE;
  if (is_table) {
    lua_getfield(L, index, "seed");
    lua_getfield(L, index, "offset");
  }
  if (!is_table || !integer_at(L, -2, &seed) || !integer_at(L, -1, &offset))
    throw ArgumentError(std::string(function) + ": expected a state that was saved before");
  generator.set_state(static_cast<uint64_t>(seed), static_cast<uint64_t>(offset));
}

}  // namespace

int manual_seed(lua_State* L) {
  default_generator().manual_seed(seed_at(L, 1));
  return 0;
}

namespace {

/// Seeds with a number that differs in each run.
int seed(lua_State* L) {
  if (!lua_isnoneornil(L, 1)) return manual_seed(L);
  const uint64_t fresh = seed_of_the_moment();
  default_generator().manual_seed(fresh);
  lua_pushinteger(L, static_cast<lua_Integer>(fresh));
  return 1;
}

int initial_seed(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(default_generator().seed()));
  return 1;
}

int get_rng_state(lua_State* L) {
  push_state(L, default_generator());
  return 1;
}

int set_rng_state(lua_State* L) {
  read_state(L, 1, "set_rng_state", default_generator());
  return 0;
}

// --- generators of one's own
// ------------------------------------------------------------------------

/// tide.Generator(device?): a separate stream. Its numbers are the same on every device.
int new_generator(lua_State* L) {
  lua_settop(L, 1);
  if (!lua_isnil(L, 1) && lua_type(L, 1) != LUA_TTABLE) device_at(L, 1, "Generator");
  push_object(L, Generator());
  return 1;
}

int generator_seed(lua_State* L) {
  check_generator(L, 1, "manual_seed").manual_seed(seed_at(L, 2));
  lua_settop(L, 1);
  return 1;
}

int generator_fresh_seed(lua_State* L) {
  const uint64_t fresh = seed_of_the_moment();
  check_generator(L, 1, "seed").manual_seed(fresh);
  lua_pushinteger(L, static_cast<lua_Integer>(fresh));
  return 1;
}

int generator_initial_seed(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(check_generator(L, 1, "initial_seed").seed()));
  return 1;
}

int generator_get_state(lua_State* L) {
  push_state(L, check_generator(L, 1, "get_state"));
  return 1;
}

int generator_set_state(lua_State* L) {
  read_state(L, 2, "set_state", check_generator(L, 1, "set_state"));
  lua_settop(L, 1);
  return 1;
}

int generator_text(lua_State* L) {
  const Generator& generator = check_generator(L, 1, "tostring");
  lua_pushfstring(L, "Generator(seed = %I, offset = %I)",
                  static_cast<lua_Integer>(generator.seed()),
                  static_cast<lua_Integer>(generator.offset()));
  return 1;
}

int generator_clone(lua_State* L) {
  push_object(L, Generator(check_generator(L, 1, "clone_state")));
  return 1;
}

constexpr Function kGeneratorMethods[] = {
    {"manual_seed", guard<generator_seed>, "seed", "Restarts from a seed",
     "local g = tide.Generator(); g:manual_seed(7); g:initial_seed() --> 7"},
    {"seed", guard<generator_fresh_seed>, "", "Restarts from a seed that differs in each run",
     "local g = tide.Generator(); math.type(g:seed()) --> \"integer\""},
    {"initial_seed", guard<generator_initial_seed>, "", "The seed that it was started with",
     "local g = tide.Generator(); g:manual_seed(7); g:initial_seed() --> 7"},
    {"get_state", guard<generator_get_state>, "", "The state of the generator",
     "local g = tide.Generator(); local s = g:get_state(); local a = tide.rand(3, {generator = "
     "g}); g:set_state(s); a:equal(tide.rand(3, {generator = g})) --> true"},
    {"set_state", guard<generator_set_state>, "state", "Restores a state",
     "local g = tide.Generator(); local s = g:get_state(); local a = tide.rand(3, {generator = "
     "g}); g:set_state(s); a:equal(tide.rand(3, {generator = g})) --> true"},
    {"clone_state", guard<generator_clone>, "", "A copy of the generator with the same state",
     "local g = tide.Generator(); local h = g:clone_state(); tide.rand(3, {generator = "
     "g}):equal(tide.rand(3, {generator = h})) --> true"},
};

constexpr Function kRandomFunctions[] = {
    {"manual_seed", guard<manual_seed>, "seed", "Restarts the random numbers from a seed",
     "tide.manual_seed(1); local a = tide.rand(3); tide.manual_seed(1); a:equal(tide.rand(3)) --> "
     "true"},
    {"seed", guard<seed>, "seed?",
     "Like manual_seed; without a seed, uses one that differs in each run",
     "tide.seed(1); tide.initial_seed() --> 1"},
    {"initial_seed", guard<initial_seed>, "", "The current seed of the random numbers",
     "tide.manual_seed(7); tide.initial_seed() --> 7"},
    {"get_rng_state", guard<get_rng_state>, "", "The state of the random number generator",
     "local state = tide.get_rng_state(); local a = tide.rand(3); tide.set_rng_state(state); "
     "a:equal(tide.rand(3)) --> true"},
    {"set_rng_state", guard<set_rng_state>, "state", "Restores a state that get_rng_state returned",
     "local state = tide.get_rng_state(); local a = tide.rand(3); tide.set_rng_state(state); "
     "a:equal(tide.rand(3)) --> true"},
    {"Generator", guard<new_generator>, "device?",
     "A separate random number generator: tide.rand(3, {generator = g})",
     "local g = tide.Generator(); g:manual_seed(1); tide.rand(2, 3, {generator = g}).shape --> {2, "
     "3}"},
};

}  // namespace

std::span<const Function> random_functions() { return kRandomFunctions; }
std::span<const Function> generator_methods() { return kGeneratorMethods; }

void open_generator_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__tostring", guard<generator_text>}, {nullptr, nullptr}};
  open_class<Generator>(L, metamethods, kGeneratorMethods, "generator");
}

}  // namespace tide::bindings
