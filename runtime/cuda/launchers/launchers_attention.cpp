// Fused attention: by cuDNN, else by tide's kernels.
#include <algorithm>
#include <string>

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/libraries/slow_path.h"

namespace tide::cuda {
namespace {

bool launch_attention(ComputeLaunch& call, bool backward) {
  const Layout &query = call.input_layout(0), &key = call.input_layout(1);
  const DType type = call.step.inputs[0].type;
  AttentionArguments g{};
  g.query = call.input(0), g.key = call.input(1), g.value = call.input(2);
  g.stacks = query.shape[0], g.heads = query.shape[1], g.rows = query.shape[2];
  g.keys = key.shape[2], g.features = query.shape[3];
  g.result = backward ? call.input(3) : call.output(0);
  g.logarithms = static_cast<float*>(backward ? call.input(5) : call.output(1));
  const auto attributes = unpack<AttentionAttributes>(call.step.attributes);
  g.scale = attributes.scale;
  g.causal = attributes.causal;
  if (backward) {
    g.slope = call.input(4);
    g.by_query = call.output(0), g.by_key = call.output(1), g.by_value = call.output(2);
  }
  const Layout result(query.shape), gradient(key.shape);
  for (int d = 0; d < 3; ++d) {
    g.query_strides[d] = query.strides[d];
    g.key_strides[d] = key.strides[d];
    g.value_strides[d] = call.input_layout(2).strides[d];
    g.result_strides[d] = result.strides[d];
    g.gradient_strides[d] = gradient.strides[d];
  }
  if (const size_t mask = backward ? 6 : 3; call.step.inputs.size() > mask) {
    g.mask = static_cast<const float*>(call.input(mask));
    std::copy_n(call.input_layout(mask).strides.begin(), 3, g.mask_strides);
  }
  Dnn& dnn = call.kernels.dnn();
  const LibraryOutcome outcome =
      backward ? dnn.attend_backward(g, type, call.flushed()) : dnn.attend(g, type, call.flushed());
  if (outcome.enqueued) return true;
  double operations = 4;
  for (const int64_t size : {g.stacks, g.heads, g.rows, g.keys, g.features})
    operations *= static_cast<double>(size);
  warn_slow("attention of " + std::string(name_of(type)), operations, outcome.refusal);
  if (!embedded_ptx("attention") || g.features > kMostFeatures) return false;
  constexpr int64_t kWarps = kElementThreads / 32;
  const auto run_rows = [&](const char* kernel, int64_t rows) {
    const int64_t warps = g.stacks * g.heads * rows;
    run(call, "attention", std::string(kernel) + suffix_of(type), g, (warps + kWarps - 1) / kWarps,
        kElementThreads);
  };
  if (!backward) {
    run_rows("attention_", g.rows);
    return true;
  }
  run_rows("attention_backward_rows_", g.rows);
  run_rows("attention_backward_keys_", g.keys);
  return true;
}

}  // namespace

bool launch_attention(ComputeLaunch& call) {
  return launch_attention(call, call.step.op == ComputeOp::attention_backward);
}

}  // namespace tide::cuda
