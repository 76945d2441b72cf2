// Seeds and states of random numbers.
#include "runtime/ops/random/random.h"

#include <chrono>
#include <optional>
#include <string>

#include "bindings/objects/generator_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/tensor/methods.h"

namespace tide::bindings {
namespace {

uint64_t seed_of_the_moment() {
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

int push_state(lua_State* L, const Generator& generator) {
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(generator.seed()));
  lua_setfield(L, -2, "seed");
  lua_pushinteger(L, static_cast<lua_Integer>(generator.offset()));
  lua_setfield(L, -2, "offset");
  return 1;
}

}  // namespace

void manual_seed(int64_t seed) { default_generator().manual_seed(static_cast<uint64_t>(seed)); }

namespace {

void read_state(lua_State* L, Table state, const char* function, Generator& generator) {
  int64_t seed, offset;
  lua_getfield(L, state.index, "seed");
  lua_getfield(L, state.index, "offset");
  if (!integer_at(L, -2, &seed) || !integer_at(L, -1, &offset))
    throw ArgumentError(std::string(function) + ": expected a state that was saved before");
  generator.set_state(static_cast<uint64_t>(seed), static_cast<uint64_t>(offset));
}

/// Seeds with a number that differs in each run, and returns it.
int64_t seed_freshly(Generator& generator) {
  const uint64_t fresh = seed_of_the_moment();
  generator.manual_seed(fresh);
  return static_cast<int64_t>(fresh);
}

int seed(lua_State* L, std::optional<int64_t> given) {
  if (!given) return push_result(L, seed_freshly(default_generator()));
  manual_seed(*given);
  return 0;
}

int64_t initial_seed() { return static_cast<int64_t>(default_generator().seed()); }

int get_rng_state(lua_State* L) { return push_state(L, default_generator()); }

int set_rng_state(lua_State* L, Table state) {
  read_state(L, state, "set_rng_state", default_generator());
  return 0;
}

/// A separate stream. Its numbers are the same on every device.
Generator new_generator([[maybe_unused]] std::optional<Device> device) { return Generator(); }

int generator_seed(lua_State* L, Generator& generator, int64_t seed) {
  generator.manual_seed(static_cast<uint64_t>(seed));
  lua_settop(L, 1);
  return 1;
}

int64_t generator_initial_seed(const Generator& generator) {
  return static_cast<int64_t>(generator.seed());
}

int generator_set_state(lua_State* L, Generator& generator, Table state) {
  read_state(L, state, "set_state", generator);
  lua_settop(L, 1);
  return 1;
}

std::string generator_text(const Generator& generator) {
  return "Generator(seed = " + std::to_string(generator_initial_seed(generator)) +
         ", offset = " + std::to_string(static_cast<int64_t>(generator.offset())) + ")";
}

Generator generator_clone(const Generator& generator) { return generator; }

constexpr Function kGeneratorMethods[] = {
    typed_method<generator_seed, "manual_seed", "generator, seed">(
        "Restarts from a seed",
        "local g = tide.Generator(); g:manual_seed(7); g:initial_seed() --> 7"),
    typed_method<seed_freshly, "seed", "generator">(
        "Restarts from a seed that differs in each run",
        "local g = tide.Generator(); math.type(g:seed()) --> \"integer\""),
    typed_method<generator_initial_seed, "initial_seed", "generator">(
        "The seed that it was started with",
        "local g = tide.Generator(); g:manual_seed(7); g:initial_seed() --> 7"),
    typed_method<push_state, "get_state", "generator">(
        "The state of the generator",
        "local g = tide.Generator(); local s = g:get_state(); local a = tide.rand(3, {generator = "
        "g}); g:set_state(s); a:equal(tide.rand(3, {generator = g})) --> true"),
    typed_method<generator_set_state, "set_state", "generator, state">(
        "Restores a state",
        "local g = tide.Generator(); local s = g:get_state(); local a = tide.rand(3, {generator = "
        "g}); g:set_state(s); a:equal(tide.rand(3, {generator = g})) --> true"),
    typed_method<generator_clone, "clone_state", "generator">(
        "A copy of the generator with the same state",
        "local g = tide.Generator(); local h = g:clone_state(); tide.rand(3, {generator = "
        "g}):equal(tide.rand(3, {generator = h})) --> true"),
};

constexpr Function kRandomFunctions[] = {
    typed_function<manual_seed, "manual_seed", "seed">(
        "Restarts the random numbers from a seed",
        "tide.manual_seed(1); local a = tide.rand(3); tide.manual_seed(1); a:equal(tide.rand(3)) "
        "--> "
        "true"),
    typed_function<seed, "seed", "seed?">(
        "Like manual_seed; without a seed, uses one that differs in each run",
        "tide.seed(1); tide.initial_seed() --> 1"),
    typed_function<initial_seed, "initial_seed", "">(
        "The current seed of the random numbers", "tide.manual_seed(7); tide.initial_seed() --> 7"),
    typed_function<get_rng_state, "get_rng_state", "">(
        "The state of the random number generator",
        "local state = tide.get_rng_state(); local a = tide.rand(3); tide.set_rng_state(state); "
        "a:equal(tide.rand(3)) --> true"),
    typed_function<set_rng_state, "set_rng_state", "state">(
        "Restores a state that get_rng_state returned",
        "local state = tide.get_rng_state(); local a = tide.rand(3); tide.set_rng_state(state); "
        "a:equal(tide.rand(3)) --> true"),
    typed_function<new_generator, "Generator", "device?">(
        "A separate random number generator: tide.rand(3, {generator = g})",
        "local g = tide.Generator(); g:manual_seed(1); tide.rand(2, 3, {generator = g}).shape --> "
        "{2, "
        "3}"),
};

}  // namespace

std::span<const Function> random_functions() { return kRandomFunctions; }
std::span<const Function> generator_methods() { return kGeneratorMethods; }

void open_generator_class(lua_State* L) {
  const luaL_Reg metamethods[] = {
      {"__tostring", guard<typed<generator_text, "tostring", "generator">>}, {nullptr, nullptr}};
  open_class<Generator>(L, metamethods, kGeneratorMethods, "generator");
}

}  // namespace tide::bindings
