// Kernels whose vectors run along the row.
#include <algorithm>
#include <map>

#include "runtime/codegen/llvm/elementwise_op.h"
#include "runtime/codegen/llvm/kernels.h"
#include "runtime/codegen/llvm/vector_loop.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;
using List = std::vector<size_t>;

class RowKernel {
 public:
  explicit RowKernel(Frame& frame)
      : frame_(frame),
        code_(frame.code),
        program_(frame.program),
        passes_(frame.passes),
        accumulators_(program_.code.size()),
        running_(program_.code.size()),
        kept_(program_.code.size(), false),
        block_lanes_(program_.code.size()) {
    auto& builder = code_.builder;
    llvm::Value* row_length = builder.CreateSub(frame.row_end, frame.row_begin);
    llvm::Value* rounded = builder.CreateAdd(row_length, code_.number(kReductionLanes - 1));
    padded_ = builder.CreateAnd(rounded, code_.number(-kReductionLanes));
    block_ = code_.number(kReductionBlock);
    if (program_.single_block) block_ = builder.CreateAdd(row_length, code_.number(1));
    several_ = builder.CreateICmpSGT(row_length, block_);
    for (const size_t i : frame_.instructions([](const LoopInstruction&described, size_t) {
           return described.kind == Kind::reduce;
         })) {
      accumulators_[i] = code_.buffer(frame_.scalar_type(i), kReductionLanes);
      if (passes_.has_blocks)
        block_lanes_[i] = code_.buffer(frame_.scalar_type(i), kReductionLanes);
    }
  }

  void emit_rows() {
    frame_.for_each_outer([&](const Positions& positions) {
      scalars_.assign(program_.code.size(), nullptr);
      Body row(frame_, scalar_lanes(frame_), positions, code_.number(0));
      compute_per_row(row, 0);
      for (int pass = 0; pass < passes_.count; ++pass) {
        plan_prefetch(pass);
        run_pass(positions, row, pass);
        if (!program_.partial) compute_per_row(row, pass + 1);
      }
      if (program_.partial) return;
      for (const size_t i : frame_.stores(true)) row.store(i);
    });
  }

 private:
  int64_t size_of_value(size_t i) const { return static_cast<int64_t>(size_of(frame_.type_of(i))); }

  /// Computes the maps, loads and parameters per row that are available after `level` passes.
  void compute_per_row(Body& row, int level) {
    const List ready = frame_.instructions([&](const LoopInstruction& described, size_t i) {
      const LoopPasses::Instruction& passed = passes_.instructions[i];
      return passed.per_row && passed.level == level && described.kind != Kind::reduce &&
             described.kind != Kind::store;
    });
    std::vector<bool> now(program_.code.size(), false);
    for (const size_t i : ready) now[i] = true;
    row.compute(now);
    for (const size_t i : ready) scalars_[i] = row.value(i)[0];
  }

