// Attention as cuDNN graphs of products, maps and reductions, a pattern that cuDNN runs as one
// kernel (T. Dao, "FlashAttention-2", 2023).
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/libraries/alignment.h"
#include "runtime/cuda/libraries/dnn.h"
#include "runtime/cuda/libraries/dnn_graph.h"

namespace tide::cuda {
namespace {

using dnn::Map;
using dnn::Reduction;

/// Indices into the key of a plan: everything that the plan depends on.
enum AttentionField : size_t {
  kAttentionOp,
  kAttentionType,
  kStacks,
  kHeads,
  kRows,
  kKeys,
  kFeatures,
  kQueryStrides,
  kKeyStrides = kQueryStrides + 3,
  kValueStrides = kKeyStrides + 3,
  kSlopeStrides = kValueStrides + 3,  // also of the result and of by_query
  kGradientStrides = kSlopeStrides + 3,
  kCausal = kGradientStrides + 3,
  kNumbersAlignment,
  kMaskAlignment,  // 0: no mask
  kMaskStrides,
  kAttentionFields = kMaskStrides + 3
};
using Key = std::vector<int64_t>;

/// Identifiers of arrays.
enum Name : int64_t {
  kQuery = 1,
  kKey,
  kValue,
  kResult,
  kLogarithms,
  kScale,
  kLowest,
  kSlope,
  kOne,
  kMeans,
  kByQuery,
  kByKey,
  kByValue,
  kMask
};

/// The workspace of deterministic engines of the backward pass: bytes per score, plus a constant.
constexpr int64_t kScoreBytes = 2, kOtherBytes = int64_t{1} << 20;

/// The workspace per head.
constexpr int64_t bytes_of_scores(int64_t rows, int64_t keys) {
  constexpr int64_t kTile = 64;
  const auto padded = [](int64_t n) { return (n + kTile - 1) / kTile * kTile; };
  return padded(rows) * padded(keys) * kScoreBytes;
}

/// The arrays and steps that both passes share.
class AttentionGraph : public DnnGraph {
 public:
  explicit AttentionGraph(const Key& key)
      : key_(key), type_(static_cast<dnn::DataType>(key[kAttentionType])) {}

  /// An array of rows of features.
  DnnForm form(AttentionField rows, AttentionField strides) const {
    const auto stride = [&](size_t d) { return key_[strides + d]; };
    return {{key_[kStacks], key_[kHeads], key_[rows], key_[kFeatures]},
            {stride(0), stride(1), stride(2), 1},
            type_};
  }
  /// One value per row, dense within a head.
  DnnForm form_of_numbers() const {
    const int64_t rows = key_[kRows];
    return {{key_[kStacks], key_[kHeads], rows, 1},
            {key_[kSlopeStrides] / key_[kFeatures], rows, 1, 1},
            dnn::kFloat32,
            key_[kNumbersAlignment]};
  }

  /// Scores of masked keys become the lowest float.
  DnnArray scores(const DnnArray& query, const DnnArray& key_turned, const DnnArray& scale) {
    const DnnArray all = map(Map::multiply, product(query, key_turned), scale);
    if (key_[kMaskAlignment]) return map(Map::add, all, stored(kMask, form_of_mask()));
    if (!key_[kCausal]) return all;
    return select(not_less(index(all, 2), index(all, 3)), all, number(kLowest));
  }
  dnn::DataType type() const { return type_; }

 private:
  /// One value per score; a stride of 0 means that the mask is broadcast along the dimension.
  DnnForm form_of_mask() const {
    DnnForm form{{key_[kStacks], key_[kHeads], key_[kRows], key_[kKeys]},
                 {},
                 dnn::kFloat32,
                 key_[kMaskAlignment]};
    int64_t size = key_[kKeys];
    for (size_t d = 3; d-- > 0;) {
      form.strides[d] = key_[kMaskStrides + d];
      if (form.strides[d] == 0) form.sizes[d] = 1, form.strides[d] = size;
      size *= form.sizes[d];
    }
    form.strides[3] = 1;
    return form;
  }

