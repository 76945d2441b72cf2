// Products on a device: by cuBLASLt and by tide's own kernel, compared with the host's.
#include <cmath>
#include <random>
#include <string>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/team.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

struct Product {
  Shape a, b;
  bool transpose_a, transpose_b, bias, tf32 = false;
};

/// A dense layout of `shape`, with its last two dimensions exchanged in memory if `transposed`.
Layout layout_of(const Shape& shape, bool transposed) {
  Layout layout(shape);
  const int rank = layout.rank();
  if (!transposed) return layout;
  layout.strides[rank - 1] = shape[rank - 2];
  layout.strides[rank - 2] = 1;
  return layout;
}

double largest_difference(const Product& product, DType type) {
  std::mt19937 random(7);
  ComputeStep step;
  step.op = ComputeOp::matmul;
  const int rank = product.a.rank();
  Shape result = product.a;
  result[rank - 1] = product.b[rank - 1];
  step.inputs = {{nullptr, type, layout_of(product.a, product.transpose_a)},
                 {nullptr, type, layout_of(product.b, product.transpose_b)}};
  if (product.bias) step.inputs.push_back({nullptr, type, Layout(Shape({result[rank - 1]}))});
  step.outputs = {{nullptr, type, Layout(result)}};
  step.attributes = {product.bias, product.tf32};
  cuda::CudaDeviceBackend& device = cuda_device();
  cuda::CudaStreamBackend& stream = cuda_work();
  std::vector<std::vector<float>> host;
  std::vector<void*> addresses;
  for (const auto* views : {&step.inputs, &step.outputs})
    for (const ArrayView& view : *views) {
      auto& memory = host.emplace_back(static_cast<size_t>(view.layout.shape.numel()));
      for (float& x : memory) x = std::normal_distribution<float>()(random);
      addresses.push_back(device.allocate(memory.size() * sizeof(float)));
      stream.copy(addresses.back(), memory.data(), memory.size() * sizeof(float),
                  CopyKind::to_device);
    }
  REQUIRE_FALSE(stream.launch(step, addresses.data(), nullptr).failure);
  std::vector<float> found(host.back().size());
  stream.copy(found.data(), addresses.back(), found.size() * sizeof(float), CopyKind::to_host);
  stream.finish();
  for (size_t i = 0; i < addresses.size(); ++i)
    device.release(addresses[i], host[i].size() * sizeof(float));

  for (size_t i = 0; i < step.inputs.size(); ++i) step.inputs[i].data = host[i].data();
  step.outputs[0].data = host.back().data();
  SingleThread alone;
  ComputeCall call{};
  call.op = step.op;
  call.inputs = step.inputs;
  call.outputs = step.outputs;
  call.attributes = step.attributes;
  call.parallel = &alone;
  compute_matmul(call);
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::fabs(static_cast<double>(found[i]) - host.back()[i]));
  return worst;
}

/// A product of n x n matrices on the device, a times the identity, where every element of a is
/// `value`; and the outcome of cuBLASLt.
struct UnitProduct {
  UnitProduct(float value, int64_t n, bool tf32, int capability, size_t shift = 0) {
    const auto count = static_cast<size_t>(n * n);
    const size_t bytes = count * sizeof(float), capacity = bytes + shift;
    cuda::CudaDeviceBackend& device = cuda_device();
    cuda::CudaStreamBackend& stream = cuda_work();
    std::vector<float> a(count, value), b(count, 0.0f);
    for (size_t i = 0; i < count; i += static_cast<size_t>(n) + 1) b[i] = 1;
    char* memory[3];
    for (char*& block : memory) block = static_cast<char*>(device.allocate(capacity));
    stream.copy(memory[0] + shift, a.data(), bytes, CopyKind::to_device);
    stream.copy(memory[1], b.data(), bytes, CopyKind::to_device);
    stream.finish();
    cuda::MatmulArguments g{};
    g.a = memory[0] + shift, g.b = memory[1], g.c = memory[2];
    g.m = g.n = g.k = g.a_row = g.b_row = g.c_row = n;
    g.a_column = g.b_column = g.batch = 1;
    cuda::Workspace workspace;
    cuda::Blas blas(capability, workspace);
    outcome = blas.multiply(g, {DType::f32, DType::f32, DType::f32, tf32}, cuda_stream());
    cuda::check(cuda::driver().stream_synchronize(cuda_stream()), "cuStreamSynchronize");
    stream.copy(a.data(), memory[2], bytes, CopyKind::to_host);
    stream.finish();
    first = a[0];
    for (char* block : memory) device.release(block, capacity);
  }
  std::string refusal() const { return outcome.refusal ? outcome.refusal : ""; }

