// Kernels whose vectors run across neighbouring rows ("columns", since the row dimension is
// strided).
#include <algorithm>

#include "runtime/codegen/llvm/elementwise_op.h"
#include "runtime/codegen/llvm/kernels.h"
#include "runtime/codegen/llvm/vector_loop.h"

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;
using List = std::vector<size_t>;

class ColumnKernel {
 public:
  explicit ColumnKernel(Frame& frame)
      : frame_(frame), code_(frame.code), program_(frame.program), passes_(frame.passes) {
    auto& builder = code_.builder;
    llvm::Value* row_length = builder.CreateSub(frame.row_end, frame.row_begin);
    block_ = code_.number(kReductionBlock);
    if (program_.single_block) block_ = builder.CreateAdd(row_length, code_.number(1));
    several_ = builder.CreateICmpSGT(row_length, block_);
    columns_ = code_.number(kColumnBlock);
    if (passes_.may_be_wide())
      columns_ = builder.CreateSelect(builder.CreateICmpSGE(row_length, code_.number(kManyRows)),
                                      code_.number(kWideColumnBlock), columns_);
    assign_workspace();
  }

  void emit_columns() {
    frame_.for_each_outer([&](const Positions& positions) {
      code_.loop(frame_.vector_begin, frame_.vector_end, columns_, [&](llvm::Value* begin) {
        auto& builder = code_.builder;
        begin_ = begin;
        end_ = code_.smaller(builder.CreateAdd(begin, columns_), frame_.vector_end);
        llvm::Value* length = builder.CreateSub(end_, begin_);
        padded_ = builder.CreateAnd(builder.CreateAdd(length, code_.number(kReductionLanes - 1)),
                                    code_.number(-kReductionLanes));
        emit_block(positions);
      });
    });
  }

 private:
  /// Assigns an address to each array in the workspace.
  void assign_workspace() {
    int64_t before = 0;  // bytes for each column
    const auto next = [&](DType type, int64_t count) {
      llvm::Value* offset = code_.builder.CreateMul(columns_, code_.number(before));
      before += count * static_cast<int64_t>(size_of(type));
      return code_.address(code_.builder.getInt8Ty(), frame_.workspace, offset);
    };
    for (const DType type : passes_.workspace_types) kept_.push_back(next(type, 1));
    const auto assign_lanes = [&](std::vector<llvm::Value*>& arrays) {
      arrays.resize(program_.code.size());
      for (size_t i = 0; i < program_.code.size(); ++i)
        if (program_.code[i].kind == Kind::reduce)
          arrays[i] = next(frame_.type_of(i), kReductionLanes);
    };
    assign_lanes(accumulators_);
    assign_lanes(block_lanes_);
  }

  /// All passes over the columns [begin_, end_).
  void emit_block(const Positions& positions) {
    known_.assign(program_.code.size(), false);
    keep_per_row(positions, 0);
    for (int pass = 0; pass < passes_.count; ++pass) {
      run_pass(positions, pass);
      if (!program_.partial) keep_per_row(positions, pass + 1);
    }
    if (program_.partial) return;
    const List stored = frame_.stores(true);
    run_columns(positions, stored, [&](Body& at) {
      for (const size_t i : stored) at.store(i);
    });
  }

  void run_pass(const Positions& positions, int pass) {
    const List reductions = frame_.reductions_of(pass);
    // Stores wait for the last pass, because an output may use the memory of an input.
    const List stored = pass == passes_.count - 1 ? frame_.stores(false) : List();
    List roots = reductions;
    roots.insert(roots.end(), stored.begin(), stored.end());
    if (!reductions.empty() && !program_.partial) clear_totals(reductions);
    code_.loop(frame_.row_begin, frame_.row_end, block_, [&](llvm::Value* begin) {
      llvm::Value* end = code_.smaller(code_.builder.CreateAdd(begin, block_), frame_.row_end);
      // One lane after the other, so that its accumulators stay in the first-level cache.
      llvm::Value* lanes = code_.smaller(code_.builder.CreateSub(end, begin),
                                         code_.number(reductions.empty() ? 1 : kReductionLanes));
      code_.loop(code_.number(0), lanes, 1, [&](llvm::Value* lane) {
        llvm::Value* first = code_.builder.CreateAdd(begin, lane);
        code_.loop(first, end, lanes, [&](llvm::Value* row) {
          llvm::Value* fresh = code_.builder.CreateICmpEQ(row, first);
          run_columns(frame_.moved(positions, program_.outer_rank, row), roots, [&](Body& at) {
            for (const size_t i : reductions) accumulate(at, lane, fresh, i);
            for (const size_t i : stored) at.store(i);
          });
        });
      });
      if (reductions.empty()) return;
      collapse(reductions, accumulators_, code_.builder.CreateSub(end, begin));
      if (program_.partial) return store_block(positions, begin, reductions[0]);
      set_totals(reductions, accumulators_);
      if (passes_.has_blocks) code_.when(several_, [&] { combine_block(reductions, begin); });
    });
    if (passes_.has_blocks && !reductions.empty())
      code_.when(several_, [&] {
        llvm::Value* length = code_.builder.CreateSub(frame_.row_end, frame_.row_begin);
        llvm::Value* rounded = code_.builder.CreateAdd(length, code_.number(kReductionBlock - 1));
        collapse(reductions, block_lanes_, code_.builder.CreateUDiv(rounded, block_));
        set_totals(reductions, block_lanes_);
      });
    for (const size_t i : reductions) known_[i] = true;
  }

