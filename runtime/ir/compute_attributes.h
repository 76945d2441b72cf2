// The attributes of compute ops: a struct for each, which nodes, plans and devices pass as words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "runtime/ir/bag_mode.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/ir/count_distribution.h"
#include "runtime/ir/grid_mode.h"
#include "runtime/ir/pair_function.h"
#include "runtime/ir/recurrence_cell.h"
#include "runtime/types/error.h"

namespace tide {

/// A field of an attribute struct: a bool, an integer, an enumerator or float, as one word.
template <class T>
class Attribute {
 public:
  constexpr Attribute() = default;
  constexpr Attribute(T value) : word_(to_word(value)) {}
  constexpr operator T() const {
    if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<float>(static_cast<uint32_t>(word_));
    else
      return static_cast<T>(word_);
  }

 private:
  static constexpr int64_t to_word(T value) {
    if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<uint32_t>(value);
    else
      return static_cast<int64_t>(value);
  }

  int64_t word_ = 0;
};

/// `tf32`, here and below: whether float32 factors may be rounded to TF32; the cpu never does.
struct MatmulAttributes {
  Attribute<bool> has_bias, tf32;
};

struct ScaledMatmulAttributes {
  Attribute<bool> has_bias;
};

struct AttentionAttributes {
  Attribute<float> scale;
  Attribute<bool> causal;
};

/// Followed by the number of sequences in each step.
struct RecurrenceAttributes {
  Attribute<RecurrenceCell> cell;
  Attribute<bool> last_step_first, has_bias;
};

/// Ops on planes end with their layout: channels_last is (n, h, w, c), else (n, c, h, w).
struct ConvolutionAttributes {
  Attribute<bool> has_bias;
  Attribute<int64_t> stride[2], padding[2], dilation[2], groups;
  Attribute<bool> tf32;
  Attribute<bool> weight_channels_last;  ///< (o, kh, kw, c / groups), also of its gradient
  Attribute<bool> channels_last;
};

/// Sizes are those of planes (n, c, h, w) and of a weight (o, c / groups, kh, kw).
struct PrepareWeightAttributes {
  Attribute<int64_t> input[4], weight[4], output[4];
  ConvolutionAttributes convolution;
};

struct MaxPoolAttributes {
  Attribute<int64_t> kernel[2], stride[2], padding[2], dilation[2];
  Attribute<bool> channels_last;
};

struct AvgPoolAttributes {
  Attribute<int64_t> kernel[2], stride[2], padding[2];
  Attribute<bool> count_include_pad;
  Attribute<int64_t> divisor_override;  ///< 0: none
  Attribute<bool> channels_last;
};

/// For ops along one dimension, counted from 0.
struct DimAttributes {
  Attribute<int> dim;
};

struct ScatterAttributes {
  Attribute<int> dim;
  Attribute<bool> add;  ///< otherwise overwrites
};

struct MinmaxAttributes {
  Attribute<int> dim;
  Attribute<bool> largest;
};

struct EmbeddingBagAttributes {
  Attribute<BagMode> mode;
  Attribute<int64_t> padding_row;  ///< the row that no bag counts; 0: none
};

struct GridAttributes {
  Attribute<GridMode> mode;
  Attribute<GridPadding> padding;
  Attribute<bool> align_corners;
  Attribute<int32_t> sizes[3];  ///< of the axes, slowest first; their product is below 2^30
};

struct GridBackwardAttributes {
  Attribute<bool> of_x, of_grid;  ///< which gradients to compute
  GridAttributes grid;
};

struct SortAttributes {
  Attribute<bool> descending;
};

struct PairAttributes {
  Attribute<PairFunction> function;
};

struct RandomCountAttributes {
  Attribute<CountDistribution> distribution;
};

struct RequireAttributes {
  Attribute<Requirement> requirement;
  Attribute<int64_t> limit;  ///< of positions: 1..limit are allowed
};

struct LuAttributes {
  Attribute<bool> singular_fails;  ///< whether a zero pivot is an error
};

struct LuSolveAttributes {
  Attribute<bool> transposed;
};

struct PivotRowsAttributes {
  Attribute<int64_t> rows;
};

struct TriangularAttributes {
  Attribute<bool> upper, unitriangular;
};

/// Number of words in a struct of attributes.
template <class Attributes>
constexpr size_t kWords = sizeof(Attributes) / sizeof(int64_t);

/// A struct of attributes as words.
template <class Attributes>
constexpr std::array<int64_t, kWords<Attributes>> pack(const Attributes& attributes) {
  return std::bit_cast<std::array<int64_t, kWords<Attributes>>>(attributes);
}

/// The struct of attributes at the beginning of `words`.
template <class Attributes>
Attributes unpack(std::span<const int64_t> words) {
  if (words.size() < kWords<Attributes>) throw InternalError("a compute op lacks attributes");
  std::array<int64_t, kWords<Attributes>> own;
  std::copy_n(words.begin(), own.size(), own.begin());
  return std::bit_cast<Attributes>(own);
}

}  // namespace tide