  const Key& key_;
  const dnn::DataType type_;
};

DnnDescriptor forward_graph(const Key& key, dnn::Handle handle) {
  AttentionGraph g(key);
  const DnnArray query = g.stored(kQuery, g.form(kRows, kQueryStrides));
  const DnnArray key_turned = g.stored(kKey, g.form(kKeys, kKeyStrides).transposed());
  const DnnArray value = g.stored(kValue, g.form(kKeys, kValueStrides));
  const DnnArray result = g.stored(kResult, g.form(kRows, kSlopeStrides));
  const DnnArray logarithms = g.stored(kLogarithms, g.form_of_numbers());
  const DnnArray scores = g.scores(query, key_turned, g.number(kScale));
  const DnnArray most = g.reduce(Reduction::most, scores);
  const DnnArray powers = g.map(Map::exp, g.map(Map::subtract, scores, most));
  const DnnArray sum = g.reduce(Reduction::sum, powers);
  g.map(Map::add, most, g.map(Map::log, sum), logarithms);
  g.product(g.map(Map::divide, powers, sum, {}, g.type()), value, result);
  return g.finish(handle);
}

DnnDescriptor backward_graph(const Key& key, dnn::Handle handle) {
  AttentionGraph g(key);
  const DnnArray query = g.stored(kQuery, g.form(kRows, kQueryStrides));
  const DnnArray key_turned = g.stored(kKey, g.form(kKeys, kKeyStrides).transposed());
  const DnnArray value_turned = g.stored(kValue, g.form(kKeys, kValueStrides).transposed());
  const DnnArray result = g.stored(kResult, g.form(kRows, kSlopeStrides));
  const DnnArray slope = g.stored(kSlope, g.form(kRows, kSlopeStrides));
  const DnnArray by_query = g.stored(kByQuery, g.form(kRows, kSlopeStrides));
  const DnnArray by_key = g.stored(kByKey, g.form(kKeys, kGradientStrides));
  const DnnArray by_value = g.stored(kByValue, g.form(kKeys, kGradientStrides));
  const DnnArray logarithms = g.stored(kLogarithms, g.form_of_numbers());
  const DnnArray means = g.stored(kMeans, g.form_of_numbers());
  const DnnArray scale = g.number(kScale);

  g.map(Map::multiply, g.reduce(Reduction::sum, g.map(Map::multiply, slope, result)),
        g.number(kOne), means);
  const DnnArray scores = g.map(Map::subtract, g.scores(query, key_turned, scale), logarithms);
  const DnnArray weights = g.map(Map::exp, scores);
  g.product(g.transposed(weights, g.type()), slope, by_value);
  const DnnArray by_weights = g.map(Map::subtract, g.product(slope, value_turned), means);
  const DnnArray by_scores = g.map(Map::multiply, g.map(Map::multiply, by_weights, weights), scale);
  g.product(g.transposed(by_scores, g.type()), query, by_key);
  // Computed directly into the result: partial sums would be added in an unspecified order.
  g.product(by_scores, g.transposed(key_turned, g.type()), by_query);
  return g.finish(handle);
}

/// Attention or its gradients.
class Attention : public DnnProblem {
 public:
  Attention(ComputeOp op, const AttentionArguments& g, DType type);
  const Key& key() const override { return key_; }
  DnnDescriptor graph(dnn::Handle handle) const override {
    return is_forward() ? forward_graph(key_, handle) : backward_graph(key_, handle);
  }
  bool allows(const DnnNotes& notes) const override { return !notes.has(dnn::kRoundsInputs); }
  Words words() const override {
    return {"cuDNN has no engine for this attention",
            "cuDNN has no engine with Tensor Cores for this attention",
            "cuDNN failed on this attention"};
  }
  int64_t most_workspace() const override {
    const int64_t heads = is_forward() ? 0 : key_[kStacks] * key_[kHeads];
    return std::max(kMostDnnWorkspace,
                    heads * bytes_of_scores(key_[kRows], key_[kKeys]) + kOtherBytes);
  }
  std::string text() const override {
    const auto sizes = [&](AttentionField rows) {
      return "(" + std::to_string(key_[kStacks]) + ", " + std::to_string(key_[kHeads]) + ", " +
             std::to_string(key_[rows]) + ", " + std::to_string(key_[kFeatures]) + ")";
    };
    return std::string(is_forward() ? "attention" : "attention's gradient") + " of " +
           std::string(name_of(type_)) + " " + sizes(kRows) + " to " + sizes(kKeys) +
           (key_[kMaskAlignment] ? " with a mask" : "");
  }

 private:
  bool is_forward() const {
    return key_[kAttentionOp] == static_cast<int64_t>(ComputeOp::attention);
  }
  Key key_;
  DType type_;
};

Attention::Attention(ComputeOp op, const AttentionArguments& g, DType type)
    : key_(kAttentionFields), type_(type) {
  key_[kAttentionOp] = static_cast<int64_t>(op);
  key_[kAttentionType] = type == DType::f16 ? dnn::kFloat16 : dnn::kBFloat16;
  key_[kStacks] = g.stacks, key_[kHeads] = g.heads;
  key_[kRows] = g.rows, key_[kKeys] = g.keys, key_[kFeatures] = g.features;
  const auto strides = [&](AttentionField field, const int64_t(&from)[3]) {
    std::copy(std::begin(from), std::end(from), key_.begin() + field);
  };
  strides(kQueryStrides, g.query_strides);
  strides(kKeyStrides, g.key_strides);
  strides(kValueStrides, g.value_strides);
  strides(kSlopeStrides, g.result_strides);
  strides(kGradientStrides, g.gradient_strides);
  key_[kCausal] = g.causal;
  key_[kNumbersAlignment] = alignment(g.logarithms);
  if (g.mask) key_[kMaskAlignment] = alignment(g.mask), strides(kMaskStrides, g.mask_strides);
}

/// Why cuDNN's kernels do not support these arrays, or null.
const char* refusal_of(const AttentionArguments& g, int capability) {
  constexpr int64_t kAligned = 16, kElements = kAligned / 2;
  if (!Dnn::takes_attention(capability)) return "cuDNN's attention needs compute capability 8.0";
  if (g.features % kElements) return "the features of a row are not a multiple of 16 bytes";
  for (const void* address : {g.query, g.key, g.value, g.slope})
    if (reinterpret_cast<uintptr_t>(address) % kAligned)
      return "an array does not begin at a multiple of 16 bytes";
  for (const auto& strides : {g.query_strides, g.key_strides, g.value_strides})
    for (int d = 0; d < 3; ++d)
      if (strides[d] % kElements) return "rows are not a multiple of 16 bytes apart";
  return nullptr;
}

constexpr float kOneNumber = 1, kLowestNumber = std::numeric_limits<float>::lowest();

/// The array that masks scores, if there is one; otherwise the name is 0.
struct Unseen {
  int64_t name = 0;
  const void* address = nullptr;

