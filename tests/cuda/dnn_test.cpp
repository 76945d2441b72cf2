// Convolutions on a device: by cuDNN and by tide's own kernels, compared with the host's. The fake
// cuDNN is in tests/cuda/fake_dnn.
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/cuda/device_run.h"
#include "tests/interpreter/command.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

struct ConvolutionCase {
  int64_t n, c, h, w, o, kh, kw, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;

  Shape input() const { return {n, c, h, w}; }
  Shape weight() const { return {o, c / groups, kh, kw}; }
  Shape output() const {
    return {n, o, (h + 2 * pad_h - dilation_h * (kh - 1) - 1) / stride_h + 1,
            (w + 2 * pad_w - dilation_w * (kw - 1) - 1) / stride_w + 1};
  }
  std::vector<int64_t> attributes(bool tf32, bool last) const {
    const auto words = pack(ConvolutionAttributes{.has_bias = false,
                                                  .stride = {stride_h, stride_w},
                                                  .padding = {pad_h, pad_w},
                                                  .dilation = {dilation_h, dilation_w},
                                                  .groups = groups,
                                                  .tf32 = tf32,
                                                  .weight_channels_last = last,
                                                  .channels_last = last});
    return {words.begin(), words.end()};
  }
  /// Shapes of the op's inputs and output; `last`: channels-last.
  std::array<Shape, 3> shapes(ComputeOp op, bool last) const {
    std::array<Shape, 3> all = {input(), weight(), output()};
    if (last)
      for (Shape& shape : all) shape = with_channels_last(Layout(shape)).shape;
    const auto& [x, w, y] = all;
    if (op == ComputeOp::conv2d) return all;
    if (op == ComputeOp::conv2d_backward_input) return {y, w, x};
    return {y, x, w};
  }
};

const ConvolutionCase kConvolutionCases[] = {
    {2, 1, 8, 8, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1},  {3, 3, 17, 13, 8, 5, 3, 2, 1, 2, 0, 1, 1, 1},
    {2, 6, 9, 9, 4, 3, 3, 1, 1, 0, 0, 2, 2, 2},  {2, 8, 7, 7, 8, 3, 3, 2, 2, 1, 1, 1, 1, 8},
    {1, 5, 1, 40, 7, 1, 4, 1, 3, 0, 1, 1, 2, 1}, {3, 4, 11, 9, 6, 3, 2, 2, 3, 1, 0, 2, 1, 1},
};
constexpr ComputeOp kOps[] = {ComputeOp::conv2d, ComputeOp::conv2d_backward_input,
                              ComputeOp::conv2d_backward_weight};

/// Settings of the fake cuDNN during its lifetime.
class DnnSettings {
 public:
  explicit DnnSettings(const char* text) { setenv("TIDE_FAKE_DNN", text, 1); }
  ~DnnSettings() { unsetenv("TIDE_FAKE_DNN"); }
};

/// Arrays of one convolution on the device.
template <class T>
class DeviceArrays {
 public:
  explicit DeviceArrays(const std::array<Shape, 3>& shapes)
      : first(random_array<T>(shapes[0], 1)),
        second(random_array<T>(shapes[1], 2)),
        result(shapes[2]) {
    for (Array<T>* array : {&first, &second, &result}) {
      addresses.push_back(cuda_device().allocate(bytes(*array)));
      cuda_work().copy(addresses.back(), array->values.data(), bytes(*array), CopyKind::to_device);
    }
  }
  ~DeviceArrays() {
    size_t i = 0;
    for (Array<T>* array : {&first, &second, &result})
      cuda_device().release(addresses[i++], bytes(*array));
  }
  void fetch() {
    cuda_work().copy(result.values.data(), addresses[2], bytes(result), CopyKind::to_host);
    cuda_work().finish();
  }
  static size_t bytes(const Array<T>& array) { return array.values.size() * sizeof(T); }

