// What a card takes for a step, and which products its Tensor Cores take.
#include "runtime/device/modelled/roofline.h"

#include "runtime/ir/tensor_cores.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

CardFigures h200() {
  CardFigures card;
  card.name = "H200";
  card.bandwidth = 4.8e12;
  card.link = 64e9;
  card.launch = 3e-6;
  card.latency = 8e-6;
  card.peaks[static_cast<size_t>(DType::f32)] = 67e12;
  card.peaks[static_cast<size_t>(DType::f64)] = 34e12;
  card.tensor_peaks[static_cast<size_t>(DType::f16)] = 989.5e12;
  return card;
}

/// A square product.
ComputeStep product(int64_t size, DType type) {
  ComputeStep step;
  step.op = ComputeOp::matmul;
  const ArrayView matrix{nullptr, type, Layout({size, size})};
  step.inputs = {matrix, matrix};
  step.outputs = {matrix};
  return step;
}

StepTime time_of_product(int64_t size, DType type) {
  return time_of(h200(), work_of(product(size, type)));
}

double cube(double n) { return n * n * n; }

}  // namespace

TEST_CASE("a product that misses the Tensor Cores runs on the others", "[roofline]") {
  const StepTime fits = time_of_product(4096, DType::f16);
  CHECK(fits.on_tensor_cores);
  CHECK(fits.bound == Bound::compute);
  CHECK(fits.seconds == Approx(2 * cube(4096) / 989.5e12));
  const StepTime misses = time_of_product(4095, DType::f16);
  CHECK_FALSE(misses.on_tensor_cores);
  CHECK(misses.seconds == Approx(2 * cube(4095) / 67e12));
  // What the card has no Tensor Cores for, and no peak of its own.
  CHECK(time_of_product(4096, DType::bf16).seconds == Approx(2 * cube(4096) / 67e12));
  CHECK(time_of_product(4096, DType::f64).seconds == Approx(2 * cube(4096) / 34e12));
}

TEST_CASE("a step takes the longest of memory, arithmetic and a launch", "[roofline]") {
  StepWork work;
  work.bytes = 48'000'000;
  CHECK(time_of(h200(), work).seconds == Approx(1e-5));
  CHECK(time_of(h200(), work).bound == Bound::memory);
  work.bytes = 480;
  const StepTime small = time_of(h200(), work);
  CHECK(small.seconds == 3e-6);
  CHECK(small.busy == Approx(1e-10));
  CHECK(small.bound == Bound::launch);
}

TEST_CASE("a transfer takes the latency and its bytes by the link", "[roofline]") {
  CHECK(transfer_time(h200(), 64e6) == Approx(8e-6 + 1e-3));
  CardFigures card = h200();
  card.link = 0;
  CHECK(transfer_time(card, 4.8e6) == Approx(8e-6 + 1e-6));
}

constexpr size_t kConvolutionWords = sizeof(ConvolutionAttributes) / sizeof(int64_t);

TEST_CASE("convolutions are looked at by channels, however images lie", "[roofline]") {
  ComputeStep step;
  step.op = ComputeOp::conv2d;
  step.inputs = {{nullptr, DType::f16, Layout({2, 9, 9, 8})},
                 {nullptr, DType::f16, Layout({16, 3, 3, 8})}};
  step.outputs = {{nullptr, DType::f16, Layout({2, 7, 7, 16})}};
  step.attributes = std::vector<int64_t>(kConvolutionWords, 1);  // all channels last
  CHECK(work_of(step).fits_tensor_cores);
  step.attributes = std::vector<int64_t>(kConvolutionWords, 0);
  CHECK_FALSE(work_of(step).fits_tensor_cores);
}

TEST_CASE("a convolution with a prepared weight does not read the other one", "[roofline]") {
  ComputeStep step;
  step.op = ComputeOp::conv2d;
  step.inputs = {{nullptr, DType::f32, Layout({1, 8, 4, 4})},
                 {nullptr, DType::f32, Layout({8, 8, 1, 1})}};
  step.outputs = {{nullptr, DType::f32, Layout({1, 8, 4, 4})}};
  step.attributes = std::vector<int64_t>(kConvolutionWords, 0);
  CHECK(work_of(step).bytes == 4 * (128 + 64 + 128));
  step.inputs.push_back({nullptr, DType::f32, Layout({80})});
  CHECK(work_of(step).bytes == 4 * (128 + 80 + 128));
}

TEST_CASE("sizes that miss the Tensor Cores have names", "[roofline]") {
  const auto texts = [](ComputeOp op, DType type, const Shape& a, const Shape& b) {
    std::string text;
    for (const FactorSize& factor : misfits(op, type, a, b))
      text += std::string(factor.name) + " " + std::to_string(factor.size) + ";";
    return text;
  };
  CHECK(texts(ComputeOp::matmul, DType::f16, {64, 30}, {30, 10}) == "k 30;n 10;");
  CHECK(texts(ComputeOp::matmul, DType::i8, {40, 32}, {32, 32}) == "m 40;");
  CHECK(texts(ComputeOp::matmul, DType::f16, {3, 32}, {32, 8}).empty());  // a few rows
  CHECK(texts(ComputeOp::matmul, DType::f32, {63, 31}, {31, 15}).empty());
  CHECK(texts(ComputeOp::attention, DType::f16, {4, 31, 15}, {4, 31, 15}).empty());
}
