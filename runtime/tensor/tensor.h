// The handle that all user code holds: an array on one device, possibly not computed yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/types/device.h"
#include "runtime/types/dtype.h"
#include "runtime/types/ref.h"
#include "runtime/types/shape.h"

namespace tide {

struct TensorBody;

/// Out of line: a TensorBody is complete in body.h alone.
template <>
struct Counting<TensorBody> {
  static void retain(const TensorBody* body);
  static void release(const TensorBody* body);
};

/// A number passed by the caller: a weak operand, which adopts the type of tensors.
class Number {
 public:
  Number(bool value) : type_(DType::boolean), integer_(value) {}  // NOLINT: implicit
  Number(int value) : type_(DType::i64), integer_(value) {}       // NOLINT: implicit
  Number(int64_t value) : type_(DType::i64), integer_(value) {}   // NOLINT: implicit
  Number(double value) : type_(DType::f64), floating_(value) {}   // NOLINT: implicit
  DType type() const { return type_; }                            ///< boolean, i64 or f64
  double as_double() const {
    return type_ == DType::f64 ? floating_ : static_cast<double>(integer_);
  }
  int64_t as_integer() const {
    return type_ == DType::f64 ? static_cast<int64_t>(floating_) : integer_;
  }

 private:
  DType type_;
  union {
    int64_t integer_;
    double floating_;
  };
};

/// An array on one device, possibly not computed yet. Arithmetic queues work and returns
/// immediately; only `item`, `read` and printing wait. Copies share the same array.
class Tensor {
 public:
  Tensor() = default;  ///< no tensor; only `defined` may be called
  bool defined() const { return static_cast<bool>(body_); }

  const Shape& shape() const;  ///< Available immediately, even while values are pending.
  const Layout& layout() const;
  DType dtype() const;
  Device device() const;
  int rank() const { return shape().rank(); }
  int64_t numel() const { return shape().numel(); }

  /// Elements in row-major order, copied to host memory of numel * size_of(dtype) bytes. Waits for
  /// this value only. `reason` names the caller for the report on waits ("item", "print").
  void read(void* destination, const char* reason) const;

  bool requires_grad() const;
  /// Marks a leaf. Throws DTypeError for a type that is not floating, and Error if it would clear
  /// the flag of a non-leaf; setting it on a non-leaf has no effect.
  void set_requires_grad(bool on) const;
  bool is_leaf() const;
  Tensor grad() const;  ///< undefined if there is none
  void set_grad(const Tensor& grad) const;
  /// Makes this tensor refer to value's elements, with their shape, type and device; its existing
  /// views, gradient and grad function are unchanged. Throws DTypeError if it requires a gradient
  /// and the type cannot have one.
  void set_data(const Tensor& value) const;

  /// Same array object: `==` of scripts.
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.body_ == b.body_; }

  explicit Tensor(Ref<TensorBody> body) : body_(std::move(body)) {}
  TensorBody& body() const { return *body_; }

 private:
  Ref<TensorBody> body_;
};

/// A tensor or a number, for ops that accept both.
struct TensorOrNumber {
  Tensor tensor;  ///< undefined: use the number
  Number number = 0;
  TensorOrNumber(Tensor t) : tensor(std::move(t)) {}  // NOLINT: implicit
  TensorOrNumber(Number n) : number(n) {}             // NOLINT: implicit
  TensorOrNumber(int n) : number(n) {}                // NOLINT: implicit
  TensorOrNumber(double n) : number(n) {}             // NOLINT: implicit
};

/// The memory order of planes (n, c, h, w): contiguous, or (n, h, w, c).
enum class MemoryFormat { contiguous, channels_last };

/// Type and device of a new tensor.
struct TensorOptions {
  std::optional<DType> dtype;
  std::optional<Device> device;
  std::optional<MemoryFormat> format{};
  bool requires_grad = false;
  bool pin_memory = false;  ///< in pinned memory, if there is a device to copy to
};

}  // namespace tide
