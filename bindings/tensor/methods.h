// The handwritten methods of tensors, by subject, and the parts of their metatable.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>
#include <string>
#include <vector>

#include "bindings/support/function.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

/// Queries that do not wait: sizes, types, kinds.
std::span<const Function> question_methods();
/// item, tolist: reading values.
std::span<const Function> reading_methods();
/// free.
std::span<const Function> lifetime_methods();
/// to, float, cuda, copyto: other types and devices.
std::span<const Function> conversion_methods();
/// backward, requires_grad_, hooks.
std::span<const Function> gradient_methods();
/// Makes the class of tensors in this state.
void open_tensor_class(lua_State* L);
/// Pushes the table of methods of tensors.
void push_tensor_methods(lua_State* L);
/// All of them, with titles for the reference.
std::span<const FunctionFamily> tensor_method_families();

/// tide.is_tensor and other queries.
std::span<const Function> property_functions();
/// tide.manual_seed and other functions on random numbers.
std::span<const Function> random_functions();
/// tide.manual_seed, also used by tide.cuda.
void manual_seed(int64_t seed);
/// Methods of tide.Generator.
std::span<const Function> generator_methods();
/// tide.set_printoptions.
std::span<const Function> text_functions();
/// bytes, stats, tide.from_bytes.
std::span<const Function> byte_methods();
std::span<const Function> byte_functions();
/// tide.tensor and tide.from.
std::span<const Function> construction_functions();
std::span<const Function> construction_methods();
/// tide.grad and related functions.
std::span<const Function> gradient_functions();

/// tide.to_dlpack and tide.from_dlpack.
std::span<const Function> dlpack_functions();
/// Creates the metatable of DLPack capsules in this state.
void open_dlpack(lua_State* L);

/// Pushes x.grad_fn, the op that computed x; nil for a leaf.
void push_grad_function(lua_State* L, const Tensor& x);
/// Creates the metatable of grad functions in this state.
void open_grad_function_class(lua_State* L);

/// The help texts of fields such as x.shape, as rows without a function.
std::vector<Function> tensor_fields();

/// Adds arithmetic and comparison to the metatable on top of the stack.
void add_operators(lua_State* L);
/// Adds __index, __newindex, __len and __tostring to the metatable on top of the stack.
void add_indexing(lua_State* L);

/// Elements on the host, as Lua values. Waits; `reason` is for the report on waits.
class HostValues {
 public:
  HostValues(const Tensor& x, const char* reason);
  int64_t count() const { return count_; }
  DType type() const { return type_; }
  bool boolean_at(int64_t i) const;
  int64_t integer_at(int64_t i) const;
  double real_at(int64_t i) const;
  /// Pushes element i as an integer, float or boolean, depending on the type.
  void push(lua_State* L, int64_t i) const;

 private:
  DType type_;  ///< boolean, u8..i64, f32 or f64
  int64_t count_;
  std::string bytes_;
};

/// The tensor as printed: values, then shape, type and device. Waits.
std::string tensor_text(const Tensor& x);

}  // namespace tide::bindings
