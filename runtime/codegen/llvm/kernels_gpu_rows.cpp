// Row kernels for GPUs: a team of threads per row.
//
// The bits are those of the CPU's kernels: member j of a row's team owns lane j of the reduction
// tree (down columns, lanes j, j + 16, j + 32 and j + 48), takes its elements in rising order, and
// the lanes are combined in shared memory. Values per element that several passes need are
// recomputed, or kept there.
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <memory>

#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/body.h"
#include "runtime/codegen/llvm/elementwise_op.h"
#include "runtime/codegen/llvm/gpu_grid.h"
#include "runtime/codegen/llvm/kernels.h"

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;
using List = std::vector<size_t>;

class GpuRowKernel {
 public:
  GpuRowKernel(Frame& frame, const GpuForm& form)
      : frame_(frame),
        code_(frame.code),
        program_(frame.program),
        passes_(frame.passes),
        grid_(frame),
        block_(gpu_block(frame.program, form)) {
    accumulators_ = kReductionLanes / block_.members;
    unrolled_ = unrolled(form);
    if (form.staged) stage_ = passes_.row_stage(program_, form.keeps);
    auto& builder = code_.builder;
    thread_ = grid_.thread();
    team_ = block_.teams == 1 ? code_.number(0)
                              : builder.CreateAnd(thread_, code_.number(block_.teams - 1));
    member_ = block_.members == 1 ? code_.number(0)
                                  : builder.CreateUDiv(thread_, code_.number(block_.teams));
    if (block_.groups() > 1) {
      group_ = builder.CreateUDiv(thread_, code_.number(block_.members));
      member_ = builder.CreateAnd(thread_, code_.number(block_.members - 1));
    }
    first_ = member_, stride_ = block_.members;
    if (block_.members > 1)
      lanes_of_block_ = shared("lanes", builder.getInt64Ty(), block_.threads + block_.groups());
    if (!stage_.sizes.empty()) row_ = shared("row", builder.getInt8Ty(), 0);
  }

  /// Threads of a block that have no row left repeat the last one without storing, so that all of
  /// them reach the barriers.
  void emit_rows() {
    auto& builder = code_.builder;
    llvm::Value* teams = code_.number(block_.teams);
    llvm::Value* first = builder.CreateMul(grid_.block(), teams);
    llvm::Value* step = builder.CreateMul(grid_.blocks(), teams);
    code_.loop(first, frame_.units, step, [&](llvm::Value* base) {
      llvm::Value* unit = builder.CreateAdd(base, team_);
      active_ = block_.teams == 1 ? builder.getTrue() : builder.CreateICmpSLT(unit, frame_.units);
      unit = code_.smaller(unit, builder.CreateSub(frame_.units, code_.number(1)));
      emit_row(unit);
    });
  }

 private:
  static constexpr unsigned kShared = 3;  ///< the address space of shared memory
  static constexpr unsigned kAllThreads = 0xffffffff;

  /// Elements that a thread takes at a time: enough for loads to overlap, but no more, because each
  /// makes the kernel larger. A thread with several lanes takes a fixed number.
  int unrolled(const GpuForm& form) const {
    const int most = form.few ? 8 : 4;
    if (accumulators_ > 1) return most;
    const auto loads = std::ranges::count_if(program_.code, [&](const LoopInstruction& described) {
      return described.kind == Kind::load && !program_.operands[described.operand].per_row;
    });
    int count = most;
    while (count > 1 && count * loads > 4 * most) count /= 2;
    return count;
  }

