// Attention of half types on a device: by cuDNN and by tide's own kernels, compared with the host's
// loops.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "runtime/backward/backward.h"
#include "runtime/cuda/libraries/dnn.h"
#include "runtime/cuda/libraries/workspace.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

struct AttentionCase {
  int64_t stacks, heads, rows, keys, features;
  bool causal;
  bool masked = false;  ///< with one mask per stack, shared by its heads

  Shape queries() const { return {stacks, heads, rows, features}; }
  Shape values() const { return {stacks, heads, keys, features}; }
  Shape numbers() const { return {stacks, heads, rows}; }
  Shape masks() const { return {stacks, 1, rows, keys}; }
  Shape scores() const { return {stacks, heads, rows, keys}; }
  std::vector<int64_t> attributes() const {
    const auto scale = static_cast<float>(1 / std::sqrt(features));
    return {std::bit_cast<uint32_t>(scale), causal};
  }
};

const AttentionCase kAttentionCases[] = {
    {1, 1, 5, 7, 8, false},  {2, 3, 9, 9, 16, true},     {1, 2, 4, 11, 64, true},
    {1, 2, 12, 3, 40, true}, {2, 1, 33, 20, 128, false}, {2, 3, 6, 10, 16, false, true}};

/// A host array and its copy on the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(Array<T>& host) : host_(host), data_(cuda_device().allocate(bytes())) {
    cuda_work().copy(data_, host.values.data(), bytes(), CopyKind::to_device);
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cuda_device().release(data_, bytes()); }
  void* data() const { return data_; }
  void fetch() {
    cuda_work().copy(host_.values.data(), data_, bytes(), CopyKind::to_host);
    cuda_work().finish();
  }

 private:
  size_t bytes() const { return host_.values.size() * sizeof(T); }
  Array<T>& host_;
  void* data_;
};

/// The arrays of the forward and backward pass.
template <class T>
struct Arrays {
  Array<T> query, key, value, slope, result, by_query, by_key, by_value;
  Array<float> logarithms, mask;

  explicit Arrays(const AttentionCase& k)
      : query(random_array<T>(k.queries(), 1)),
        key(random_array<T>(k.values(), 2)),
        value(random_array<T>(k.values(), 3)),
        slope(random_array<T>(k.queries(), 4)),
        result(k.queries()),
        by_query(k.queries()),
        by_key(k.values()),
        by_value(k.values()),
        logarithms(k.numbers()),
        mask(random_array<float>(k.masks(), 5)) {}

  std::vector<ArrayView> forward_inputs(const AttentionCase& k) {
    return with_mask(k, {query.view(), key.view(), value.view()});
  }
  std::vector<ArrayView> backward_inputs(const AttentionCase& k) {
    return with_mask(k, {query.view(), key.view(), value.view(), result.view(), slope.view(),
                         logarithms.view()});
  }

 private:
  std::vector<ArrayView> with_mask(const AttentionCase& k, std::vector<ArrayView> inputs) {
    if (!k.masked) return inputs;
    inputs.push_back(mask.view());
    inputs.back().layout = inputs.back().layout.broadcast_to(k.scores());
    return inputs;
  }
};

template <class T>
void on_host(const AttentionCase& k, Arrays<T>& a) {
  run(ComputeOp::attention, a.forward_inputs(k), {a.result.view(), a.logarithms.view()},
      k.attributes());
  run(ComputeOp::attention_backward, a.backward_inputs(k),
      {a.by_query.view(), a.by_key.view(), a.by_value.view()}, k.attributes());
}

template <class T>
void on_device(const AttentionCase& k, Arrays<T>& a) {
  DeviceArray<T> query(a.query), key(a.key), value(a.value), slope(a.slope), result(a.result),
      by_query(a.by_query), by_key(a.by_key), by_value(a.by_value);
  DeviceArray<float> logarithms(a.logarithms), mask(a.mask);
  ComputeStep step;
  const auto launch = [&](std::vector<void*> addresses, std::initializer_list<void*> outputs) {
    if (k.masked) addresses.push_back(mask.data());
    addresses.insert(addresses.end(), outputs);
    REQUIRE_FALSE(cuda_work().launch(step, addresses.data(), nullptr).failure);
  };
  step.op = ComputeOp::attention;
  step.inputs = a.forward_inputs(k);
  step.outputs = {a.result.view(), a.logarithms.view()};
  step.attributes = k.attributes();
  launch({query.data(), key.data(), value.data()}, {result.data(), logarithms.data()});
  step.op = ComputeOp::attention_backward;
  step.inputs = a.backward_inputs(k);
  step.outputs = {a.by_query.view(), a.by_key.view(), a.by_value.view()};
  launch({query.data(), key.data(), value.data(), result.data(), slope.data(), logarithms.data()},
         {by_query.data(), by_key.data(), by_value.data()});
  for (DeviceArray<T>* array : {&result, &by_query, &by_key, &by_value}) array->fetch();
  logarithms.fetch();
}

template <class T>
double difference(const Array<T>& a, const Array<T>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double x = static_cast<float>(a.values[i]), y = static_cast<float>(b.values[i]);
    worst = std::fmax(worst, std::isnan(x) ? 1e9 : std::fabs(x - y) / (1 + std::fabs(y)));
  }
  return worst;
}