  /// Loops over the columns, computing the values that the `roots` use.
  void run_columns(const Positions& positions, const List& roots,
                   const std::function<void(Body&)>& body) {
    auto needed = frame_.needed_for(roots, known_);
    for (const size_t root : roots)
      if (!is_value(root)) needed[root] = false;
    emit(frame_, {begin_, end_, positions, needed, {}, [&](Body& at) {
                    for (size_t i = 0; i < needed.size(); ++i)
                      if (needed[i] && known_[i])
                        at.set(i, at.load_private(frame_.type_of(i), kept_address(i, at)));
                    at.compute(needed);
                    body(at);
                  }});
  }

  bool is_value(size_t i) const {
    return program_.code[i].kind != Kind::reduce && program_.code[i].kind != Kind::store;
  }

  /// Computes maps per row that elements use once, as soon as the passes before have run.
  void keep_per_row(const Positions& positions, int level) {
    const List ready = frame_.instructions([&](const LoopInstruction& described, size_t i) {
      const LoopPasses::Instruction& passed = passes_.instructions[i];
      return described.kind == Kind::map && passed.level == level && passed.workspace >= 0;
    });
    if (ready.empty()) return;
    run_columns(positions, ready, [&](Body& at) {
      for (const size_t i : ready) at.store_private(at.value(i), kept_address(i, at));
    });
    for (const size_t i : ready) known_[i] = true;
  }

  llvm::Value* kept_address(size_t i, const Body& at) {
    llvm::Value* column = code_.builder.CreateSub(at.index(), begin_);
    const auto array = static_cast<size_t>(passes_.instructions[i].workspace);
    return code_.address(frame_.scalar_type(i), kept_[array], column);
  }

  /// The address of `lane` in the arrays of reduction i, from `column` of the block on.
  llvm::Value* lane_address(const std::vector<llvm::Value*>& arrays, size_t i, llvm::Value* lane,
                            llvm::Value* column) {
    llvm::Value* start = code_.builder.CreateMul(lane, padded_);
    return code_.address(frame_.scalar_type(i), arrays[i], code_.builder.CreateAdd(start, column));
  }

  /// `fresh`: this is the lane's first row in the block.
  void accumulate(Body& at, llvm::Value* lane, llvm::Value* fresh, size_t i) {
    llvm::Value* column = code_.builder.CreateSub(at.index(), begin_);
    const Value input = convert(at.value(program_.code[i].a[0]), frame_.type_of(i));
    combine_into(at, i, lane_address(accumulators_, i, lane, column), fresh, input);
  }

  /// Combines the value at `address` with `input`; `fresh`: there is no value yet.
  void combine_into(Body& at, size_t i, llvm::Value* address, llvm::Value* fresh,
                    const Value& input) {
    const Reduction reduction = program_.code[i].reduction;
    const Value old = at.load_private(frame_.type_of(i), address);
    Mask first{&at.lanes(), {}};
    first.registers.fill(at.lanes().splat(fresh));
    at.store_private(combine(reduction, select(first, identity(reduction, old), old), input),
                     address);
  }

  /// Combines the results of the block at `begin` into the lane for that block.
  void combine_block(const List& reductions, llvm::Value* begin) {
    auto& builder = code_.builder;
    llvm::Value* number = builder.CreateUDiv(builder.CreateSub(begin, frame_.row_begin), block_);
    llvm::Value* lane = builder.CreateAnd(number, code_.number(kReductionLanes - 1));
    llvm::Value* fresh = builder.CreateICmpSLT(number, code_.number(kReductionLanes));
    for_padded_columns([&](Body& at) {
      for (const size_t i : reductions) {
        llvm::Value* from = lane_address(accumulators_, i, code_.number(0), at.index());
        combine_into(at, i, lane_address(block_lanes_, i, lane, at.index()), fresh,
                     at.load_private(frame_.type_of(i), from));
      }
    });
  }

