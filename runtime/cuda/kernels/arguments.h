// What the embedded kernels are given: plain structures that host and device read alike.
#pragma once

#include <cstdint>

namespace tide::cuda {

constexpr int kKernelDims = 8;

/// A batch of products c = a b [+ bias]. Strides are in elements.
struct MatmulArguments {
  const void *a, *b, *bias;  ///< bias: null if there is none
  void* c;                   ///< dense along n; of a batch, dense
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column, c_row, bias_stride;
  int64_t batch;
  int32_t leading_rank;
  int64_t leading[kKernelDims], a_leading[kKernelDims], b_leading[kKernelDims];
};
constexpr int kMatmulTile = 64, kMatmulThreads = 256;

/// A matrix of bytes to lie row by row in `to`, filled up with zeros to padded rows and columns
/// (a multiple of 4). Strides are in elements.
struct ArrangeArguments {
  const void* from;
  void* to;
  int64_t rows, columns, row_stride, column_stride, padded_rows, padded_columns;
};
constexpr int kArrangeTile = 64, kArrangeThreads = 256;

/// Sums of a product to elements of its result: the low bits of each, plus those of a bias.
struct NarrowArguments {
  const int32_t* sums;  ///< rows of a multiple of 4 numbers
  const void* bias;     ///< of the result's type; null if there is none
  void* to;
  int64_t rows, columns, sums_stride, to_stride, bias_stride;
};
constexpr int kNarrowOwn = 4;  ///< neighbours that a thread takes

/// Attention of (stacks, heads) matrices of rows x features; features lie dense. Strides of stacks,
/// heads and rows are in elements.
struct AttentionArguments {
  const void *query, *key, *value;
  void* result;       ///< dense; read by the backward pass
  float* logarithms;  ///< (stacks, heads, rows); read by the backward pass
  int64_t stacks, heads, rows, keys, features;
  int64_t query_strides[3], key_strides[3], value_strides[3];
  int64_t result_strides[3], gradient_strides[3];  ///< dense: of rows, and of keys
  const float* mask;  ///< added to the scores (keys dense, strides of 0 repeat); null: none
  int64_t mask_strides[3];
  float scale;
  int32_t causal;
  // Of the backward pass, all dense:
  const void* slope;  ///< the gradient of the result
  void *by_query, *by_key, *by_value;
};
constexpr int kMostFeatures = 128;

/// What is reported to the host of what an op was given.
struct Report {
  int64_t wrong;  ///< 1: something was
  int64_t what;   ///< the first such thing
};

/// An index of positions, walked with what is read and written.
struct IndexArguments {
  const void *x, *index, *source;
  void* out;
  unsigned long long* first_wrong;  ///< the least place of a position that is out of range; all
                                    ///< ones before and after
  Report* report;                   ///< the host's
  int64_t count;                    ///< of elements
  int64_t limit;
  int32_t rank, dim;
  int64_t shape[kKernelDims];  ///< of the index
  int64_t x_strides[kKernelDims], index_strides[kKernelDims], source_strides[kKernelDims];
  int64_t out_strides[kKernelDims];
};

/// Writing and adding at positions of which some may be equal. The dimensions are put in order:
/// first those that tell rows of the index apart, then the one along which positions count, last
/// those along which the index repeats itself.
struct ScatterArguments {
  IndexArguments in_order;             ///< its dim: how many dimensions tell rows apart
  int64_t place_strides[kKernelDims];  ///< of places in the index as it was given
  int64_t out_along;                   ///< stride of positions; out_strides has 0 there
  int64_t rows, length, repeats;
  int32_t* positions;                ///< (rows, length): from 0, or kWrongPosition
  const unsigned long long* sorted;  ///< (rows, length): entries of sort.cu for `positions`
};
constexpr int32_t kWrongPosition = 0x7fffffff;

/// Rows of a table put together bag by bag; all arrays are dense.
struct BagArguments {
  IndexArguments rows;    ///< x: the table; index: its rows' positions; source: shares, or null
  const int64_t* starts;  ///< of each bag, from 1, and the end of the last
  int64_t* chosen;        ///< rows that maxima are from, or null
  int64_t columns, padding;
  int32_t mean;
};

/// A dense array seen as (outer, length, inner), scanned along the middle.
struct ScanArguments {
  const void* x;
  void* y;
  int64_t* positions;
  int64_t outer, length, inner;
  int64_t blocks;  ///< of kScanBlock elements in a fiber
  /// (outer * inner, blocks), of each block, then of all before it: sums in double or i64, minima
  /// and maxima as a value and its position in 16 bytes.
  void* sums;
  int32_t largest;
};
constexpr int64_t kScanBlock = 1024;
/// Threads that go along a block each, of fibers whose elements are neighbours.
constexpr int kScanThreads = 128;

/// Rows that are sorted each by itself. An entry is 8 bytes, or 16 if the elements are 8.
struct SortArguments {
  const void* x;
  void* values;
  int64_t* positions;
  void *sorted, *merged;  ///< entries before and after a step of sorting
  int64_t rows, length;
  int64_t kept;  ///< of each row, the first
  // Merging:
  int64_t run;   ///< entries of a run
  int32_t tile;  ///< entries sorted at once: a power of two up to kSortTile
  int32_t descending;
  // Moving by digits:
  uint32_t* places;  ///< (rows, chunks, kDigits): of each digit how many, then where its next goes
  int64_t chunk;     ///< entries of a row that a block moves, in order: a multiple of kDigitTile
  int32_t chunks;    ///< of a row
  int32_t bit;       ///< of the key, the first of the digit
};
constexpr int kSortTile = 1024;
constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
constexpr int kDigitThreads = kDigits;  ///< one for each digit, where digits are counted
constexpr int kDigitTile = 2048;        ///< entries that a block orders at once

/// Positions of true elements.
struct NonzeroArguments {
  const uint8_t* mask;  ///< dense
  int64_t* positions;   ///< (found, rank)
  int64_t* starts;      ///< of each tile: how many are true in it, then in all before it
  int64_t count;        ///< of elements
  int64_t tiles, found;
  int64_t shape[kKernelDims];
  int64_t rank;
};
constexpr int kNonzeroThreads = 256;
constexpr int kNonzeroTile = 4096;  ///< elements that a block takes at a time

/// Pooling of planes, and its gradients.
struct PoolArguments {
  const void* x;          ///< input, or dy
  const int64_t* chosen;  ///< backward of max: positions
  void* y;
  int64_t* positions;  ///< max
  /// Planes lie one after the other, or channels last: `inner` of them interleaved.
  int64_t outer, inner, input_h, input_w, output_h, output_w;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t count_pad, divisor;
};

/// A convolution: all arrays are dense, (n, c, h, w) or channels last (n, h, w, c).
struct ConvolutionArguments {
  const void *x, *weight, *bias;  ///< as the op reads them: input or dy, weight or input
  void* y;
  int64_t n, c, h, w, o, oh, ow, kh, kw;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t channels_last;
};

/// A function of pairs of one shape.
struct PairArguments {
  const void *a, *b;
  void* out;  ///< dense
  int64_t count;
  int32_t rank;
  int64_t shape[kKernelDims], a_strides[kKernelDims], b_strides[kKernelDims];
};

/// Elements of which none may be 0.
struct RequireArguments {
  const void* x;
  void* out;
  Report* report;
  int64_t count;
  int32_t rank;
  int64_t shape[kKernelDims], strides[kKernelDims];
};

/// Counts drawn from a distribution of two numbers, each from a key of its own: arrays of one
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

/// Factors of each matrix of a stack, or what is solved with them: see runtime/ir/compute_ops.def.
struct LinalgArguments {
  MatrixStack a, b;                   ///< b: right-hand sides
  void* out;                          ///< dense: L and U in one, L, Q, or x
  void* r;                            ///< dense: R
  int32_t* pivots;                    ///< dense; solving reads them
  int32_t* info;                      ///< dense: the failure of each matrix; null: it is no result
  unsigned long long* first_failure;  ///< the least index << 32 | failure; null: there is none
  int64_t count;                      ///< of matrices
  int32_t leading_rank;
  int64_t leading[kKernelDims];
  int32_t rows, columns;  ///< of a
  int32_t width;          ///< columns of Q
  int64_t b_columns;
  int32_t upper, unit, transposed;
};
/// The most rows and columns of a matrix that one block works on: of float32, such a one just fits
/// into the cache of a multiprocessor with 256 KB. A larger one would keep a single multiprocessor
/// busy for long while the others have nothing to do: the host factors it.
constexpr int kLargestMatrix = 256;
/// Columns of right-hand sides that a block solves for.
constexpr int kPanel = 32;
/// Threads of a block; fewer for small matrices, of which more are worked on at a time.
constexpr int kMatrixThreads = 256, kSmallMatrixThreads = 32;
constexpr int kSmallMatrix = 32;  ///< its most rows and columns

/// Eigenvalues or singular values of each matrix of a stack.
struct EigenSvdArguments {
  MatrixStack a;
  void* values;                       ///< dense
  void* vectors;                      ///< dense: eigenvectors, or U; null: there are none
  void* right;                        ///< dense: V' beside U
  void* work;                         ///< of each block: eigen_svd_work numbers
  unsigned long long* first_failure;  ///< the least index << 32 | failure
  int64_t count;                      ///< of matrices
  int32_t leading_rank;
  int64_t leading[kKernelDims];
  int32_t rows, columns;  ///< of a
  int32_t width;          ///< how many vectors as long as the longer side
};
/// The most rows and columns of a matrix that one block finds the eigen_svd of: it takes about ten
/// times the steps of a factorization.
constexpr int kLargestEigenSvd = 128;
/// Why there is no eigen_svd.
constexpr int kNotFinite = 1, kNotConverged = 2;

/// Columns are rotated in pairs: an odd one out gets a column of zeros.
constexpr int64_t paired(int64_t size) { return size + size % 2; }

/// Numbers that a block works with: the matrix and the vectors; for singular vectors also those of
/// the longer side, before and after they are completed.
constexpr int64_t eigen_svd_work(bool symmetric, int64_t longer, int64_t shorter) {
  const int64_t short_vectors = paired(shorter) * paired(shorter);
  return symmetric ? 2 * short_vectors
                   : paired(shorter) * longer + short_vectors + longer * shorter + longer * longer;
}

/// The order of rows that exchanges lead to.
struct PivotArguments {
  const int32_t* pivots;  ///< (count, swaps): rows from 1
  int64_t* order;         ///< (count, rows)
  int64_t count, swaps, rows;
  unsigned long long* first_failure;  ///< the least place of a pivot that is no row
};

/// The host gets a report of the first failure that the kernels before have noted.
struct ReportArguments {
  unsigned long long* first_failure;  ///< all ones before and after
  const int32_t* values;              ///< what is reported, by places; null: the failure itself
  Report* report;                     ///< the host's
};

constexpr int kElementThreads = 256;
constexpr int kWeightThreads = 128;

}  // namespace tide::cuda
