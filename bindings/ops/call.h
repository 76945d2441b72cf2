// A script's call of an op: binds values to parameters, and reads them.
#pragma once

#include <array>
#include <cstdint>
#include <lua5.4/lua.hpp>
#include <span>
#include <string>

#include "bindings/ops/signature.h"

namespace tide::bindings {

/// The named options of creation functions.
enum TensorOption {
  kDTypeOption,
  kDeviceOption,
  kRequiresGradOption,
  kPinMemoryOption,
  kMemoryFormatOption,
  kTensorOptionCount
};

/// The arguments of one call, bound to the parameters of a signature.
struct Call {
  lua_State* L;
  const char* name;  ///< of the function, for errors
  const Signature* signature;
  /// The stack index of the value per parameter; 0 if not given.
  std::array<int, kMaxParameters> index;
  std::array<int, kTensorOptionCount> option;
  int rest_count;    ///< number of values of a variadic parameter not in a table, else 0
  uint16_t by_name;  ///< bits of the parameters given in the table of options
  int generator;     ///< stack index of the option `generator`; 0 if not given

  bool given(int parameter) const { return index[parameter] != 0; }
};

/// Why the arguments of a call do not fit a signature.
struct Mismatch {
  enum class Reason : uint8_t { none, wrong_kind, missing, too_many, unknown_option, twice };
  Reason reason = Reason::none;
  int parameter = 0;
  int index = 0;  ///< stack index of the offending value or key
  int progress = -1;
};

/// Binds the `top` values on the stack to the parameters: positional ones first, optional ones also
/// by name in a last table with string keys. nil counts as not given. Pushes the values given by
/// name. Does not throw: returns the mismatch.
Mismatch bind(Call& call, int top);

/// Throws an ArgumentError that describes the mismatch.
[[noreturn]] void throw_mismatch(const Call& call, const Mismatch& mismatch, int top);

/// The arguments on the stack, bound to a signature. Throws an ArgumentError for a mismatch.
Call bound_call(lua_State* L, const char* name, const Signature& signature);

/// The expected values of this kind in error messages: "tensor or number".
const char* kind_text(Kind kind);

/// Whether the value at an index is a table of options: it has only string keys, at least one, and
/// no metatable.
bool is_options_table(lua_State* L, int index);

// --- readers: one for each kind ------------------------------------------------------------------

Tensor& read_tensor(const Call& call, int parameter);
TensorOrNumber read_tensor_or_number(const Call& call, int parameter);
Number read_number(const Call& call, int parameter);
int64_t read_integer(const Call& call, int parameter);
double read_real(const Call& call, int parameter);
bool read_boolean(const Call& call, int parameter);
std::string_view read_text(const Call& call, int parameter);
Dim read_dim(const Call& call, int parameter);
Dims read_dims(const Call& call, int parameter);
DimLists read_dim_lists(const Call& call, int parameter);
Position read_position(const Call& call, int parameter);
Sizes read_sizes(const Call& call, int parameter);
Shape read_shape(const Call& call, int parameter);
DType read_dtype(const Call& call, int parameter);
Device read_device(const Call& call, int parameter);
std::vector<Tensor> read_tensors(const Call& call, int parameter);
TensorList read_tensor_list(const Call& call, int parameter);
std::vector<int64_t> read_integers(const Call& call, int parameter);
std::vector<double> read_reals(const Call& call, int parameter);
/// None for preserve_format.
std::optional<MemoryFormat> read_memory_format(const Call& call, int parameter);
StreamOrDevice read_stream_or_device(const Call& call, int parameter);
DeviceOrIndex read_device_or_index(const Call& call, int parameter);
std::vector<DeviceOrIndex> read_device_list(const Call& call, int parameter);
ConversionTarget read_targets(const Call& call, int parameter);
Value read_value(const Call& call, int parameter);
TensorOptions read_options(const Call& call, int parameter);

template <class T>
T& read_object(const Call& call, int parameter) {
  return *find<T>(call.L, call.index[parameter]);  // checked by bind
}

// --- the same for single values, such as elements of tables --------------------------------------

/// The type named at a stack index; `function` is for the error.
DType dtype_at(lua_State* L, int index, const char* function);
/// The device at a stack index: an object or a name.
Device device_at(lua_State* L, int index, const char* function);
/// The integer at a stack index, or the float with an integral value; false if it is neither.
bool integer_at(lua_State* L, int index, int64_t* value);

}  // namespace tide::bindings