  cuda::LibraryOutcome outcome;
  float first = 0;
};

}  // namespace

TEST_CASE("factors are rounded to TF32 only where that was allowed", "[cuda][fake]") {
  constexpr float kFine = 1.0f + 0x1p-12f;
  CHECK(UnitProduct(kFine, 32, false, 90).first == kFine);
  CHECK(UnitProduct(kFine, 32, true, 90).first == 1.0f);
}

TEST_CASE("a product reports why it uses no Tensor Cores", "[cuda]") {
  CHECK(UnitProduct(1, 32, true, 90).refusal().empty());
  CHECK(UnitProduct(1, 32, false, 90).refusal().starts_with("float32 is kept exact"));
  CHECK(UnitProduct(1, 32, true, 75).refusal() == "this GPU's Tensor Cores do not support TF32");
  CHECK(UnitProduct(1, 33, true, 90).refusal() ==
        "the rows of a matrix are not a multiple of 16 bytes apart");
  CHECK(UnitProduct(1, 32, true, 90, 4).refusal() ==
        "a matrix does not begin at a multiple of 16 bytes");
}

TEST_CASE("a product on which cuBLASLt fails is returned and reported", "[cuda][fake]") {
  const Environment fails({{"TIDE_FAKE_BLAS", "fail"}, {"TIDE_LOG", "1"}});
  const UnitProduct product(1, 32, true, 90);
  CHECK_FALSE(product.outcome.enqueued);
  CHECK(product.refusal() == "cuBLASLt failed on this product");
  const auto outcome = ::test::run_tide({"-e",
                                         "local x = tide.ones(4, 4, {device = 'cuda'})\n"
                                         "for _ = 1, 2 do print(x:matmul(x):sum():item()) end"});
  CHECK(outcome.out == "64.0\n64.0\n");
  // It is not tried again.
  const std::string reported =
      " uses tide's own kernel from now on: cublasLtMatmul failed with status 13\n";
  const size_t first = outcome.err.find(reported);
  CHECK(first != std::string::npos);
  CHECK(outcome.err.find(reported, first + 1) == std::string::npos);
}

TEST_CASE("the first large product without a library causes a warning", "[fake]") {
  const Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                                 {"TIDE_FAKE_CUDA", "skip_kernels=1"},
                                 {"TIDE_FAKE_BLAS", "fail"}});
  const auto said_by = [](const std::string& script) {
    return ::test::run_tide({"-e",
                             "local function multiply(m, k)\n"
                             "  local x = tide.ones(m, k, {device = 'cuda'})\n"
                             "  x:matmul(x:t()):sum():item()\n"
                             "end\n" +
                                 script})
        .err;
  };
  CHECK(said_by("multiply(500, 600)") == "");
  CHECK(said_by("multiply(1024, 512) multiply(1024, 513)") ==
        "tide: cuda: a product 1024 x 512 x 1024 of float32 is slow: cuBLASLt failed on this "
        "product. tide's own kernel is used; `tide info` lists the libraries.\n");
}

TEST_CASE("int32 results of int8 products are written by cuBLASLt alone", "[fake]") {
  // The first of tide's own kernels would lose the device.
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "lose_after=0"}});
  const auto outcome = ::test::run_tide({"-e", R"(
    local a = tide.randint(-128, 127, {2, 130, 160}, {dtype = "int8"})
    local b = tide.randint(-128, 127, {132, 160}, {dtype = "int8"})
    local sums = a:cuda():matmul(b:cuda():t(), {out_dtype = "int32"}):cpu()
    assert(sums:equal(a:matmul(b:t(), {out_dtype = "int32"})))
  )"});
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
}

TEST_CASE("products on a device agree with the host's", "[cuda]") {
  const Product products[] = {{{5, 7}, {7, 3}, false, false, false},
                              {{5, 7}, {7, 3}, true, false, true},
                              {{5, 7}, {7, 3}, false, true, true},
                              {{65, 33}, {33, 130}, true, true, false},
                              {{1, 9}, {9, 1}, false, false, true},
                              {{3, 4, 5}, {3, 5, 6}, false, true, false},
                              {{2, 3, 4, 5}, {2, 3, 5, 2}, false, false, true},
                              {{4, 1}, {1, 4}, false, false, false}};
  for (const Product& product : products) {
    INFO(product.a.text() << " x " << product.b.text() << " " << product.transpose_a
                          << product.transpose_b);
    CHECK(largest_difference(product, DType::f32) < 2e-5);
  }
}

}  // namespace tide::test
