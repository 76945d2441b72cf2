// Types of the arguments of ops, by which callers and the script bindings tell them apart.
//
// The rows of the ops (*.def) describe the script's side:
//   TIDE_OP(function, "name", "argument names", flags, "what it does", "example")
// Kinds of arguments follow from the parameter types of the C++ function. A name that ends in `?`
// may be left out: its parameter is a std::optional, or a plain bool, which is then false. A last
// positional name that ends in `...` takes a table, or all integers that follow. Several rows of
// one name are tried in order. A std::vector takes one number in place of a table of one. The
// example is a line of Lua and, behind -->, what it gives: the manual shows it, and a test runs it
// (scripts/tide/reference/example.lua).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <variant>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/shape.h"
#include "runtime/tensor/check_fits.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Where scripts find an op.
enum OpFlags : unsigned {
  kMethodOnly = 1,                    ///< x:f()
  kFunction = 2,                      ///< tide.f()
  kMethod = kMethodOnly | kFunction,  ///< both
  kFunctional = 4,                    ///< tide.nn.functional.f()
  kLinalg = 8,                        ///< tide.linalg.f()
  kInPlace = 16,                      ///< also x:f_(), which writes the result back
  kInPlaceOption = 32,                ///< also f(x, {inplace = true}); the names end in `inplace?`
  kInPlaceView = 64,                  ///< also x:f_(), which makes x the view that f gives
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

/// Dimensions, each as a Dim. Scripts give one integer or a table.
struct Dims : IntegerList<kMaxDims> {
  using IntegerList::IntegerList;
};

/// Dimensions of one tensor and dimensions of another. Scripts give a table of two tables.
struct DimLists {
  Dims first, second;
};

/// Sizes or amounts that may be negative (-1: to be found out; pads that crop). Scripts give one
/// integer or a table.
struct Sizes : IntegerList<2 * kMaxDims> {
  using IntegerList::IntegerList;
};

/// As many results as were asked for: multiple returns in scripts (a std::vector is one table).
struct Results : std::vector<Tensor> {
  using vector::vector;
};

/// One tensor or a table of tensors, by what the arguments ask for.
using TensorOrTable = std::variant<Tensor, std::vector<Tensor>>;

/// The dimension from 0 that `dim` names among `rank` ones; a tensor without dimensions counts as
/// one of one dimension. Throws ShapeError naming `op`.
int resolve_dim(const char* op, Dim dim, int rank);

/// The dimension before which a new one goes, 0..rank. Throws ShapeError naming `op`.
int resolve_new_dim(const char* op, Dim dim, int rank);

/// A set of dimensions as bits. Throws ShapeError naming `op`, also for a dimension given twice.
unsigned resolve_dims(const char* op, const Dims& dims, int rank);

/// The place from 0 of a position among `size` ones. Throws ShapeError naming `op`.
int64_t resolve_position(const char* op, Position position, int64_t size);

/// The number itself, or the value of a tensor without dimensions, which is waited for. Throws
/// ShapeError naming `op` and `what` (a limit, a count, ...) for a tensor with dimensions.
Number number_of(const char* op, const char* what, const TensorOrNumber& x);
/// The same for whole numbers. Throws Error if the number has a fraction.
int64_t whole_number_of(const char* op, const char* what, const TensorOrNumber& x);

/// Throws ShapeError naming `op` if a list of rows * columns positions or weights, which the op is
/// about to make on the host, would be longer than any that is of use.
void check_list_length(const char* op, int64_t rows, int64_t columns = 1);

}  // namespace tide