  Array<T> first, second, result;
  std::vector<void*> addresses;
};

/// The largest difference to the host's result, in units of its size.
template <class T>
double difference(const ConvolutionCase& k, ComputeOp op, bool last) {
  DeviceArrays<T> arrays(k.shapes(op, last));
  ComputeStep step;
  step.op = op;
  step.inputs = {arrays.first.view(), arrays.second.view()};
  step.outputs = {arrays.result.view()};
  step.attributes = k.attributes(false, last);
  REQUIRE_FALSE(cuda_work().launch(step, arrays.addresses.data(), nullptr).failure);
  arrays.fetch();
  Array<T> expected(arrays.result.shape);
  run(op, {arrays.first.view(), arrays.second.view()}, {expected.view()}, step.attributes);
  double worst = 0;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const auto value = static_cast<double>(static_cast<float>(expected.values[i]));
    const auto got = static_cast<double>(static_cast<float>(arrays.result.values[i]));
    worst = std::fmax(worst, std::isnan(got) ? 1 : std::fabs(got - value) / (4 + std::fabs(value)));
  }
  return worst;
}

template <class T>
void check_convolutions(double tolerance) {
  for (const ConvolutionCase& k : kConvolutionCases)
    for (const ComputeOp op : kOps)
      for (const bool last : {false, true}) {
        INFO(k.input().text() << " with " << k.weight().text() << ", op " << static_cast<int>(op)
                              << (last ? ", channels last" : ""));
        CHECK(difference<T>(k, op, last) <= tolerance);
      }
}

/// Runs a convolution with a separate Dnn; the first array is all `value`, the second all 1.
struct ConvolutionOffer {
  explicit ConvolutionOffer(DType type, float value = 1, bool tf32 = false, int capability = 90) {
    const ConvolutionCase k{1, 4, 4, 4, 4, 1, 1, 1, 1, 0, 0, 1, 1, 1};
    DeviceArrays<float> arrays(k.shapes(ComputeOp::conv2d, false));
    for (float& x : arrays.first.values) x = value;
    for (float& x : arrays.second.values) x = 1;
    cuda_work().copy(arrays.addresses[0], arrays.first.values.data(), arrays.bytes(arrays.first),
                     CopyKind::to_device);
    cuda_work().copy(arrays.addresses[1], arrays.second.values.data(), arrays.bytes(arrays.second),
                     CopyKind::to_device);
    cuda_work().finish();
    cuda::ConvolutionArguments g{};
    g.x = arrays.addresses[0], g.weight = arrays.addresses[1], g.y = arrays.addresses[2];
    g.n = 1, g.c = g.o = g.h = g.w = g.oh = g.ow = 4, g.kh = g.kw = 1;
    g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = g.groups = 1;
    cuda::Workspace workspace;
    cuda::Dnn dnn(capability, workspace);
    const auto offer = [&] {
      outcome = dnn.convolve(g, ComputeOp::conv2d, type, tf32, cuda_stream());
      return refusal();
    };
    const std::string made = offer(), kept = offer();  // the second one uses the cached plan
    CHECK(made == kept);
    cuda::check(cuda::driver().stream_synchronize(cuda_stream()), "cuStreamSynchronize");
    arrays.fetch();
    first = arrays.result.values[0];
  }
  std::string refusal() const { return outcome.refusal ? outcome.refusal : ""; }

  cuda::LibraryOutcome outcome;
  float first = 0;
};

}  // namespace

TEST_CASE("convolutions on a device agree with the host's", "[cuda]") {
  check_convolutions<float>(1e-6);
  check_convolutions<double>(1e-6);
  check_convolutions<Float16>(1e-3);
  check_convolutions<BFloat16>(1e-2);
}

TEST_CASE("convolutions work without cuDNN if it fails", "[cuda]") {
  const DnnSettings fails("fail=execute");
  check_convolutions<float>(1e-6);
  CHECK(difference<Float16>(kConvolutionCases[0], ComputeOp::conv2d, false) <= 1e-3);
}

