// Argument types of ops, which let callers and the script bindings distinguish overloads.
//
// The rows of the ops (*.def) describe the script's side:
//   TIDE_OP(function, "name", "argument names", flags, "what it does", "example")
// Argument kinds are derived from the parameter types of the C++ function. A name that ends in `?`
// is optional: its parameter is a std::optional, or a bool that defaults to false. A last
// positional name that ends in `...` takes a table or all remaining integers. Rows with the same
// name are tried in order. A std::vector also accepts a single number. The example is a line of Lua
// and, after -->, its result: the manual shows it, and a test runs it
// (scripts/tide/reference/example.lua).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <variant>
#include <vector>

#include "runtime/tensor/check_fits.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/error.h"
#include "runtime/types/shape.h"

namespace tide {

/// Where scripts find an op.
enum OpFlags : unsigned {
  kMethodOnly = 1,                    ///< x:f()
  kFunction = 2,                      ///< tide.f()
  kMethod = kMethodOnly | kFunction,  ///< both
  kFunctional = 4,                    ///< tide.nn.functional.f()
  kLinalg = 8,                        ///< tide.linalg.f()
  kInPlace = 16,                      ///< also x:f_(), which writes the result to x
  kInPlaceOption = 32,                ///< also f(x, {inplace = true}); the names end in `inplace?`
  kInPlaceView = 64,                  ///< also x:f_(), which turns x into the view that f returns
  kSpecial = 128,                     ///< tide.special.f()
};

/// A dimension, from 0; negative ones count from the end. Scripts count from 1, so 1 becomes 0.
struct Dim {
  int64_t value;
};

/// A position inside a dimension as scripts count: from 1; negative ones count from the end.
struct Position {
  int64_t value;
};

/// A few integers, without allocation.
template <int kCapacity>
class IntegerList {
 public:
  IntegerList() = default;
  IntegerList(std::initializer_list<int64_t> values) {
    for (int64_t value : values) push_back(value);
  }
  void push_back(int64_t value) {
    if (count_ == kCapacity)
      throw ShapeError("list: at most " + std::to_string(kCapacity) + " numbers are possible here");
    values_[count_++] = value;
  }
  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t& operator[](int i) { return values_[i]; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + count_; }

 private:
  std::array<int64_t, kCapacity> values_;
  int count_ = 0;
};

/// Dimensions, each as a Dim. Scripts pass one integer or a table.
struct Dims : IntegerList<kMaxDims> {
  using IntegerList::IntegerList;
};

/// Dimensions of two tensors. Scripts pass a table of two tables.
struct DimLists {
  Dims first, second;
};

/// Sizes or amounts that may be negative (-1: inferred; padding that crops). Scripts pass one
/// integer or a table.
struct Sizes : IntegerList<2 * kMaxDims> {
  using IntegerList::IntegerList;
};

/// A variable number of results: multiple returns in scripts (a std::vector is one table).
struct Results : std::vector<Tensor> {
  using vector::vector;
};

/// One tensor or a table of tensors, depending on the arguments.
using TensorOrTable = std::variant<Tensor, std::vector<Tensor>>;

/// Resolves `dim` to a dimension from 0 of a tensor of `rank`; a 0-d tensor is treated as 1-d.
/// Throws ShapeError naming `op`.
int resolve_dim(const char* op, Dim dim, int rank);

/// Resolves the dimension before which a new one is inserted, 0..rank. Throws ShapeError naming
/// `op`.
int resolve_new_dim(const char* op, Dim dim, int rank);

/// A set of dimensions as bits. Throws ShapeError naming `op`, also for a repeated dimension.
unsigned resolve_dims(const char* op, const Dims& dims, int rank);

/// Resolves a position to an index from 0 in a dimension of `size`. Throws ShapeError naming `op`.
int64_t resolve_position(const char* op, Position position, int64_t size);

/// The number itself, or the value of a 0-d tensor, which waits. Throws ShapeError naming `op` and
/// `what` (a limit, a count, ...) for a tensor with dimensions.
Number number_of(const char* op, const char* what, const TensorOrNumber& x);
/// As number_of, for integers. Throws Error if the number has a fraction.
int64_t integer_of(const char* op, const char* what, const TensorOrNumber& x);

/// Throws ShapeError naming `op` if a host list of rows * columns positions or weights would be
/// unreasonably long.
void check_list_length(const char* op, int64_t rows, int64_t columns = 1);

}  // namespace tide