  /// Cost of a pass per element, roughly in instructions. Stores wait for memory.
  int cost_of_pass(int pass) const {
    constexpr int kStoreCost = 20;
    int cost = 1;
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LoopInstruction& described = program_.code[i];
      const LoopPasses::Instruction& passed = passes_.instructions[i];
      if (passed.per_row) continue;
      if (described.kind == Kind::map && passed.level == pass)
        cost += cost_of(static_cast<ElementwiseOp>(described.op));
      if (described.kind == Kind::store && pass == passes_.count - 1) cost += kStoreCost;
    }
    return cost;
  }

  /// The first pass waits for memory; the others find their row in cache. Each of these prefetches
  /// a part of the next row for the first pass, in proportion to its own cost. A row that is split
  /// among threads is larger than a cache: its only pass prefetches what it reads a little later.
  void plan_prefetch(int pass) {
    ahead_.clear();
    if (program_.partial) {
      share_ = {0, 1, 1};
      for (const size_t operand : frame_.streams()) ahead_[operand] = code_.number(kStreamAhead);
      return;
    }
    if (pass == 0 || program_.outer_rank == 0) return;
    share_ = {0, 0, 0};
    for (int other = 1; other < passes_.count; ++other) {
      if (other == pass) share_.begin = share_.total;
      share_.total += cost_of_pass(other);
      if (other == pass) share_.end = share_.total;
    }
    for (const size_t operand : frame_.streams())
      ahead_[operand] = frame_.distance_to_next(operand);
  }

  void run_pass(const Positions& positions, Body& row, int pass) {
    const List reductions = frame_.reductions_of(pass);
    // Stores wait for the last pass, because an output may use the memory of an input.
    const List stored = pass == passes_.count - 1 ? frame_.stores(false) : List();
    if (reductions.empty())
      return run_elements(positions, frame_.row_begin, frame_.row_end, reductions, stored);
    std::vector<llvm::AllocaInst*> totals;
    for (const size_t i : reductions)
      totals.push_back(code_.variable(identity_of(i, row.lanes())[0]));
    if (passes_.has_blocks)
      code_.when(several_, [&] {
        for (const size_t i : reductions) clear(i, block_lanes_[i]);
      });
    code_.loop(frame_.row_begin, frame_.row_end, block_, [&](llvm::Value* begin) {
      llvm::Value* end = code_.smaller(code_.builder.CreateAdd(begin, block_), frame_.row_end);
      for (const size_t i : reductions) begin_block(i);
      run_elements(positions, begin, end, reductions, stored);
      if (program_.partial) return store_block(positions, begin, reductions[0]);
      for (size_t r = 0; r < reductions.size(); ++r) {
        const size_t i = reductions[r];
        llvm::Value* result = collapse(i, accumulators_[i]);
        code_.set(totals[r], result);
        if (passes_.has_blocks) code_.when(several_, [&] { combine_block(row, begin, i, result); });
      }
    });
    if (program_.partial) return;
    if (passes_.has_blocks)
      code_.when(several_, [&] {
        for (size_t r = 0; r < reductions.size(); ++r)
          code_.set(totals[r], collapse(reductions[r], block_lanes_[reductions[r]]));
      });
    for (size_t r = 0; r < reductions.size(); ++r) {
      const size_t i = reductions[r];
      scalars_[i] = code_.get(totals[r]);
      row.set(i, Value::broadcast(row.lanes(), frame_.type_of(i), scalars_[i]));
    }
  }

  Value identity_of(size_t i, const Lanes& lanes) const {
    return identity(program_.code[i].reduction, Value(lanes, frame_.type_of(i), Registers{}));
  }

  /// Sets a reduction's accumulators to the identity.
  void begin_block(size_t i) {
    running_[i].clear();
    if (!in_registers()) return clear(i, accumulators_[i]);
    const Lanes lanes{&code_.builder, &frame_.machine, frame_.width, 1};
    llvm::Value* initial = identity_of(i, lanes)[0];
    for (int lane = 0; lane < kReductionLanes; lane += lanes.width)
      running_[i].push_back(code_.variable(initial));
  }

  /// Sets the lanes of reduction i in a buffer to the identity.
  void clear(size_t i, llvm::Value* buffer) {
    const Lanes lanes{&code_.builder, &frame_.machine, frame_.width, 1};
    llvm::Value* initial = identity_of(i, lanes)[0];
    for (int lane = 0; lane < kReductionLanes; lane += lanes.width)
      code_.store(initial, code_.address(frame_.scalar_type(i), buffer, code_.number(lane)),
                  size_of_value(i) * lanes.width);
  }

  /// Combines the result of the block at `begin` into the lane for that block.
  void combine_block(const Body& row, llvm::Value* begin, size_t i, llvm::Value* result) {
    auto& builder = code_.builder;
    llvm::Value* number = builder.CreateUDiv(builder.CreateSub(begin, frame_.row_begin), block_);
    llvm::Value* lane = builder.CreateAnd(number, code_.number(kReductionLanes - 1));
    llvm::Value* address = code_.address(frame_.scalar_type(i), block_lanes_[i], lane);
    const DType type = frame_.type_of(i);
    llvm::Value* before = code_.load(frame_.scalar_type(i), address, size_of_value(i));
    const Value sum = combine(program_.code[i].reduction, Value(row.lanes(), type, {before}),
                              Value::broadcast(row.lanes(), type, result));
    code_.store(sum[0], address, size_of_value(i));
  }

  /// Whether each full step updates all accumulators, so that they need not be indexed.
  bool in_registers() const { return frame_.width * frame_.registers == kReductionLanes; }

  llvm::Value* accumulator(size_t i, int lane) {
    return code_.address(frame_.scalar_type(i), accumulators_[i], code_.number(lane));
  }

  /// Stores the accumulators to memory after the full steps, because a tail can begin at any of
  /// them.
  void leave_registers(size_t i) {
    for (size_t r = 0; r < running_[i].size(); ++r)
      code_.store(code_.get(running_[i][r]), accumulator(i, static_cast<int>(r) * frame_.width),
                  size_of_value(i) * frame_.width);
  }

  /// One sweep over the elements [begin, end) of the row.
  void run_elements(const Positions& positions, llvm::Value* begin, llvm::Value* end,
                    const List& reductions, const List& stored) {
    List roots = reductions;
    roots.insert(roots.end(), stored.begin(), stored.end());
    const std::vector<bool> from_workspace = kept_;
    std::vector<bool> known = from_workspace;
    for (size_t i = 0; i < known.size(); ++i) known[i] = known[i] || scalars_[i];
    auto needed = frame_.needed_for(roots, known);
    for (const size_t root : roots) needed[root] = false;
    const auto body = [&](Body& at) {
      for (const auto& [operand, distance] : ahead_) at.prefetch(operand, distance, share_);
      for (size_t i = 0; i < needed.size(); ++i)
        if (needed[i] && from_workspace[i])
          at.set(i, at.load_private(frame_.type_of(i), kept_address(i, at)));
      at.compute(needed);
      for (size_t i = 0; i < needed.size(); ++i)
        if (needed[i] && passes_.instructions[i].workspace >= 0 && !from_workspace[i])
          at.store_private(at.value(i), kept_address(i, at));
      for (const size_t i : reductions) accumulate(at, begin, i);
      for (const size_t i : stored) at.store(i);
    };
    emit(frame_, {begin, end, positions, needed, scalars_, body, [&] {
                    for (const size_t i : reductions) leave_registers(i);
                  }});
    for (size_t i = 0; i < needed.size(); ++i)
      kept_[i] = kept_[i] || (needed[i] && passes_.instructions[i].workspace >= 0);
  }

  /// The address of instruction i's kept values in the workspace, from this body's first element.
  llvm::Value* kept_address(size_t i, const Body& at) {
    int64_t before = 0;
    const auto array = static_cast<size_t>(passes_.instructions[i].workspace);
    for (size_t k = 0; k < array; ++k)
      before += static_cast<int64_t>(size_of(passes_.workspace_types[k]));
    llvm::Value* offset = code_.builder.CreateMul(padded_, code_.number(before));
    llvm::Value* base = code_.address(code_.builder.getInt8Ty(), frame_.workspace, offset);
    return code_.address(frame_.scalar_type(i), base, at.index());
  }

  void accumulate(Body& at, llvm::Value* block_begin, size_t i) {
    const LoopInstruction& described = program_.code[i];
    const Value input = convert(at.value(described.a[0]), frame_.type_of(i));
    if (in_registers() && !at.is_tail()) {
      Registers old{};
      for (size_t r = 0; r < running_[i].size(); ++r) old[r] = code_.get(running_[i][r]);
      const Value sum =
          combine(described.reduction, Value(at.lanes(), frame_.type_of(i), old), input);
      for (size_t r = 0; r < running_[i].size(); ++r) code_.set(running_[i][r], sum[r]);
      return;
    }
    llvm::Value* distance = code_.builder.CreateSub(at.index(), block_begin);
    llvm::Value* lane = code_.builder.CreateAnd(distance, code_.number(kReductionLanes - 1));
    llvm::Value* address = code_.address(frame_.scalar_type(i), accumulators_[i], lane);
    const Value old = at.load_private(frame_.type_of(i), address);
    at.store_private(at.where_counted(combine(described.reduction, old, input), old), address);
  }

  /// Combines the lanes of a reduction in a buffer by the tree.
  llvm::Value* collapse(size_t i, llvm::Value* buffer) {
    auto& builder = code_.builder;
    const LoopInstruction& described = program_.code[i];
    Lanes lanes{&builder, &frame_.machine, kReductionLanes, 1};
    llvm::Value* all = code_.load(lanes.form(frame_.type_of(i)), buffer, 64);
    while (lanes.width > 1) {
      lanes.width /= 2;
      std::vector<int> low, high;
      for (int lane = 0; lane < lanes.width; ++lane) {
        low.push_back(lane);
        high.push_back(lane + lanes.width);
      }
      llvm::Value* left = lanes.width > 1 ? builder.CreateShuffleVector(all, low)
                                          : builder.CreateExtractElement(all, uint64_t{0});
      llvm::Value* right = lanes.width > 1 ? builder.CreateShuffleVector(all, high)
                                           : builder.CreateExtractElement(all, uint64_t{1});
      all = combine(described.reduction, Value(lanes, frame_.type_of(i), {left}),
                    Value(lanes, frame_.type_of(i), {right}))[0];
    }
    return all;
  }

  /// Stores the result of one block of a partial reduction.
  void store_block(const Positions& positions, llvm::Value* begin, size_t reduction) {
    llvm::Value* block = code_.builder.CreateSDiv(begin, code_.number(kReductionBlock));
    const Positions at = frame_.moved_to_block(positions, block);
    Body row(frame_, scalar_lanes(frame_), at, code_.number(0));
    row.set(reduction, Value::broadcast(row.lanes(), frame_.type_of(reduction),
                                        collapse(reduction, accumulators_[reduction])));
    for (const size_t i : frame_.stores(true)) row.store(i);
  }

  Frame& frame_;
  Code& code_;
  const LoopProgram& program_;
  const LoopPasses& passes_;
  llvm::Value *padded_, *block_;
  llvm::Value* several_;                    ///< whether a row has more than one block
  std::map<size_t, llvm::Value*> ahead_;    ///< prefetch distance per operand
  Share share_{};                           ///< the part of it that the pass prefetches
  std::vector<llvm::Value*> accumulators_;  ///< per reduction, on the stack
  std::vector<std::vector<llvm::AllocaInst*>> running_;  ///< accumulators in registers
  std::vector<llvm::Value*> scalars_;                    ///< values per row known so far
  std::vector<bool> kept_;                 ///< values that are in the workspace by now
  std::vector<llvm::Value*> block_lanes_;  ///< per reduction, on the stack: lanes for the row's
                                           ///< blocks
};

}  // namespace

void emit_row_kernel(Frame& frame) { RowKernel(frame).emit_rows(); }

}  // namespace tide::ir
