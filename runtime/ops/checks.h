// Argument checks: one function, and so one message, for each kind of error that several ops share.
// The comparison is inline, the message is built out of line.
//
// `what` names the argument ("a bias", "the weight", "beta"). If it may be absent, it defaults to
// the op's first argument.
#pragma once

#include <initializer_list>
#include <string>

#include "runtime/tensor/tensor.h"
#include "runtime/types/dtype.h"

namespace tide {

// --- types: DTypeError ---------------------------------------------------------------------------

/// "cov: expected fweights of an integer type, got float32".
[[noreturn, gnu::cold]] void throw_type(const char* op, const char* expected_types, DType type,
                                        const char* what = nullptr);
[[noreturn, gnu::cold]] void throw_types_differ(const char* op, DType a, DType b);

inline void check_floating(const char* op, DType type, const char* what = nullptr) {
  if (!is_floating(type)) throw_type(op, "a floating type", type, what);
}

inline void check_float32_or_float64(const char* op, DType type) {
  if (type != DType::f32 && type != DType::f64) throw_type(op, "float32 or float64", type);
}

inline void check_integer(const char* op, DType type, const char* what) {
  if (!is_integer(type)) throw_type(op, "an integer type", type, what);
}

inline void check_bool(const char* op, DType type, const char* what) {
  if (type != DType::boolean) throw_type(op, "type bool", type, what);
}

/// Rejects bool.
inline void check_numbers(const char* op, const Tensor& x) {
  if (x.dtype() == DType::boolean) throw_type(op, "numbers", x.dtype());
}

inline void check_same_type(const char* op, DType a, DType b) {
  if (a != b) throw_types_differ(op, a, b);
}

// --- shapes: ShapeError --------------------------------------------------------------------------

/// "mm: expected 2 dimensions, got (3)", or "at least 2", "at most 2".
[[noreturn, gnu::cold]] void throw_rank(const char* op, const Shape& shape, int least, int most,
                                        const char* what = nullptr);
[[noreturn, gnu::cold]] void throw_shape(const char* op, const char* what, const Shape& shape,
                                         const Shape& expected_shape, const Tensor* other);
[[noreturn, gnu::cold]] void throw_ranks_differ(const char* op, const Shape& a, const Shape& b);
/// "max: there are no elements: (0, 3)".
[[noreturn, gnu::cold]] void throw_no_elements(const char* op, const Shape& shape);
[[noreturn, gnu::cold]] void throw_kernel_too_large(const char* op, int64_t kernel, int64_t padded);

/// From `least` to `most` dimensions.
inline void check_rank(const char* op, const Tensor& x, int least, int most,
                       const char* what = nullptr) {
  if (x.rank() < least || x.rank() > most) throw_rank(op, x.shape(), least, most, what);
}

inline void check_rank(const char* op, const Tensor& x, int rank, const char* what = nullptr) {
  check_rank(op, x, rank, rank, what);
}

inline void check_min_rank(const char* op, const Tensor& x, int least, const char* what = nullptr) {
  check_rank(op, x, least, kMaxDims, what);
}

inline void check_max_rank(const char* op, const Tensor& x, int most, const char* what = nullptr) {
  check_rank(op, x, 0, most, what);
}

inline void check_same_rank(const char* op, const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) throw_ranks_differ(op, a.shape(), b.shape());
}

/// "linear: expected a bias of shape (5) for (5, 2), got (3)", where `other` is the tensor that
/// requires the shape.
inline void check_shape(const char* op, const char* what, const Tensor& x,
                        const Shape& expected_shape, const Tensor* other = nullptr) {
  if (!(x.shape() == expected_shape)) throw_shape(op, what, x.shape(), expected_shape, other);
}

inline void check_has_elements(const char* op, const Tensor& x) {
  if (x.numel() == 0) throw_no_elements(op, x.shape());
}

/// The two dimensions (from 0) of a matrix must differ.
void check_distinct_dims(const char* op, int a, int b);

// --- lists: ShapeError ---------------------------------------------------------------------------

/// A list must have one value for all `dims` dimensions, or one for each.
void check_one_or_each(const char* op, const char* what, int64_t count, int64_t dims);

/// "roll: expected as many shifts as dims, got 1 and 2".
void check_same_count(const char* op, const char* what_a, int64_t a, const char* what_b, int64_t b);

void check_any_tensor(const char* op, const std::vector<Tensor>& tensors);

// --- numbers: ShapeError for integers, which are sizes and counts, Error for others --------------

/// "stride must be positive, got 0", "must be non-negative" for a `least` of 0, or "at least 2".
[[noreturn, gnu::cold]] void throw_too_small(const char* op, const char* what, int64_t number,
                                             int64_t least);

inline void check_least(const char* op, const char* what, int64_t number, int64_t least) {
  if (number < least) throw_too_small(op, what, number, least);
}

/// With amounts within 32 bits, a product of two cannot overflow.
void check_amount(const char* op, const char* what, int64_t amount, int64_t least);

void check_positive(const char* op, const char* what, double number);
void check_non_negative(const char* op, const char* what, double number);
void check_between(const char* op, const char* what, double number, double least, double most);

// --- words: Error --------------------------------------------------------------------------------

/// The index of a word in the list of accepted words. The error lists them: "mode must be "a" or
/// "b"".
int choose(const char* op, const char* what, const std::string& word,
           std::initializer_list<const char*> choices);

}  // namespace tide
