// Bytes and operations of steps, from shapes.
#include "runtime/device/modelled/step_work.h"

#include <algorithm>

#include "runtime/ir/compute_attributes.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/tensor_cores.h"
#include "runtime/ir/work_type.h"

namespace tide {
namespace {

/// Number of elements that a view touches.
int64_t reached(const Layout& layout) {
  int64_t count = 1;
  for (int d = 0; d < layout.rank(); ++d)
    if (layout.strides[d] != 0 || layout.shape[d] == 0) count *= layout.shape[d];
  return count;
}

/// Whether an elementwise op does arithmetic, rather than only moving values.
bool computes(const LoopInstruction& instruction) {
  switch (static_cast<ElementwiseOp>(instruction.op)) {
    case ElementwiseOp::convert:
    case ElementwiseOp::copy:
    case ElementwiseOp::fill:
    case ElementwiseOp::iota:
      return false;
    default:
      return true;
  }
}

/// Whether operand k has one element for each block of dimension d.
bool is_of_blocks(const LoopProgram& program, size_t k, size_t d) {
  if (!program.partial || d != program.outer_rank) return false;
  return std::any_of(program.code.begin(), program.code.end(), [&](const auto& instruction) {
    return instruction.kind == LoopInstruction::Kind::store && instruction.operand == k &&
           program.code[instruction.a[0]].kind == LoopInstruction::Kind::reduce;
  });
}

int64_t blocks_of(int64_t row) { return (row + kReductionBlock - 1) / kReductionBlock; }

double product(const Shape& shape) { return static_cast<double>(shape.numel()); }

/// Multiplications and additions of a compute op; 0 if they are not counted.
double multiply_adds(const ComputeStep& step) {
  const auto input = [&](size_t i) -> const Shape& { return step.inputs[i].layout.shape; };
  const auto output = [&]() -> const Shape& { return step.outputs[0].layout.shape; };
  const auto last = [](const Shape& shape) { return static_cast<double>(shape[shape.rank() - 1]); };
  // For a filter (o, c, h, w): per element of the result.
  const auto filter = [](const Shape& shape) { return product(shape) / shape[0]; };
  switch (step.op) {
    case ComputeOp::matmul:
    case ComputeOp::scaled_matmul:
      return product(output()) * last(input(0));
    case ComputeOp::attention:
      return 2 * product(input(0)) * static_cast<double>(input(1)[2]);
    case ComputeOp::attention_backward:
      return 5 * product(input(0)) * static_cast<double>(input(1)[2]);
    case ComputeOp::conv2d:
      return product(output()) * filter(input(1));
    case ComputeOp::conv2d_backward_input:
      return product(input(0)) * filter(input(1));
    case ComputeOp::conv2d_backward_weight:
      return product(input(0)) * filter(output());
    case ComputeOp::recurrence:
    case ComputeOp::recurrence_backward: {  // the same number of rows, and a weight (gates, size)
      const bool has_bias = unpack<RecurrenceAttributes>(step.attributes).has_bias;
      return static_cast<double>(input(0)[0]) * product(input(step.inputs.size() - 1 - has_bias));
    }
    default:
      return 0;
  }
}

/// Whether an array of the step is (n, h, w, c), or a weight (o, h, w, c).
bool is_channels_last(const ComputeStep& step, const ArrayView& view) {
  if (view.layout.rank() != 4) return false;
  switch (step.op) {
    case ComputeOp::conv2d:
    case ComputeOp::conv2d_backward_input:
    case ComputeOp::conv2d_backward_weight: {
      const bool has_weight = step.op != ComputeOp::conv2d_backward_weight;
      const ArrayView& weight = has_weight ? step.inputs[1] : step.outputs[0];
      const auto a = unpack<ConvolutionAttributes>(step.attributes);
      return &view == &weight ? a.weight_channels_last : a.channels_last;
    }
    case ComputeOp::max_pool2d:
    case ComputeOp::max_pool2d_backward:
    case ComputeOp::avg_pool2d:
    case ComputeOp::avg_pool2d_backward:
      return step.attributes.back() != 0;
    default:
      return false;
  }
}

/// Whether the step does not read an input: the weight of a convolution that has a prepared one.
bool is_replaced(const ComputeStep& step, const ArrayView& input) {
  if (step.op != ComputeOp::conv2d || &input != &step.inputs[1]) return false;
  return step.inputs.size() > 2u + unpack<ConvolutionAttributes>(step.attributes).has_bias;
}

bool has_fitting_sizes(const ComputeStep& step, DType type) {
  return tensor_core_tile(type) != 0 &&
         misfits(step.op, type, planes_of(step, step.inputs[0]).shape,
                 planes_of(step, step.inputs[1]).shape)
             .empty();
}
}  // namespace

StepWork work_of(const LoopStep& step) {
  const LoopProgram& program = step.program;
  const size_t dims = program.dimensions(), row = program.outer_rank;
  StepWork work;
  work.type = work_type(program.operands).type();
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const LoopOperand& operand = program.operands[k];
    if (operand.kind == LoopOperand::Kind::iota) continue;
    int64_t elements = 1;
    for (size_t d = 0; d < dims; ++d) {
      if (d >= row && program.has_row && (d > row) != operand.nested) continue;
      if (operand.indexed || step.strides[k * dims + d] != 0 || step.extents[d] == 0)
        elements *= is_of_blocks(program, k, d) ? blocks_of(step.extents[d]) : step.extents[d];
    }
    work.bytes += elements * static_cast<int64_t>(size_of(operand.type));
  }
  double outer = 1;
  for (size_t d = 0; d < program.outer_rank; ++d) outer *= static_cast<double>(step.extents[d]);
  const double inner =
      program.has_row ? outer * static_cast<double>(step.extents[program.outer_rank]) : outer;
  using Kind = LoopInstruction::Kind;
  thread_local std::vector<bool> per_row;  // of each instruction: one value per row
  per_row.assign(program.code.size(), false);
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LoopInstruction& instruction = program.code[i];
    switch (instruction.kind) {
      case Kind::load:
        per_row[i] = program.operands[instruction.operand].per_row &&
                     std::all_of(instruction.a, instruction.a + instruction.arity,
                                 [&](uint16_t value) { return per_row[value]; });
        break;
      case Kind::parameter:
        per_row[i] = true;
        break;
      case Kind::map:
        per_row[i] = std::all_of(instruction.a, instruction.a + instruction.arity,
                                 [&](uint16_t value) { return per_row[value]; });
        if (computes(instruction)) work.flops += per_row[i] ? outer : inner;
        break;
      case Kind::reduce:
        per_row[i] = true;
        work.flops += inner;
        break;
      case Kind::store:
        break;
    }
  }
  return work;
}

StepWork work_of(const ComputeStep& step) {
  StepWork work;
  for (const ArrayView& view : step.inputs)
    if (!is_replaced(step, view))
      work.bytes += reached(view.layout) * static_cast<int64_t>(size_of(view.type));
  for (const ArrayView& view : step.outputs)
    work.bytes += reached(view.layout) * static_cast<int64_t>(size_of(view.type));
  work.flops = 2 * multiply_adds(step);
  work.type = work_type(step.inputs, step.outputs).type();
  work.fits_tensor_cores = multiplies_matrices(step.op) && has_fitting_sizes(step, work.type);
  return work;
}

StepWork work_of_copy(size_t bytes) {
  StepWork work;
  work.bytes = 2 * static_cast<int64_t>(bytes);
  return work;
}

Layout planes_of(const ComputeStep& step, const ArrayView& view) {
  return is_channels_last(step, view) ? as_planes(view.layout) : view.layout;
}

}  // namespace tide
