// Arguments of the embedded kernels: plain structures with the same layout on host and device.
#pragma once

#include <cstdint>

namespace tide::cuda {

constexpr int kKernelDims = 8;

/// A batch of products c = a b [+ bias]. Strides are in elements.
struct MatmulArguments {
  const void *a, *b, *bias;  ///< bias may be null
  void* c;                   ///< dense along n; dense in total if batched
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column, c_row, bias_stride;
  int64_t batch;
  int32_t leading_rank;
  int64_t leading[kKernelDims], a_leading[kKernelDims], b_leading[kKernelDims];
};
constexpr int kMatmulTile = 64, kMatmulThreads = 256;

/// Copies a matrix of bytes to row-major `to`, zero-padded to padded_rows and padded_columns (a
/// multiple of 4). Strides are in elements.
struct ArrangeArguments {
  const void* from;
  void* to;
  int64_t rows, columns, row_stride, column_stride, padded_rows, padded_columns;
};
constexpr int kArrangeTile = 64, kArrangeThreads = 256;

/// Converts int32 sums of a matrix product to the result: the low bits of each sum, plus a bias.
struct NarrowArguments {
  const int32_t* sums;  ///< rows are padded to a multiple of 4 values
  const void* bias;     ///< of the result's type; may be null
  void* to;
  int64_t rows, columns, sums_stride, to_stride, bias_stride;
};
constexpr int kNarrowOwn = 4;  ///< adjacent elements per thread

/// Attention of (stacks, heads) matrices of rows x features; features are contiguous. Strides of
/// stacks, heads and rows are in elements.
struct AttentionArguments {
  const void *query, *key, *value;
  void* result;       ///< dense; read by the backward pass
  float* logarithms;  ///< (stacks, heads, rows); read by the backward pass
  int64_t stacks, heads, rows, keys, features;
  int64_t query_strides[3], key_strides[3], value_strides[3];
  int64_t result_strides[3], gradient_strides[3];  ///< dense: of rows, and of keys
  const float*
      mask;  ///< added to the scores (keys contiguous, strides of 0 broadcast); may be null
  int64_t mask_strides[3];
  float scale;
  int32_t causal;
  // Of the backward pass, all dense:
  const void* slope;  ///< the gradient of the result
  void *by_query, *by_key, *by_value;
};
constexpr int kMostFeatures = 128;

/// Reports an invalid input value to the host.
struct Report {
  int64_t wrong;  ///< 1 if a value was invalid
  int64_t what;   ///< the first invalid value
};

/// Gather and scatter by an index of positions.
struct IndexArguments {
  const void *x, *index, *source;
  void* out;
  unsigned long long* first_wrong;  ///< the smallest linear index of an invalid
                                    ///< position; all ones if there is none
  Report* report;                   ///< in host memory
  int64_t count;                    ///< of elements
  int64_t limit;
  int32_t rank, dim;
  int64_t shape[kKernelDims];  ///< of the index
  int64_t x_strides[kKernelDims], index_strides[kKernelDims], source_strides[kKernelDims];
  int64_t out_strides[kKernelDims];
};

/// Scatter with positions that may repeat. The dimensions are reordered: first those in which rows
/// of the index differ, then the one that is indexed, last those along which the index is
/// broadcast.
struct ScatterArguments {
  IndexArguments in_order;              ///< its dim: the number of dimensions in which rows differ
  int64_t linear_strides[kKernelDims];  ///< of linear indices into the original index
  int64_t out_along;                    ///< stride of the indexed dimension, 0 in out_strides
  int64_t rows, length, repeats;
  int32_t* positions;                ///< (rows, length): from 0, or kWrongPosition
  const unsigned long long* sorted;  ///< (rows, length): entries of sort.cu for `positions`
};
constexpr int32_t kWrongPosition = 0x7fffffff;

/// An embedding bag: reduces the rows of each bag; all arrays are dense.
struct BagArguments {
  IndexArguments rows;    ///< x: the table; index: row positions; source: weights, or null
  const int64_t* starts;  ///< of each bag, from 1, then the end of the last
  int64_t* chosen;        ///< rows of the maxima, or null
  int64_t columns, padding;
  int32_t mean;
};

/// A scan of a dense array of (outer, length, inner) along the middle dimension.
struct ScanArguments {
  const void* x;
  void* y;
  int64_t* positions;
  int64_t outer, length, inner;
  int64_t blocks;  ///< of kScanBlock elements in a fiber
  /// (outer * inner, blocks): first the result of each block, then that of all blocks before it.
  /// Sums are double or i64; minima and maxima are a value and its position in 16 bytes.
  void* sums;
  int32_t largest;
};
constexpr int64_t kScanBlock = 1024;
/// Threads per CUDA block if the elements of a fiber are contiguous; each scans one block.
constexpr int kScanThreads = 128;

/// Sorts each row. An entry has 8 bytes, or 16 for elements of 8 bytes.
struct SortArguments {
  const void* x;
  void* values;
  int64_t* positions;
  void *sorted, *merged;  ///< entries before and after a step of sorting
  int64_t rows, length;
  int64_t kept;  ///< the number of sorted elements returned per row
  // Merging:
  int64_t run;   ///< entries of a run
  int32_t tile;  ///< entries sorted at once: a power of two up to kSortTile
  int32_t descending;
  // Moving by digits:
  uint32_t* offsets;  ///< (rows, chunks, kDigits): count of each digit, then its next offset
  int64_t chunk;      ///< entries of a row that a block moves: a multiple of kDigitTile
  int32_t chunks;     ///< of a row
  int32_t bit;        ///< first bit of the digit in the key
};
constexpr int kSortTile = 1024;
constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
constexpr int kDigitThreads = kDigits;  ///< one per digit for counting
constexpr int kDigitTile = 2048;        ///< entries that a block orders at a time

/// Indices of true elements.
struct NonzeroArguments {
  const uint8_t* mask;  ///< dense
  int64_t* positions;   ///< (found, rank)
  int64_t* starts;      ///< of each tile: the number of true elements in it, then before it
  int64_t count;        ///< of elements
  int64_t tiles, found;
  int64_t shape[kKernelDims];
  int64_t rank;
};
constexpr int kNonzeroThreads = 256;
constexpr int kNonzeroTile = 4096;  ///< elements that a block processes at a time

/// 2-D pooling and its gradients.
struct PoolArguments {
  const void* x;          ///< input, or dy
  const int64_t* chosen;  ///< backward of max: positions
  void* y;
  int64_t* positions;  ///< max
  /// Planes are stored one after the other, or channels-last: `inner` of them interleaved.
  int64_t outer, inner, input_h, input_w, output_h, output_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t count_pad, divisor;
};

/// A convolution: all arrays are dense, (n, c, h, w) or channels last (n, h, w, c).
struct ConvolutionArguments {
  const void *x, *weight, *bias;  ///< as the op defines them: input or dy, weight or input
  void* y;
  int64_t n, c, h, w, o, oh, ow, kh, kw;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t channels_last;
};

/// A binary function of arrays of equal shape.
struct PairArguments {
  const void *a, *b;
  void* out;  ///< dense
  int64_t count;
  int32_t rank;
  int64_t shape[kKernelDims], a_strides[kKernelDims], b_strides[kKernelDims];
};

/// Requires that no element is 0.
struct RequireArguments {
  const void* x;
  void* out;
  Report* report;
  int64_t count;
  int32_t rank;
  int64_t shape[kKernelDims], strides[kKernelDims];
};

/// Draws counts from a distribution with two parameters, each with its own key: arrays of one
/// shape.
struct CountArguments {
  const double *a, *b;
  const int64_t* keys;
  double* out;  ///< dense
  int64_t count, distribution;
  int32_t rank;
  int64_t shape[kKernelDims], a_strides[kKernelDims], b_strides[kKernelDims];
  int64_t key_strides[kKernelDims];
};

/// A stack of matrices with any strides.
struct MatrixStack {
  const void* data;
  int64_t row, column;
  int64_t leading[kKernelDims];
};

/// Factorizations of a stack of matrices, and solvers that use them: see
/// runtime/ir/compute_ops.def.
struct LinalgArguments {
  MatrixStack a, b;                   ///< b: right-hand sides
  void* out;                          ///< dense: L and U in one, L, Q, or x
  void* r;                            ///< dense: R
  int32_t* pivots;                    ///< dense; solving reads them
  int32_t* info;                      ///< dense: the failure of each matrix; may be null
  unsigned long long* first_failure;  ///< the smallest index << 32 | failure; may be null
  int64_t count;                      ///< of matrices
  int32_t leading_rank;
  int64_t leading[kKernelDims];
  int32_t rows, columns;  ///< of a
  int32_t width;          ///< columns of Q
  int64_t b_columns;
  int32_t upper, unit, transposed;
};
/// The maximum rows and columns of a matrix for one block: a float32 matrix of this size just fits
/// into the cache of a multiprocessor with 256 KB. A larger one would keep a single multiprocessor
/// busy while the others idle, so the host factors it.
constexpr int kLargestMatrix = 256;
/// Columns of right-hand sides that a block solves for.
constexpr int kPanel = 32;
/// Threads per block; fewer for small matrices, so that more of them are processed at a time.
constexpr int kMatrixThreads = 256, kSmallMatrixThreads = 32;
constexpr int kSmallMatrix = 32;  ///< maximum rows and columns

/// Eigenvalues or singular values of each matrix of a stack.
struct EigenSvdArguments {
  MatrixStack a;
  void* values;                       ///< dense
  void* vectors;                      ///< dense: eigenvectors, or U; may be null
  void* right;                        ///< dense: V' if `vectors` is U
  void* work;                         ///< eigen_svd_work elements per block
  unsigned long long* first_failure;  ///< the smallest index << 32 | failure
  int64_t count;                      ///< of matrices
  int32_t leading_rank;
  int64_t leading[kKernelDims];
  int32_t rows, columns;  ///< of a
  int32_t width;          ///< the number of vectors of the longer side
};
/// The maximum rows and columns for eigenvalues and singular values by one block, which take about
/// ten times the steps of a factorization.
constexpr int kLargestEigenSvd = 128;
/// Failures of eigen_svd.
constexpr int kNotFinite = 1, kNotConverged = 2;

/// Columns are rotated in pairs: an odd number is padded with a column of zeros.
constexpr int64_t paired(int64_t size) { return size + size % 2; }

/// Elements of workspace per block: the matrix and the vectors; for singular vectors also those of
/// the longer side, before and after completion.
constexpr int64_t eigen_svd_work(bool symmetric, int64_t longer, int64_t shorter) {
  const int64_t short_vectors = paired(shorter) * paired(shorter);
  return symmetric ? 2 * short_vectors
                   : paired(shorter) * longer + short_vectors + longer * shorter + longer * longer;
}

/// The order of rows after the exchanges of pivots.
struct PivotArguments {
  const int32_t* pivots;  ///< (count, swaps): rows from 1
  int64_t* order;         ///< (count, rows)
  int64_t count, swaps, rows;
  unsigned long long* first_failure;  ///< the smallest index of an invalid pivot
};

/// Reports to the host the first failure that earlier kernels have recorded.
struct ReportArguments {
  unsigned long long* first_failure;  ///< all ones before and after
  const int32_t* values;  ///< reported at the failure's index; null: reports the failure
  Report* report;         ///< in host memory
};

constexpr int kElementThreads = 256;
constexpr int kWeightThreads = 128;

}  // namespace tide::cuda