TEST_CASE("the zeros of the padding meet infinite numbers without cuDNN", "[cuda][fake]") {
  const DnnSettings fails("fail=execute");
  const ConvolutionCase k{1, 1, 3, 3, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  const ComputeOp op = GENERATE(ComputeOp::conv2d, ComputeOp::conv2d_backward_weight);
  DeviceArrays<float> arrays(k.shapes(op, false));
  // The weights, or the gradient of the result; the pixels are 1.
  const size_t infinite = op == ComputeOp::conv2d ? 1 : 0;
  Array<float>* const inputs[] = {&arrays.first, &arrays.second};
  for (size_t i = 0; i < 2; ++i) {
    for (float& x : inputs[i]->values) x = i == infinite ? INFINITY : 1;
    cuda_work().copy(arrays.addresses[i], inputs[i]->values.data(), arrays.bytes(*inputs[i]),
                     CopyKind::to_device);
  }
  ComputeStep step;
  step.op = op;
  step.inputs = {arrays.first.view(), arrays.second.view()};
  step.outputs = {arrays.result.view()};
  step.attributes = k.attributes(false, false);
  REQUIRE_FALSE(cuda_work().launch(step, arrays.addresses.data(), nullptr).failure);
  arrays.fetch();
  // Only the center of the 3 x 3 results has no padding in its window.
  for (size_t i = 0; i < 9; ++i) {
    CAPTURE(i);
    CHECK(std::isnan(arrays.result.values[i]) == (i != 4));
  }
  CHECK(arrays.result.values[4] == INFINITY);
}

TEST_CASE("cuDNN runs convolutions and reports why it uses no Tensor Cores", "[cuda][fake]") {
  CHECK(ConvolutionOffer(DType::f32).outcome.enqueued);
  CHECK(ConvolutionOffer(DType::f32).refusal().starts_with("float32 is kept exact"));
  CHECK(ConvolutionOffer(DType::f32, 1, true).refusal().empty());
  CHECK(ConvolutionOffer(DType::f32, 1, true, 75).refusal() ==
        "this GPU's Tensor Cores do not support TF32");
}

TEST_CASE("convolutions round to TF32 only where that was allowed", "[cuda][fake]") {
  constexpr float kFine = 1.0f + 0x1p-12f;
  CHECK(ConvolutionOffer(DType::f32, kFine, false).first == 4 * kFine);
  CHECK(ConvolutionOffer(DType::f32, kFine, true).first == 4);
}

TEST_CASE("convolutions that cuDNN does not support are returned", "[cuda][fake]") {
  for (const char* place : {"create", "graph", "heuristics", "plan", "execute"}) {
    INFO(place);
    const DnnSettings fails((std::string("fail=") + place).c_str());
    const ConvolutionOffer offer(DType::f32);
    CHECK_FALSE(offer.outcome.enqueued);
    CHECK(offer.refusal().find("cuDNN") != std::string::npos);
    CHECK(offer.refusal().starts_with("cuDNN does not start: status 1001 (") ==
          (place == std::string("create")));
  }
}

TEST_CASE("a cuDNN that is too old is not used", "[cuda][fake]") {
  setenv("TIDE_LOG", "1", 1);
  const DnnSettings old("version=8907");
  const auto outcome =
      ::test::run_tide({"-e",
                        "local x = tide.ones(1, 1, 3, 3, {device = 'cuda'})\n"
                        "print(tide.nn.functional.conv2d(x, tide.ones(1, 1, 2, 2, {device "
                        "= 'cuda'})):sum():item())"});
  unsetenv("TIDE_LOG");
  CHECK(outcome.out == "16.0\n");
  CHECK(outcome.err.find("cuDNN has version 8907; not used: version 9 is required") !=
        std::string::npos);
}

}  // namespace tide::test
