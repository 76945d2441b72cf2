// Calls recorded once: the same results as calls of the function itself, or not recorded at all.
#include "runtime/tensor/recorded_call.h"

#include <functional>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/convolution.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

TensorOptions on(Device device) { return {.dtype = {}, .device = device}; }

using Tensors = std::vector<Tensor>;
using FunctionOfTensors = std::function<Tensors(const Tensors&)>;

std::optional<RecordedCall> recorded(const Tensors& inputs, const FunctionOfTensors& function) {
  CallRecording recording(inputs);
  return recording.finish(function(inputs));
}

void check_same(const Tensors& some, const Tensors& others) {
  REQUIRE(some.size() == others.size());
  for (size_t i = 0; i < some.size(); ++i) {
    CHECK(some[i].layout() == others[i].layout());
    CHECK(some[i].dtype() == others[i].dtype());
    CHECK(test::values(some[i]) == test::values(others[i]));
  }
}

}  // namespace

TEST_CASE("a recorded call computes what the function does", "[tensor]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  const auto random = [&](const Shape& shape) { return randn(shape, on(device)); };
  const FunctionOfTensors functions[] = {
      [](const Tensors& x) { return Tensors{add(mul(x[0], x[1]), 1.5)}; },
      [](const Tensors& x) {
        return Tensors{sum(x[0], Dims{1}), relu(transpose(x[1], Dim{0}, Dim{1}))};
      },
      [](const Tensors& x) {
        return Tensors{matmul(x[0], transpose(x[1], Dim{0}, Dim{1})), x[0] - x[1]};
      },
      [](const Tensors& x) {
        return Tensors{cat({x[0], x[1], relu(x[0])}, Dim{0})};
      },
      [](const Tensors& x) {
        Tensor chain = x[0];
        for (int i = 0; i < 300; ++i) chain = add(mul(chain, 0.5), i % 7 ? x[1] : x[0]);
        return Tensors{chain};
      },
      [&](const Tensors& x) {
        const Tensor own = full({3, 4}, 2.0, on(device));
        record_write("copy_", own, x[0]);
        return Tensors{add(own, x[1])};
      },
  };
  for (const FunctionOfTensors& function : functions) {
    const auto call = recorded({random({3, 4}), random({3, 4})}, function);
    REQUIRE(call);
    for (int i = 0; i < 3; ++i) {
      const Tensors inputs{random({3, 4}), random({3, 4})};
      const auto outputs = call->run(inputs);
      REQUIRE(outputs);
      check_same(*outputs, function(inputs));
    }
  }
}

TEST_CASE("a call that depends on more than its inputs' ops is not recorded", "[tensor]") {
  const Tensors inputs{randn({3}), randn({3})};
  const auto refuses = [&](const FunctionOfTensors& function) {
    CHECK_FALSE(recorded(inputs, function));
  };
  refuses([](const Tensors& x) { return Tensors{mul(x[0], test::values(x[0])[0])}; });
  refuses([](const Tensors& x) {
    const Tensor half = mul(x[0], 0.5);
    return Tensors{mul(half, test::values(half)[1])};
  });
  refuses([](const Tensors& x) { return Tensors{add(x[0], rand({3}))}; });
  refuses([](const Tensors& x) {
    record_write("copy_", x[1], x[0]);
    return Tensors{add(x[0], x[1])};
  });
  refuses([](const Tensors& x) { return Tensors{x[0]}; });
  refuses([](const Tensors& x) {
    const Tensor y = relu(x[0]);
    return Tensors{y, y};
  });
  const Tensor other = ones({3});
  refuses([&](const Tensors& x) {
    record_write("copy_", other, x[0]);
    return Tensors{add(x[0], 1.0)};
  });
}

TEST_CASE("values that do not depend on the inputs may be read", "[tensor]") {
  const Tensor factor = full({1}, 3.0);
  const auto call = recorded({ones({2})}, [&](const Tensors& x) {
    return Tensors{mul(x[0], test::values(add(factor, 1.0))[0])};
  });
  REQUIRE(call);
  CHECK(test::values((*call->run(Tensors{full({2}, 2.0)}))[0]) == std::vector<double>{8, 8});
}

TEST_CASE("a recorded call takes only inputs like those of the recording", "[tensor]") {
  const FunctionOfTensors sum_of = [](const Tensors& x) { return Tensors{add(x[0], x[1])}; };
  const Tensor x = randn({2, 3}), y = randn({2, 3});
  const auto call = recorded({x, y}, sum_of), doubling = recorded({x, x}, sum_of);
  REQUIRE(call);
  REQUIRE(doubling);
  CHECK(call->run(Tensors{y, x}));
  CHECK(call->run(Tensors{x, x}));
  CHECK_FALSE(call->run(Tensors{x}));
  CHECK_FALSE(call->run(Tensors{x, randn({3, 2})}));
  CHECK_FALSE(call->run(Tensors{x, transpose(randn({3, 2}), Dim{0}, Dim{1})}));
  CHECK_FALSE(call->run(Tensors{x, convert(y, DType::f64)}));
  CHECK_FALSE(call->run(Tensors{x, randn({2, 3}, on(Device{DeviceKind::sim, 0}))}));
  CHECK(doubling->run(Tensors{y, y}));
  CHECK_FALSE(doubling->run(Tensors{x, y}));
}

TEST_CASE("an error ends a recording, and the next one begins", "[tensor]") {
  const Tensor x = ones({2});
  CHECK_THROWS(
      recorded({x}, [](const Tensors& inputs) { return Tensors{add(inputs[0], ones({3}))}; }));
  CHECK(recorded({x}, [](const Tensors& inputs) { return Tensors{add(inputs[0], 1.0)}; }));
}

TEST_CASE("a recorded call needs no more memory than the function", "[tensor]") {
  const FunctionOfTensors function = [](const Tensors& x) {
    Tensor y = x[0];
    for (int i = 0; i < 200; ++i) y = cumsum(y, Dim{0});
    return Tensors{y};
  };
  const Tensors inputs{randn({1 << 16})};
  const auto call = recorded(inputs, function);
  REQUIRE(call);
  const auto peak = [&](const auto& run) {
    test::values(inputs[0]);
    engine::reset_peak(Device{});
    const size_t before = engine::memory(Device{}).in_use;
    test::values(run()[0]);
    return engine::memory(Device{}).peak - before;
  };
  CHECK(peak([&] { return *call->run(inputs); }) <= peak([&] { return function(inputs); }));
}
