// Which submissions may run side by side, and that running them so changes nothing.
#include "runtime/execute/independent_batches.h"

#include <numeric>
#include <random>
#include <set>

#include "runtime/cpu/host_platform.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/random/random.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/write.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/transfer.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::values;

namespace {

/// A submission of one step that reads the one set of addresses and writes the other. It also makes
/// values that are not buffers, falls back to values of before, and counts up from numbers that are
/// no addresses.
struct Uses {
  std::set<uint64_t> reads, writes, outputs{}, olds{}, iotas{};

  Step step() const {
    Step step;
    step.kind = Step::Kind::compute;
    step.inputs = static_cast<uint16_t>(reads.size() + iotas.size());
    for (size_t i = 0; i < reads.size() + iotas.size() + writes.size(); ++i) {
      const bool iota = i >= reads.size() && i < step.inputs;
      step.buffers.push_back({iota ? BufferUse::Source::iota : BufferUse::Source::external, 0});
    }
    step.outputs.resize(outputs.size());
    step.fallbacks.resize(olds.size());
    return step;
  }

  Submission submission(const Step& step) const {
    Submission submission;
    submission.plan = new Plan;
    BoundStep bound{};
    bound.step = &step;
    const auto add = [&](const std::set<uint64_t>& numbers) {
      const auto first = static_cast<uint32_t>(submission.words.size());
      submission.words.insert(submission.words.end(), numbers.begin(), numbers.end());
      return first;
    };
    bound.outputs = add(outputs);
    bound.fallbacks = add(olds);
    bound.storages = add(reads);
    add(iotas);
    add(writes);
    submission.steps.push_back(bound);
    return submission;
  }

  bool disturbs(const Uses& other) const {
    for (const auto* changed : {&writes, &outputs})
      for (uint64_t address : *changed)
        for (const auto* used : {&other.reads, &other.writes, &other.outputs, &other.olds})
          if (used->contains(address)) return true;
    return false;
  }
};

std::vector<std::vector<uint32_t>> batches_of(const std::vector<Uses>& all) {
  std::vector<Step> steps;
  for (const Uses& uses : all) steps.push_back(uses.step());
  IndependentBatches batches;
  batches.clear();
  for (size_t i = 0; i < all.size(); ++i) batches.add(all[i].submission(steps[i]), 1);
  batches.tie();
  std::vector<std::vector<uint32_t>> result;
  for (size_t i = 0; i < batches.count(); ++i)
    result.emplace_back(batches.batch(i).begin(), batches.batch(i).end());
  return result;
}

/// The same by looking at every pair again and again.
std::vector<std::vector<uint32_t>> expected_batches(const std::vector<Uses>& all) {
  std::vector<uint32_t> batch(all.size());
  std::iota(batch.begin(), batch.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (batch[i] != batch[j] && (all[i].disturbs(all[j]) || all[j].disturbs(all[i]))) {
          batch[i] = batch[j] = std::min(batch[i], batch[j]);
          changed = true;
        }
  }
  std::vector<std::vector<uint32_t>> result;
  for (uint32_t first = 0; first < all.size(); ++first) {
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < all.size(); ++i)
      if (batch[i] == first) members.push_back(i);
    if (!members.empty()) result.push_back(members);
  }
  return result;
}

}  // namespace

TEST_CASE("what is only read ties no independent batches", "[execute]") {
  CHECK(batches_of({{{1, 2}, {3}}, {{1, 2}, {4}}, {{3}, {5}}}) ==
        std::vector<std::vector<uint32_t>>{{0, 2}, {1}});
}

TEST_CASE("a value that a step falls back to is read, one that it makes is written", "[execute]") {
  using List = std::vector<std::vector<uint32_t>>;
  const Uses writes{{1}, {2}}, falls_back{{1}, {3}, {}, {2}}, makes{{1}, {4}, {2}};
  CHECK(batches_of({writes, falls_back}) == List{{0, 1}});
  CHECK(batches_of({falls_back, writes}) == List{{0, 1}});
  CHECK(batches_of({falls_back, {{2}, {5}}}) == List{{0}, {1}});
  CHECK(batches_of({makes, falls_back}) == List{{0, 1}});
  CHECK(batches_of({makes, {{2}, {5}}}) == List{{0, 1}});
  CHECK(batches_of({writes, {{1}, {5}, {}, {}, {2}}}) == List{{0}, {1}});  // 2 is a number there
}

TEST_CASE("work is counted for each batch and for all", "[execute]") {
  IndependentBatches batches;
  for (int round = 0; round < 2; ++round) {  // a new start forgets what was before
    const std::vector<Uses> all{{{1}, {2}}, {{1}, {3}}, {{2}, {4}}, {{1}, {5}}};
    std::vector<Step> steps;
    for (const Uses& uses : all) steps.push_back(uses.step());
    batches.clear();
    for (size_t i = 0; i < all.size(); ++i)
      batches.add(all[i].submission(steps[i]), static_cast<int64_t>(10 + i));
    batches.tie();
    CHECK(batches.count() == 3);
    CHECK(batches.longest_work() == 22);
    CHECK(batches.whole_work() == 46);
  }
}

TEST_CASE("independent batches share no address that one of them writes, and are as many as can be",
          "[execute]") {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return random() % limit; };
  for (int round = 0; round < 500; ++round) {
    std::vector<Uses> all(1 + below(32));
    const uint32_t addresses = 2 + below(60);
    for (Uses& uses : all) {
      for (uint32_t i = below(4); i > 0; --i) uses.reads.insert(64 * (1 + below(addresses)));
      for (uint32_t i = below(3); i > 0; --i) uses.writes.insert(64 * (1 + below(addresses)));
      if (below(3) == 0) uses.outputs.insert(64 * (1 + below(addresses)));
      if (below(3) == 0) uses.olds.insert(64 * (1 + below(addresses)));
      if (below(3) == 0) uses.iotas.insert(64 * (1 + below(addresses)));
    }
    CHECK(batches_of(all) == expected_batches(all));
  }
}

TEST_CASE("small work that waits in a row gives the bits of one thing after the other",
          "[execute]") {
  constexpr int kMatrices = 8, kSteps = 300;
  const int threads = cpu_team().threads();
  cpu_team().set_threads(3);
  const auto run = [&](uint32_t seed, bool wait_each) {
    std::mt19937 random(seed);
    const auto any = [&] { return random() % kMatrices; };
    std::vector<Tensor> x;
    for (int i = 0; i < kMatrices; ++i) {
      std::vector<float> numbers(size_t{24} * 24);
      for (float& number : numbers) number = static_cast<float>(random() % 2001) / 1e5F;
      x.push_back(record_constant(numbers.data(), {24, 24}, DType::f32, {}));
    }
    for (int i = 0; i < kSteps; ++i) {
      const size_t a = any(), b = any(), c = any();
      switch (random() % 4) {
        case 0:
          x[c] = sin(matmul(x[a], x[b]));
          break;
        case 1:
          x[c] = sin(matmul(x[a], x[b]) + sum(x[c]));
          break;
        case 2:
          write("copy_", x[c], x[a] * 0.5 + x[b]);
          break;
        case 3:
          write("copy_", x[c], cos(matmul(x[b], x[c])));
          break;
      }
      if (wait_each) engine::synchronize();
    }
    std::vector<std::vector<double>> result;
    for (const Tensor& each : x) result.push_back(values(each));
    return result;
  };
  for (uint32_t seed = 0; seed < 20; ++seed) CHECK(run(seed, false) == run(seed, true));
  cpu_team().set_threads(threads);
}