  /// Combines the lanes of each column by the tree, into lane 0. `rows`: how many rows were added.
  void collapse(const List& reductions, const std::vector<llvm::Value*>& arrays,
                llvm::Value* rows) {
    auto& builder = code_.builder;
    llvm::Value* lanes = code_.smaller(rows, code_.number(kReductionLanes));
    code_.loop(code_.number(1), code_.number(7), 1, [&](llvm::Value* level) {
      llvm::Value* width = builder.CreateLShr(code_.number(kReductionLanes), level);
      llvm::Value* count = code_.smaller(width, builder.CreateSub(lanes, width));
      code_.loop(code_.number(0), count, 1, [&](llvm::Value* lane) {
        llvm::Value* other = builder.CreateAdd(lane, width);
        for_padded_columns([&](Body& at) {
          for (const size_t i : reductions) {
            llvm::Value* address = lane_address(arrays, i, lane, at.index());
            const Value left = at.load_private(frame_.type_of(i), address);
            const Value right =
                at.load_private(frame_.type_of(i), lane_address(arrays, i, other, at.index()));
            at.store_private(combine(program_.code[i].reduction, left, right), address);
          }
        });
      });
    });
  }

  /// A loop over private memory, which is padded and needs no tail; indices count from 0.
  void for_padded_columns(const std::function<void(Body&)>& body) {
    const Lanes full{&code_.builder, &frame_.machine, frame_.width, frame_.registers};
    code_.loop(code_.number(0), padded_, full.elements(), [&](llvm::Value* column) {
      const Positions none;
      Body at(frame_, full, none, column);
      body(at);
    });
  }

  llvm::Value* total(size_t i, const Body& at) {
    const auto array = static_cast<size_t>(passes_.instructions[i].workspace);
    return code_.address(frame_.scalar_type(i), kept_[array], at.index());
  }

  void clear_totals(const List& reductions) {
    for_padded_columns([&](Body& at) {
      for (const size_t i : reductions) {
        const Value like(at.lanes(), frame_.type_of(i), Registers{});
        at.store_private(identity(program_.code[i].reduction, like), total(i, at));
      }
    });
  }

  /// Copies lane 0 to the totals.
  void set_totals(const List& reductions, const std::vector<llvm::Value*>& arrays) {
    for_padded_columns([&](Body& at) {
      for (const size_t i : reductions) {
        llvm::Value* result = lane_address(arrays, i, code_.number(0), at.index());
        at.store_private(at.load_private(frame_.type_of(i), result), total(i, at));
      }
    });
  }

  /// Stores the results of one block of a partial reduction.
  void store_block(const Positions& positions, llvm::Value* begin, size_t reduction) {
    llvm::Value* block = code_.builder.CreateSDiv(begin, code_.number(kReductionBlock));
    const Positions at_block = frame_.moved_to_block(positions, block);
    const List stored = frame_.stores(true);
    const std::vector<bool> none(program_.code.size(), false);
    emit(frame_, {begin_, end_, at_block, none, {}, [&](Body& at) {
                    llvm::Value* column = code_.builder.CreateSub(at.index(), begin_);
                    llvm::Value* address =
                        lane_address(accumulators_, reduction, code_.number(0), column);
                    at.set(reduction, at.load_private(frame_.type_of(reduction), address));
                    for (const size_t i : stored) at.store(i);
                  }});
  }

  Frame& frame_;
  Code& code_;
  const LoopProgram& program_;
  const LoopPasses& passes_;
  llvm::Value* block_;
  llvm::Value* several_;                    ///< whether a row has more than one block
  llvm::Value* columns_;                    ///< of a column block
  llvm::Value *begin_, *end_, *padded_;     ///< the current columns; their number, rounded up
  std::vector<llvm::Value*> kept_;          ///< arrays of values per row
  std::vector<llvm::Value*> accumulators_;  ///< per reduction
  std::vector<llvm::Value*>
      block_lanes_;          ///< per reduction: lanes for the row's blocks, if it has several
  std::vector<bool> known_;  ///< values per row that are in the workspace by now
};

}  // namespace

void emit_column_kernel(Frame& frame) { ColumnKernel(frame).emit_columns(); }

}  // namespace tide::ir