  /// An array in shared memory; with size 0, as large as the launch makes it.
  llvm::GlobalVariable* shared(const char* name, llvm::Type* element, int size) {
    auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(size));
    auto* variable = new llvm::GlobalVariable(
        *code_.builder.GetInsertBlock()->getModule(), type, false,
        size ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage,
        size ? llvm::UndefValue::get(type) : nullptr, name, nullptr,
        llvm::GlobalValue::NotThreadLocal, kShared);
    variable->setAlignment(llvm::Align(RowStage::kAlignment));
    return variable;
  }

  void emit_row(llvm::Value* unit) {
    auto& builder = code_.builder;
    begin_ = code_.number(0);
    end_ = frame_.extent(program_.outer_rank);
    llvm::Value* block = nullptr;
    if (program_.partial) {
      llvm::Value* outer = code_.number(1);
      for (int d = 0; d < program_.outer_rank; ++d)
        outer = builder.CreateMul(outer, frame_.extent(d));
      std::tie(block, unit) = frame_.divide(unit, outer);
      begin_ = builder.CreateMul(block, code_.number(kReductionBlock));
      end_ = code_.smaller(builder.CreateAdd(begin_, code_.number(kReductionBlock)), end_);
    }
    positions_ = frame_.positions_at(grid_.indices(unit, program_.outer_rank));
    if (!stage_.sizes.empty()) stage_row();
    scalars_.assign(program_.code.size(), nullptr);
    now_kept_ = kept_ = std::vector<bool>(program_.code.size(), false);
    Body row(frame_, scalar_lanes(frame_), positions_, code_.number(0));
    compute_per_row(row, 0);
    for (int pass = 0; pass < passes_.count; ++pass) {
      run_pass(row, pass);
      if (!program_.partial) compute_per_row(row, pass + 1);
    }
    llvm::Value* number = group_ ? thread_ : member_;
    llvm::Value* leads = builder.CreateAnd(active_, builder.CreateICmpEQ(number, code_.number(0)));
    code_.when(leads, [&] { store_per_row(row, block); });
  }

  /// Assigns addresses to the arrays in shared memory and copies the row's operands into the first
  /// of them, which become the operands' positions.
  void stage_row() {
    auto& builder = code_.builder;
    grid_.barrier();  // the previous row is no longer used
    stage_addresses_.clear();
    llvm::Value* offset = code_.number(0);
    for (const size_t size : stage_.sizes) {
      stage_addresses_.push_back(code_.address(builder.getInt8Ty(), row_, offset));
      llvm::Value* bytes = builder.CreateMul(end_, code_.number(static_cast<int64_t>(size)));
      llvm::Value* filled = builder.CreateAdd(bytes, code_.number(kStaged - 1));
      offset = builder.CreateAdd(offset, builder.CreateAnd(filled, code_.number(-kStaged)));
    }
    for (size_t k = 0; k < stage_.operands.size(); ++k) {
      llvm::Value*& position = positions_[stage_.operands[k]];
      stage(position, stage_addresses_[k], static_cast<int64_t>(stage_.sizes[k]));
      position = stage_addresses_[k];
    }
    grid_.barrier();
  }

  /// Copies the row's elements of `size` bytes, 16 bytes per thread, several at a time.
  void stage(llvm::Value* from, llvm::Value* to, int64_t size) {
    constexpr int kAtOnce = 4;
    auto& builder = code_.builder;
    llvm::Type* vector = llvm::FixedVectorType::get(builder.getInt32Ty(), 4);
    llvm::Value* count = builder.CreateUDiv(end_, code_.number(kStaged / size));
    const auto move = [&](llvm::Value* index, int at_once) {
      std::vector<llvm::Value*> loaded, indices;
      for (int i = 0; i < at_once; ++i) {
        indices.push_back(builder.CreateAdd(index, code_.number(i * block_.threads)));
        loaded.push_back(code_.load(vector, code_.address(vector, from, indices.back()), kStaged));
      }
      for (size_t i = 0; i < loaded.size(); ++i)
        code_.store(loaded[i], code_.address(vector, to, indices[i]), kStaged);
    };
    llvm::AllocaInst* position = code_.variable(thread_);
    const int64_t step = int64_t{kAtOnce} * block_.threads;
    llvm::Value* main_end = builder.CreateSub(count, code_.number(step - block_.threads));
    code_.loop(thread_, main_end, step, [&](llvm::Value* index) {
      move(index, kAtOnce);
      code_.set(position, builder.CreateAdd(index, code_.number(step)));
    });
    code_.loop(code_.get(position), count, block_.threads,
               [&](llvm::Value* index) { move(index, 1); });
    llvm::Type* element = builder.getIntNTy(static_cast<unsigned>(8 * size));
    llvm::Value* remaining =
        builder.CreateAdd(builder.CreateMul(count, code_.number(kStaged / size)), thread_);
    code_.when(builder.CreateICmpSLT(remaining, end_), [&] {
      code_.store(code_.load(element, code_.address(element, from, remaining), size),
                  code_.address(element, to, remaining), size);
    });
  }

  void store_per_row(Body& row, llvm::Value* block) {
    if (!program_.partial) {
      for (const size_t i : frame_.stores(true)) row.store(i);
      return;
    }
    const Positions positions = frame_.moved_to_block(positions_, block);
    Body at(frame_, scalar_lanes(frame_), positions, code_.number(0));
    for (const size_t i : frame_.reductions_of(0)) at.set(i, row.value(i));
    for (const size_t i : frame_.stores(true)) at.store(i);
  }

  /// Computes the maps, loads and parameters per row that are available after `level` passes.
  void compute_per_row(Body& row, int level) {
    std::vector<bool> now(program_.code.size(), false);
    for (size_t i = 0; i < now.size(); ++i) {
      const LoopPasses::Instruction& passed = passes_.instructions[i];
      const Kind kind = program_.code[i].kind;
      now[i] =
          passed.per_row && passed.level == level && kind != Kind::reduce && kind != Kind::store;
    }
    row.compute(now);
    for (size_t i = 0; i < now.size(); ++i)
      if (now[i]) scalars_[i] = row.value(i)[0];
  }

  /// Whether the value of instruction i stays in shared memory once it is computed.
  bool keeps(size_t i) const {
    return !stage_.kept.empty() && passes_.instructions[i].workspace >= 0;
  }

  /// The address of instruction i's kept value for an element of the row.
  llvm::Value* kept_address(size_t i, llvm::Value* element) {
    const auto array = stage_.kept[static_cast<size_t>(passes_.instructions[i].workspace)];
    return code_.address(frame_.scalar_type(i), stage_addresses_[array], element);
  }

  void run_pass(Body& row, int pass) {
    run_reductions(row, pass);
    kept_ = now_kept_;
  }

  void run_reductions(Body& row, int pass) {
    const List reductions = frame_.reductions_of(pass);
    // Stores wait for the last pass, because an output may use the memory of an input.
    const List stored = pass == passes_.count - 1 ? frame_.stores(false) : List();
    if (reductions.empty()) {
      // No lanes: any thread may take any element.
      if (group_) first_ = thread_, stride_ = block_.threads;
      run_elements(begin_, end_, reductions, stored);
      first_ = member_, stride_ = block_.members;
      return;
    }
    if (program_.partial || program_.single_block) {
      run_elements(begin_, end_, reductions, stored);
      for (size_t r = 0; r < reductions.size(); ++r)
        set_result(row, reductions[r], collapse(reductions[r], sums_of(r))[0]);
      return;
    }
    std::vector<llvm::AllocaInst*> totals;
    std::vector<Accumulators> block_lanes;
    for (const size_t i : reductions) {
      totals.push_back(code_.variable(identity_of(i)[0]));
      block_lanes.push_back(new_accumulators(i));
    }
    llvm::Value* size = code_.number(kReductionBlock);
    code_.loop(begin_, end_, kReductionBlock * block_.groups(), [&](llvm::Value* begin) {
      llvm::Value* number = code_.builder.CreateUDiv(begin, size);
      if (group_) {
        llvm::Value* before = code_.builder.CreateMul(group_, size);
        begin = code_.smaller(code_.builder.CreateAdd(begin, before), end_);
      }
      llvm::Value* end = code_.smaller(code_.builder.CreateAdd(begin, size), end_);
      run_elements(begin, end, reductions, stored);
      for (size_t r = 0; r < reductions.size(); ++r) {
        const std::vector<llvm::Value*> results = collapse(reductions[r], sums_of(r));
        code_.set(totals[r], results[0]);
        for (size_t g = 0; g < results.size(); ++g)
          combine_block(reductions[r], block_lanes[r],
                        code_.builder.CreateAdd(number, code_.number(static_cast<int64_t>(g))),
                        results[g]);
      }
    });
    // The result of a single block is the row's; all threads of a launch agree on the number.
    code_.when(code_.builder.CreateICmpSGT(end_, size), [&] {
      for (size_t r = 0; r < reductions.size(); ++r)
        code_.set(totals[r], collapse(reductions[r], block_lanes[r])[0]);
    });
    for (size_t r = 0; r < reductions.size(); ++r)
      set_result(row, reductions[r], code_.get(totals[r]));
  }

  /// This thread's lanes of a reduction: element a is lane member + members * a.
  using Accumulators = std::vector<llvm::AllocaInst*>;

  Accumulators new_accumulators(size_t i) {
    Accumulators accumulators;
    for (int a = 0; a < accumulators_; ++a)
      accumulators.push_back(code_.variable(identity_of(i)[0]));
    return accumulators;
  }

  Accumulators sums_of(size_t r) const {
    const auto first = sums_.begin() + static_cast<ptrdiff_t>(r) * accumulators_;
    return {first, first + accumulators_};
  }

  /// Combines the result of a block into the lane for that block, if it is this thread's.
  void combine_block(size_t i, const Accumulators& lanes, llvm::Value* number,
                     llvm::Value* result) {
    auto& builder = code_.builder;
    llvm::Value* lane = builder.CreateAnd(number, code_.number(kReductionLanes - 1));
    for (size_t a = 0; a < lanes.size(); ++a) {
      llvm::Value* owned =
          builder.CreateAdd(member_, code_.number(block_.members * static_cast<int64_t>(a)));
      llvm::Value* before = code_.get(lanes[a]);
      code_.set(lanes[a], builder.CreateSelect(builder.CreateICmpEQ(lane, owned),
                                               merged(i, before, result), before));
    }
  }

  void set_result(Body& row, size_t i, llvm::Value* result) {
    scalars_[i] = result;
    row.set(i, scalar(i, result));
  }

  Value scalar(size_t i, llvm::Value* value) {
    lanes_ = scalar_lanes(frame_);
    return Value::broadcast(lanes_, frame_.type_of(i), value);
  }

  Value identity_of(size_t i) {
    lanes_ = scalar_lanes(frame_);
    return identity(program_.code[i].reduction, Value(lanes_, frame_.type_of(i), Registers{}));
  }

  /// Processes this thread's lanes of the elements [begin, end), several elements at a time so that
  /// their loads overlap.
  void run_elements(llvm::Value* begin, llvm::Value* end, const List& reductions,
                    const List& stored) {
    auto& builder = code_.builder;
    sums_.clear();
    for (const size_t i : reductions)
      for (llvm::AllocaInst* sum : new_accumulators(i)) sums_.push_back(sum);
    llvm::Value* start = builder.CreateAdd(begin, first_);
    llvm::AllocaInst* position = code_.variable(start);
    const int64_t stride = stride_, step = stride * unrolled_;
    llvm::Value* main_end = builder.CreateSub(end, code_.number(step - stride));
    code_.loop(start, main_end, step, [&](llvm::Value* index) {
      run_group(index, unrolled_, reductions, stored);
      code_.set(position, builder.CreateAdd(index, code_.number(step)));
    });
    if (unrolled_ == 1) return;
    llvm::Value* remaining = code_.get(position);
    if (accumulators_ == 1) {
      code_.loop(remaining, end, stride,
                 [&](llvm::Value* index) { run_group(index, 1, reductions, stored); });
      return;
    }
    for (int k = 0; k < unrolled_ - 1; ++k) {
      llvm::Value* index = builder.CreateAdd(remaining, code_.number(k * stride));
      code_.when(builder.CreateICmpSLT(index, end),
                 [&] { run_group(index, 1, reductions, stored, k); });
    }
  }

  /// Elements index, index + stride, ...; the first goes to accumulator `first`.
  void run_group(llvm::Value* index, int count, const List& reductions, const List& stored,
                 int first = 0) {
    List roots = reductions;
    roots.insert(roots.end(), stored.begin(), stored.end());
    std::vector<bool> known(program_.code.size());
    for (size_t i = 0; i < known.size(); ++i) known[i] = scalars_[i] || kept_[i];
    auto needed = frame_.needed_for(roots, known);
    for (const size_t root : roots) needed[root] = false;
    for (size_t i = 0; i < needed.size(); ++i) now_kept_[i] = kept_[i] || (needed[i] && keeps(i));
    std::vector<Positions> positions(static_cast<size_t>(count));
    std::vector<std::unique_ptr<Body>> bodies;
    for (int k = 0; k < count; ++k) {
      llvm::Value* element = code_.builder.CreateAdd(index, code_.number(k * stride_));
      auto& at = positions[static_cast<size_t>(k)];
      const bool along = program_.orientation == Orientation::row;
      at = along ? positions_ : frame_.moved(positions_, program_.outer_rank, element);
      Body& body = *bodies.emplace_back(std::make_unique<Body>(frame_, scalar_lanes(frame_), at,
                                                               along ? element : code_.number(0)));
      for (size_t i = 0; i < needed.size(); ++i) {
        if (needed[i] && scalars_[i])
          body.set(i, Value::broadcast(body.lanes(), frame_.type_of(i), scalars_[i]));
        else if (needed[i] && kept_[i])
          body.set(i, body.load_private(frame_.type_of(i), kept_address(i, element)));
      }
      body.compute(needed);
    }
    // After all loads, so that these need not wait for the stores.
    for (const auto& body : bodies)
      for (size_t i = 0; i < needed.size(); ++i)
        if (needed[i] && keeps(i) && !kept_[i])
          body->store_private(body->value(i), kept_address(i, body->index()));
    for (int k = 0; k < count; ++k) {
      Body& body = *bodies[static_cast<size_t>(k)];
      for (size_t r = 0; r < reductions.size(); ++r)
        accumulate(body, r, reductions[r], (first + k) % accumulators_);
    }
    if (stored.empty()) return;
    code_.when(active_, [&] {
      for (const auto& body : bodies)
        for (const size_t i : stored) body->store(i);
    });
  }

  void accumulate(Body& body, size_t r, size_t i, int accumulator) {
    const LoopInstruction& described = program_.code[i];
    llvm::AllocaInst* sum =
        sums_[r * static_cast<size_t>(accumulators_) + static_cast<size_t>(accumulator)];
    const Value old = Value::broadcast(body.lanes(), frame_.type_of(i), code_.get(sum));
    const Value input = convert(body.value(described.a[0]), frame_.type_of(i));
    code_.set(sum, combine(described.reduction, old, input)[0]);
  }

  /// Combines the team's accumulators of a reduction by the tree, for each group; all members get
  /// the results. A group without elements has the identity, which changes nothing.
  std::vector<llvm::Value*> collapse(size_t i, const Accumulators& accumulators) {
    std::vector<llvm::Value*> sums;
    for (llvm::AllocaInst* accumulator : accumulators) sums.push_back(code_.get(accumulator));
    combine_halves(i, sums);
    if (block_.members == 1) return {sums[0]};
    auto& builder = code_.builder;
    const auto size = static_cast<int64_t>(size_of(frame_.type_of(i)));
    const auto address = [&](llvm::Value* member) {
      llvm::Value* row = builder.CreateMul(member, code_.number(block_.teams));
      llvm::Value* slot = builder.CreateAdd(row, team_);
      if (group_)
        slot = builder.CreateAdd(slot, builder.CreateMul(group_, code_.number(block_.members)));
      return code_.address(builder.getInt64Ty(), lanes_of_block_, slot);
    };
    code_.store(sums[0], address(member_), size);
    grid_.barrier();
    std::vector<llvm::Value*> all;
    if (block_.members == kReductionLanes && block_.teams > 1) {
      // The members of a team are spread over many warps, which all take part in each level.
      llvm::AllocaInst* value = code_.variable(sums[0]);
      for (int half = kReductionLanes / 2; half > 0; half /= 2) {
        code_.when(builder.CreateICmpSLT(member_, code_.number(half)), [&] {
          llvm::Value* other = builder.CreateAdd(member_, code_.number(half));
          llvm::Value* other_value = code_.load(frame_.scalar_type(i), address(other), size);
          code_.set(value, merged(i, code_.get(value), other_value));
          code_.store(code_.get(value), address(member_), size);
        });
        grid_.barrier();
      }
      all = {code_.load(frame_.scalar_type(i), address(code_.number(0)), size)};
    } else if (block_.members == kReductionLanes) {
      // A team of two warps: each computes the rest of the tree itself.
      llvm::Value* lane = builder.CreateAnd(member_, code_.number(31));
      llvm::Value* other = builder.CreateAdd(lane, code_.number(32));
      all = {code_.load(frame_.scalar_type(i), address(lane), size),
             code_.load(frame_.scalar_type(i), address(other), size)};
      combine_halves(i, all);
      for (int distance = 16; distance > 0; distance /= 2)
        all[0] = merged(i, all[0],
                        shuffled(i, llvm::Intrinsic::nvvm_shfl_sync_down_i32, all[0], distance));
      all[0] = shuffled(i, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, all[0], 0);
    } else {
      for (int m = 0; m < block_.members; ++m)
        all.push_back(code_.load(frame_.scalar_type(i), address(code_.number(m)), size));
      combine_halves(i, all);
    }
    if (!group_) {
      grid_.barrier();
      return {all[0]};
    }
    const auto result = [&](llvm::Value* group) {
      llvm::Value* slot = builder.CreateAdd(group, code_.number(block_.threads));
      return code_.address(builder.getInt64Ty(), lanes_of_block_, slot);
    };
    code_.when(builder.CreateICmpEQ(member_, code_.number(0)),
               [&] { code_.store(all[0], result(group_), size); });
    grid_.barrier();
    all.clear();
    for (int group = 0; group < block_.groups(); ++group)
      all.push_back(code_.load(frame_.scalar_type(i), result(code_.number(group)), size));
    return all;
  }

  llvm::Value* merged(size_t i, llvm::Value* a, llvm::Value* b) {
    const Value left = scalar(i, a);
    return combine(program_.code[i].reduction, left,
                   Value::broadcast(left.lanes(), frame_.type_of(i), b))[0];
  }

  /// Combines the second half into the first, until one value is left.
  void combine_halves(size_t i, std::vector<llvm::Value*>& values) {
    for (size_t half = values.size() / 2; half > 0; half /= 2)
      for (size_t k = 0; k < half; ++k) values[k] = merged(i, values[k], values[k + half]);
  }

  /// Another lane's value of any type, by 32-bit shuffles.
  llvm::Value* shuffled(size_t i, llvm::Intrinsic::ID id, llvm::Value* value, int operand) {
    auto& builder = code_.builder;
    llvm::Type* type = value->getType();
    const unsigned bits = type->getScalarSizeInBits();
    llvm::Type* bits_type = builder.getIntNTy(bits);
    llvm::Type* word = builder.getInt32Ty();
    const auto shuffle = [&](llvm::Value* x) -> llvm::Value* {
      return builder.CreateIntrinsic(
          id, {},
          {builder.getInt32(kAllThreads), x, builder.getInt32(static_cast<uint32_t>(operand)),
           builder.getInt32(31)});
    };
    llvm::Value* raw =
        is_floating(frame_.type_of(i)) ? builder.CreateBitCast(value, bits_type) : value;
    if (bits <= 32) {
      raw = builder.CreateTrunc(shuffle(builder.CreateZExt(raw, word)), bits_type);
    } else {
      llvm::Value* low = shuffle(builder.CreateTrunc(raw, word));
      llvm::Value* high = shuffle(builder.CreateTrunc(builder.CreateLShr(raw, 32), word));
      raw = builder.CreateOr(builder.CreateZExt(low, bits_type),
                             builder.CreateShl(builder.CreateZExt(high, bits_type), 32));
    }
    return is_floating(frame_.type_of(i)) ? builder.CreateBitCast(raw, type) : raw;
  }

  Frame& frame_;
  Code& code_;
  const LoopProgram& program_;
  const LoopPasses& passes_;
  GpuGrid grid_;
  const GpuBlock block_;
  int accumulators_, unrolled_;
  Lanes lanes_{};
  static constexpr int64_t kStaged = RowStage::kAlignment;
  RowStage stage_;                                  ///< empty if rows are not staged
  std::vector<llvm::Value*> stage_addresses_;       ///< addresses of its arrays
  llvm::GlobalVariable* lanes_of_block_ = nullptr;  ///< one per thread, then one per group
  llvm::GlobalVariable* row_ = nullptr;
  llvm::Value *thread_, *team_, *member_, *active_ = nullptr;
  llvm::Value* group_ = nullptr;  ///< null if there is only one
  /// This thread's elements of a part of the row: the first, and the distance between them.
  llvm::Value* first_ = nullptr;
  int64_t stride_ = 1;
  llvm::Value *begin_ = nullptr, *end_ = nullptr;  ///< elements of the current unit
  Positions positions_;
  std::vector<llvm::Value*> scalars_;    ///< values per row known so far
  std::vector<bool> kept_, now_kept_;    ///< values kept so far, and including this pass
  std::vector<llvm::AllocaInst*> sums_;  ///< accumulators_ of each reduction of the pass
};

}  // namespace

void emit_gpu_rows(Frame& frame, const GpuForm& form) { GpuRowKernel(frame, form).emit_rows(); }

}  // namespace tide::ir
