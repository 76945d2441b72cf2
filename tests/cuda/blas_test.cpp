// Products on a device: by cuBLASLt where it takes them, by our own kernel else; both against the
// host's.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/cpu/native.h"
#include "runtime/cpu/team.h"
#include "tests/cuda/device_run.h"

namespace tide::test {
namespace {

struct Product {
  Shape a, b;
  bool transpose_a, transpose_b, bias;
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
  NativeStep step;
  step.op = NativeOp::matmul;
  const int rank = product.a.rank();
  Shape result = product.a;
  result[rank - 1] = product.b[rank - 1];
  step.inputs = {{nullptr, type, layout_of(product.a, product.transpose_a)},
                 {nullptr, type, layout_of(product.b, product.transpose_b)}};
  if (product.bias) step.inputs.push_back({nullptr, type, Layout(Shape({result[rank - 1]}))});
  step.outputs = {{nullptr, type, Layout(result)}};
  step.attributes = {product.bias};
  cuda::CudaBackend& backend = cuda_backend();
  std::vector<std::vector<float>> host;
  std::vector<void*> addresses;
  for (const auto* views : {&step.inputs, &step.outputs})
    for (const ArrayView& view : *views) {
      auto& memory = host.emplace_back(static_cast<size_t>(view.layout.shape.numel()));
      for (float& x : memory) x = std::normal_distribution<float>()(random);
      addresses.push_back(backend.allocate(memory.size() * sizeof(float)));
      backend.copy(addresses.back(), memory.data(), memory.size() * sizeof(float),
                   CopyKind::to_device);
    }
  REQUIRE_FALSE(backend.launch(step, addresses.data()));
  std::vector<float> found(host.back().size());
  backend.copy(found.data(), addresses.back(), found.size() * sizeof(float), CopyKind::to_host);
  backend.finish();
  for (size_t i = 0; i < addresses.size(); ++i)
    backend.release(addresses[i], host[i].size() * sizeof(float));

  for (size_t i = 0; i < step.inputs.size(); ++i) step.inputs[i].data = host[i].data();
  step.outputs[0].data = host.back().data();
  SingleThread alone;
  NativeCall call{};
  call.op = step.op;
  call.inputs = step.inputs;
  call.outputs = step.outputs;
  call.attributes = step.attributes;
  call.parallel = &alone;
  native_matmul(call);
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::fabs(static_cast<double>(found[i]) - host.back()[i]));
  return worst;
}

}  // namespace

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
