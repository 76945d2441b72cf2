// Map kernels for GPUs: a thread per point, or per vector of the last dimension.
#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/body.h"
#include "runtime/codegen/llvm/gpu_grid.h"
#include "runtime/codegen/llvm/kernels.h"

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;
using List = std::vector<size_t>;

class GpuMapKernel {
 public:
  GpuMapKernel(Frame& frame, const GpuForm& form)
      : frame_(frame), code_(frame.code), grid_(frame), form_(form) {
    stores_ = frame.instructions(
        [](const LoopInstruction& instruction, size_t) { return instruction.kind == Kind::store; });
    needed_ = frame.needed_for(stores_, std::vector<bool>(frame.program.code.size(), false));
  }

  void emit_points() {
    auto& builder = code_.builder;
    llvm::Value* threads = grid_.block_threads();
    llvm::Value* first =
        builder.CreateAdd(builder.CreateMul(grid_.block(), threads), grid_.thread());
    llvm::Value* step = builder.CreateMul(grid_.blocks(), threads);
    code_.loop(first, frame_.units, step, [&](llvm::Value* unit) {
      if (!form_.vector)
        emit_body(1, frame_.positions_at(grid_.indices(unit, frame_.program.outer_rank)),
                  code_.number(0));
      else if (frame_.program.outer_rank == 1)
        emit_line(unit);
      else
        emit_part(unit);
    });
  }

 private:
  /// One dimension: full vectors first, then the remaining elements one by one.
  void emit_line(llvm::Value* unit) {
    auto& builder = code_.builder;
    const int vector = gpu_vector(frame_.program);
    const Positions positions = frame_.positions_at({code_.number(0)});
    llvm::Value* count = builder.CreateUDiv(frame_.extent(0), code_.number(vector));
    llvm::Value* full = builder.CreateICmpSLT(unit, count);
    code_.when(
        full, [&] { emit_body(vector, positions, builder.CreateMul(unit, code_.number(vector))); });
    code_.when(builder.CreateNot(full), [&] {
      llvm::Value* before = builder.CreateMul(count, code_.number(vector - 1));
      emit_body(1, positions, builder.CreateAdd(unit, before));
    });
  }

  /// A vector of the last dimension, whose extent is a multiple of the vector.
  void emit_part(llvm::Value* unit) {
    auto& builder = code_.builder;
    const int vector = gpu_vector(frame_.program);
    const int last = frame_.program.outer_rank - 1;
    llvm::Value* parts = builder.CreateUDiv(frame_.extent(last), code_.number(vector));
    const auto [outer, part] = frame_.divide(unit, parts);
    std::vector<llvm::Value*> indices = grid_.indices(outer, last);
    indices.push_back(code_.number(0));
    emit_body(vector, frame_.positions_at(indices), builder.CreateMul(part, code_.number(vector)));
  }

  void emit_body(int width, const Positions& positions, llvm::Value* index) {
    const Lanes lanes{&code_.builder, &frame_.machine, width, 1};
    Body body(frame_, lanes, positions, index);
    body.compute(needed_);
    // All loads come first, because an output may use the memory of an input.
    for (const size_t store : stores_) body.store(store);
  }

  Frame& frame_;
  Code& code_;
  GpuGrid grid_;
  const GpuForm form_;
  List stores_;
  std::vector<bool> needed_;
};

}  // namespace

void emit_gpu_map(Frame& frame, const GpuForm& form) { GpuMapKernel(frame, form).emit_points(); }

}  // namespace tide::ir