  explicit Unseen(const AttentionArguments& g) {
    if (g.mask)
      name = kMask, address = g.mask;
    else if (g.causal)
      name = kLowest, address = &kLowestNumber;
  }
};

/// The largest divisor of n that is at most `most`; at least 1.
int64_t divisor_up_to(int64_t most, int64_t n) {
  int64_t divisor = std::clamp<int64_t>(most, 1, n);
  while (n % divisor) --divisor;
  return divisor;
}

}  // namespace

LibraryOutcome Dnn::attend(const AttentionArguments& g, DType type, CudaStream stream) {
  if (const char* refusal = refusal_of(g, capability_)) return {false, refusal};
  const Unseen unseen(g);
  const std::array<int64_t, 7> names = {kQuery,      kKey,   kValue,     kResult,
                                        kLogarithms, kScale, unseen.name};
  const std::array<const void*, 7> addresses = {g.query,      g.key,    g.value,       g.result,
                                                g.logarithms, &g.scale, unseen.address};
  const size_t count = names.size() - !unseen.name;
  return plans_.run(Attention(ComputeOp::attention, g, type), nullptr,
                    {std::span(names).first(count), std::span(addresses).first(count)}, stream);
}

/// The workspace limit of gradients: a sixteenth of the device's memory, between 256 MB and 1 GB.
int64_t Dnn::attention_workspace() {
  if (attention_workspace_ == 0) {
    size_t available = 0, total = 0;
    check(driver().memory_info(&available, &total), "cuMemGetInfo");
    attention_workspace_ =
        std::clamp(static_cast<int64_t>(total / 16), kMostDnnWorkspace, 4 * kMostDnnWorkspace);
  }
  return attention_workspace_;
}

/// Deterministic engines need two bytes per score: processes as many heads at a time as fit the
/// workspace, at least one.
LibraryOutcome Dnn::attend_backward(const AttentionArguments& all, DType type, CudaStream stream) {
  if (const char* refusal = refusal_of(all, capability_)) return {false, refusal};
  const int64_t most = (attention_workspace() - kOtherBytes) / bytes_of_scores(all.rows, all.keys);
  AttentionArguments g = all;
  g.heads = divisor_up_to(most, all.heads);
  g.stacks = g.heads == all.heads ? divisor_up_to(most / all.heads, all.stacks) : 1;
  LibraryOutcome outcome;
  for (int64_t stack = 0; stack < all.stacks; stack += g.stacks)
    for (int64_t head = 0; head < all.heads; head += g.heads) {
      const auto moved = [&](const void* from, const int64_t(&strides)[3]) {
        return static_cast<const char*>(from) +
               (stack * strides[0] + head * strides[1]) * kScoreBytes;
      };
      if (all.mask) g.mask = all.mask + stack * g.mask_strides[0] + head * g.mask_strides[1];
      g.logarithms = all.logarithms + (stack * all.heads + head) * all.rows;
      const Unseen unseen(g);
      const char* const result = moved(all.result, all.result_strides);
      const std::array<int64_t, 12> names = {kQuery,      kKey,   kValue,   kResult,
                                             kLogarithms, kScale, kOne,     kSlope,
                                             kByQuery,    kByKey, kByValue, unseen.name};
      const std::array<const void*, 12> addresses = {moved(all.query, all.query_strides),
                                                     moved(all.key, all.key_strides),
                                                     moved(all.value, all.value_strides),
                                                     result,
                                                     g.logarithms,
                                                     &all.scale,
                                                     &kOneNumber,
                                                     moved(all.slope, all.result_strides),
                                                     moved(all.by_query, all.result_strides),
                                                     moved(all.by_key, all.gradient_strides),
                                                     moved(all.by_value, all.gradient_strides),
                                                     unseen.address};
      const size_t count = names.size() - !unseen.name;
      // The per-row values of a part have the strides of the complete array.
      const auto numbers = static_cast<size_t>(g.stacks * all.heads * all.rows);
      outcome = plans_.run(Attention(ComputeOp::attention_backward, g, type), nullptr,
                           {std::span(names).first(count), std::span(addresses).first(count),
                            kMeans, numbers * sizeof(float)},
                           stream);
      if (!outcome.enqueued) return outcome;
    }
  return outcome;
}

}  // namespace tide::cuda