template <class T>
void check_attention(double tolerance) {
  for (const AttentionCase& k : kAttentionCases) {
    CAPTURE(k.rows, k.keys, k.features, k.causal);
    Arrays<T> expected(k), got(k);
    on_host(k, expected);
    on_device(k, got);
    CHECK(difference(got.logarithms, expected.logarithms) <= 1e-5);
    CHECK(difference(got.result, expected.result) <= tolerance);
    CHECK(difference(got.by_query, expected.by_query) <= tolerance);
    CHECK(difference(got.by_key, expected.by_key) <= tolerance);
    CHECK(difference(got.by_value, expected.by_value) <= tolerance);
  }
}

/// Runs attention with a separate Dnn: arrays start `shift` bytes into a block, and rows of
/// `features` elements are `apart` elements apart.
struct AttentionOffer {
  explicit AttentionOffer(int64_t shift, int64_t features = 8, int64_t apart = 8) {
    constexpr size_t kBytes = 4096;
    cuda::AttentionArguments g{};
    std::vector<void*> blocks;
    const auto block = [&] {
      blocks.push_back(cuda_device().allocate(kBytes));
      return static_cast<char*>(blocks.back()) + shift;
    };
    g.query = block(), g.key = block(), g.value = block(), g.result = block();
    g.logarithms = reinterpret_cast<float*>(block());
    g.stacks = g.heads = 1, g.rows = g.keys = 4, g.features = features;
    for (auto* strides : {g.query_strides, g.key_strides, g.value_strides, g.result_strides}) {
      strides[0] = strides[1] = 4 * apart;
      strides[2] = apart;
    }
    g.scale = 1;
    cuda::Workspace workspace;
    cuda::Dnn dnn(90, workspace);
    const auto outcome = dnn.attend(g, DType::f16, cuda_stream());
    cuda::check(cuda::driver().stream_synchronize(cuda_stream()), "cuStreamSynchronize");
    enqueued = outcome.enqueued;
    refusal = outcome.refusal ? outcome.refusal : "";
    for (void* data : blocks) cuda_device().release(data, kBytes);
  }

  bool enqueued;
  std::string refusal;
};

}  // namespace

TEST_CASE("cuDNN supports attention of arrays and rows at multiples of 16 bytes", "[cuda][fake]") {
  for (const int64_t shift : {0, 16, 48, 64}) {
    CAPTURE(shift);
    CHECK(AttentionOffer(shift).enqueued);
  }
  CHECK(AttentionOffer(0, 16, 24).enqueued);
  for (const int64_t shift : {4, 8, 24}) {
    CAPTURE(shift);
    CHECK_FALSE(AttentionOffer(shift).enqueued);
    CHECK(AttentionOffer(shift).refusal == "an array does not begin at a multiple of 16 bytes");
  }
  CHECK(AttentionOffer(0, 8, 12).refusal == "rows are not a multiple of 16 bytes apart");
  CHECK(AttentionOffer(0, 12, 16).refusal ==
        "the features of a row are not a multiple of 16 bytes");
}

TEST_CASE(
    "up to 2^24 scores are computed at a time, by cuDNN more, for gradients up to 2^30 per head",
    "[cuda][fake]") {
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "skip_kernels=1"}});
  const auto outcome = ::test::run_tide(
      {"-e",
       "for _, case in ipairs {{'float32', 4096, 4096}, {'float32', 4097, 4096},\n"
       "    {'float16', 8193, 8192}, {'float16', 65536, 65536},\n"
       "    {'float16', 32768, 32768, true}, {'float16', 32768, 32832, true}} do\n"
       "  local dtype, rows, keys, trains = table.unpack(case)\n"
       "  local q = tide.zeros({rows, 8}, {dtype = dtype, device = "
       "'cuda'}):requires_grad_(trains or false)\n"
       "  local k = tide.zeros({keys, 8}, {dtype = dtype, device = 'cuda'})\n"
       "  tide.synchronize 'cuda'\n"
       "  local before = tide.statistics().launches\n"
       "  local y = tide.nn.functional.scaled_dot_product_attention(q, k, k)\n"
       "  tide.synchronize 'cuda'\n"
       "  print(tide.statistics().launches - before <= 3 and 'at once' or 'in parts')\n"
       "end"});
  INFO(outcome.err);
  CHECK(outcome.out == "at once\nin parts\nat once\nat once\nat once\nin parts\n");
}

TEST_CASE("attention on a device agrees with the host's", "[cuda]") {
  check_attention<Float16>(2e-3);
  check_attention<BFloat16>(1.6e-2);
}

TEST_CASE("attention by tide's own kernels agrees with the host's", "[cuda][fake]") {
  const Environment fails({{"TIDE_FAKE_DNN", "fail=execute"}});
  check_attention<Float16>(1e-3);
  check_attention<BFloat16>(8e-3);
}

TEST_CASE("estimates count both passes of attention on Tensor Cores", "[fake]") {
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "skip_kernels=1"}});
  const auto outcome = ::test::run_tide({"-e", R"(
    local parts = tide.estimate(function()
      local function heads()
        return tide.ones(1, 1, 2048, 64, {device = "cuda", dtype = "bfloat16"}):requires_grad_()
      end
      tide.nn.functional.scaled_dot_product_attention(heads(), heads(), heads()):sum():backward()
    end, {device = "H100 SXM"}).parts
    for _, part in ipairs(parts) do
      if part.name:find "^attention" then print(part.name, part.dtype, part.tensor_cores) end
    end)"});
  CHECK(outcome.out == "attention_backward\tbfloat16\ttrue\nattention\tbfloat16\ttrue\n");
}

}  // namespace tide::test
