// Loop programs: instructions, operands, strides, and the form suited to the machine.
#include "runtime/plan/loop_writer.h"

#include <algorithm>

#include "runtime/ir/kernel.h"
#include "runtime/plan/inlining.h"
#include "runtime/plan/node_reads.h"

namespace tide {
namespace {

using Kind = LoopInstruction::Kind;

/// If there are fewer rows than this and they are long, they are split into blocks that run
/// concurrently.
constexpr int64_t kFewRows = 16;
/// Columns per vector step of a column reduction.
constexpr int64_t kColumnsAtOnce = 64;
/// Shorter rows are reduced side by side, one vector lane each.
constexpr int64_t kShortRow = 16;
/// Elements of a last dimension below which vectors lie along another one, and those that it needs.
constexpr int64_t kShortVector = 8, kLongVector = 16;
/// Stores bypass the caches if the arrays of a step together exceed this (the size of a last-level
/// cache).
constexpr int64_t kStreamingBytes = 48 << 20;
constexpr int64_t kStreamingAlignment = 64;

/// The instruction of an elementwise op, without its arguments.
LoopInstruction map_of(const Node& node) {
  LoopInstruction map{};
  map.kind = Kind::map;
  map.type = node.type;
  map.op = node.op;
  return map;
}

}  // namespace

LoopWriter::LoopWriter(const WindowView& window, const Grouping& grouping,
                       const ArgumentPlaces& places, const Group& group, Plan& plan)
    : window_(window),
      grouping_(grouping),
      places_(places),
      group_(group),
      plan_(plan),
      has_row_(group.kind == Group::Kind::row) {
  for (int d = 0; d < group.domain.rank; ++d)
    if (!in_run(d)) outer_.push_back(group.domain.sizes[d]);
}

void LoopWriter::write() {
  begin(Part::whole);
  if (step_.outputs.empty()) return;  // other groups compute its values
  if (!in_blocks()) return finish();
  partials_ = static_cast<uint32_t>(plan_.temporary_bytes.size());
  int64_t rows = 1;
  for (int64_t extent : outer_) rows *= extent;
  plan_.temporary_bytes.push_back(static_cast<size_t>(rows * block_count()) * sizeof(uint64_t));
  begin(Part::blocks);
  finish();
  begin(Part::combine);
  finish();
}

void LoopWriter::begin(Part part) {
  part_ = part;
  step_ = Step();
  step_.kind = Step::Kind::loop;
  step_.node = group_.members.back();
  strides_.clear();
  values_.clear();
  loaded_.clear();
  inlined_.clear();
  for (uint16_t i : used_members()) {
    if (!belongs(i)) continue;
    write_node(i);
    step_.members.push_back(i);
  }
  const auto for_stored = [&](void (LoopWriter::*write)(uint16_t)) {
    for (uint16_t i : group_.members)
      if (belongs(i) && plan_.fates[i] != Fate::recomputable) (this->*write)(i);
  };
  for_stored(&LoopWriter::add_fallback);
  for_stored(&LoopWriter::write_store);
  step_.loop.program.has_row = has_row_;
  step_.loop.program.partial = part == Part::blocks;
  step_.loop.program.single_block = part == Part::combine;
  step_.loop.program.orientation = choose_orientation();
}

/// The group's ops, except those whose values only other groups read: these recompute them.
std::vector<uint16_t> LoopWriter::used_members() const {
  std::vector<bool> used(window_.nodes.size(), false);
  std::vector<uint16_t> result;
  for (auto i = group_.members.rbegin(); i != group_.members.rend(); ++i) {
    const Node& n = *window_.nodes[*i];
    if (plan_.fates[*i] == Fate::recomputable && n.kind != Node::Kind::assign && !used[*i])
      continue;
    for_reads(n, [&](const Argument& argument) {
      if (window_.inside(*argument.node)) used[argument.node->index] = true;
    });
    result.push_back(*i);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

bool LoopWriter::belongs(uint16_t i) const {
  if (part_ == Part::whole) return true;
  if (window_.nodes[i]->kind == Node::Kind::reduce) return true;
  return grouping_.per_row[i] == (part_ == Part::combine);
}

void LoopWriter::write_region() {
  const uint16_t i = group_.members[0];
  const Node& n = *window_.nodes[i];
  step_.kind = Step::Kind::loop;
  step_.node = i;
  const SqueezedLayout region(*n.iota);
  outer_.assign(region.sizes.begin(), region.sizes.begin() + region.rank);
  const uint16_t value = write_argument(i, 0);
  const uint16_t operand = add_operand({BufferUse::Source::node, i, places_.of_iota(i), n.type},
                                       LoopOperand::Kind::memory, domain_strides(region));
  emit(Kind::store, n.type, operand, value);
  step_.outputs = {i};
  // The old value is already there: if this step must not run, it stays.
  step_.fallbacks = {
      {i, {BufferUse::Source::node, i, BufferUse::kNone, n.type}, n.bytes(), n.fills}};
  finish();
}

// --- instructions -----------------------------------------------------------------------------

uint16_t LoopWriter::emit(const LoopInstruction& instruction) {
  auto& code = step_.loop.program.code;
  code.push_back(instruction);
  return static_cast<uint16_t>(code.size() - 1);
}

uint16_t LoopWriter::emit(Kind kind, DType type, uint16_t operand, uint16_t value) {
  LoopInstruction instruction{};
  instruction.kind = kind;
  instruction.type = type;
  instruction.operand = operand;
  instruction.a[0] = value;
  return emit(instruction);
}

uint16_t LoopWriter::add_operand(const BufferUse& use, LoopOperand::Kind kind,
                                 std::vector<int64_t> strides) {
  LoopOperand operand;
  operand.kind = kind;
  operand.type = use.type;
  step_.loop.program.operands.push_back(operand);
  step_.buffers.push_back(use);
  strides_.push_back(std::move(strides));
  return static_cast<uint16_t>(strides_.size() - 1);
}

void LoopWriter::write_node(uint16_t i) {
  const Node& n = *window_.nodes[i];
  if (n.kind == Node::Kind::assign) {
    values_[i] = write_argument(i, 0);
    return;
  }
  if (n.kind == Node::Kind::reduce) {
    const uint16_t input = part_ == Part::combine ? load_partials(i) : write_argument(i, 0);
    values_[i] = emit(Kind::reduce, n.type, 0, input);
    step_.loop.program.code.back().reduction = n.reduction;
    return;
  }
  if (n.kind == Node::Kind::lookup) {
    values_[i] = write_lookup(i);
    return;
  }
  LoopInstruction map = map_of(n);
  if (n.kind == Node::Kind::iota)
    map.a[map.arity++] = write_iota(i, strides_for(i, SqueezedLayout(*n.iota)));
  for (int j = 0; j < n.arity; ++j) map.a[map.arity++] = write_argument(i, j);
  values_[i] = emit(map);
}

/// The value of argument j of node i: computed here, loaded, or a parameter.
uint16_t LoopWriter::write_argument(uint16_t i, int j) {
  const Argument& argument = window_.nodes[i]->arguments[j];
  if (!argument.node) return write_parameter(i, j);
  if (window_.inside(*argument.node)) {
    const auto found = values_.find(argument.node->index);
    if (found != values_.end()) return found->second;
  }
  return write_value(i, i, j, SqueezedLayout(walked_layout(*window_.nodes[i], argument)));
}

/// Argument j of node i, a value of another group or from outside, which `reader`, a node of this
/// group, reads through `layout`.
uint16_t LoopWriter::write_value(uint16_t reader, uint16_t i, int j, const SqueezedLayout& layout) {
  const Node& value = *window_.nodes[i]->arguments[j].node;
  if (window_.inside(value) && plan_.fates[value.index] == Fate::recomputable)
    return write_inlined(reader, value.index, layout);
  return write_load(i, j, strides_for(reader, layout));
}

uint16_t LoopWriter::write_inlined(uint16_t reader, uint16_t i, const SqueezedLayout& layout) {
  const Node& n = *window_.nodes[i];
  auto strides = strides_for(reader, layout);
  for (const Inlined& inlined : inlined_)
    if (inlined.node == &n && inlined.strides == strides) return inlined.value;
  LoopInstruction map = map_of(n);
  if (n.kind == Node::Kind::iota)
    map.a[map.arity++] = write_iota(i, strides_for(reader, *composed(*n.iota, n.shape, layout)));
  for (int j = 0; j < n.arity; ++j)
    map.a[map.arity++] =
        n.arguments[j].node
            ? write_value(reader, i, j,
                          *composed(walked_layout(n, n.arguments[j]), n.shape, layout))
            : write_parameter(i, j);
  step_.members.push_back(i);
  inlined_.push_back({&n, std::move(strides), emit(map)});
  return inlined_.back().value;
}

uint16_t LoopWriter::write_parameter(uint16_t i, int j) {
  step_.parameters.push_back(places_.of(i, j));
  return emit(Kind::parameter, window_.nodes[i]->operand_type,
              static_cast<uint16_t>(step_.parameters.size() - 1));
}

uint16_t LoopWriter::write_load(uint16_t i, int j, std::vector<int64_t> strides) {
  const uint32_t place = places_.of(i, j);
  const BufferUse use = use_of(window_, window_.nodes[i]->arguments[j], place);
  for (const Loaded& loaded : loaded_)
    if (!loaded.is_lookup && loaded.use.source == use.source && loaded.use.index == use.index &&
        loaded.strides == strides && window_.offsets[loaded.use.offset] == window_.offsets[place])
      return loaded.value;
  const uint16_t operand = add_operand(use, LoopOperand::Kind::memory, strides);
  const uint16_t value = emit(Kind::load, use.type, operand);
  loaded_.push_back({use, std::move(strides), value});
  return value;
}

uint16_t LoopWriter::write_lookup(uint16_t i) {
  const Node& n = *window_.nodes[i];
  LoopInstruction load{};
  load.kind = Kind::load;
  load.type = n.type;
  for (int j = 1; j < n.arity; ++j) load.a[load.arity++] = write_argument(i, j);
  const BufferUse use = use_of(window_, n.arguments[0], places_.of(i, 0));
  const auto strides = strides_for(i, SqueezedLayout(walked_layout(n, n.arguments[0])));
  load.operand = add_operand(use, LoopOperand::Kind::memory, strides);
  step_.loop.program.operands.back().indexed = true;
  const uint16_t value = emit(load);
  loaded_.push_back({use, strides, value, true});
  return value;
}

uint16_t LoopWriter::write_iota(uint16_t i, std::vector<int64_t> strides) {
  const uint16_t operand = add_operand({BufferUse::Source::iota, 0, places_.of_iota(i), DType::i64},
                                       LoopOperand::Kind::iota, std::move(strides));
  return emit(Kind::load, DType::i64, operand);
}

void LoopWriter::write_store(uint16_t i) {
  if (part_ == Part::blocks && window_.nodes[i]->kind == Node::Kind::reduce)
    return store_partials(i);
  const Node& n = *window_.nodes[i];
  const bool per_row = has_row_ && grouping_.per_row[i];
  const SqueezedLayout dense{Layout(n.shape)};
  const uint16_t operand =
      add_operand({BufferUse::Source::node, i, BufferUse::kNone, n.type}, LoopOperand::Kind::memory,
                  per_row ? row_value_strides(dense) : domain_strides(dense));
  emit(Kind::store, n.type, operand, values_.at(i));
  step_.outputs.push_back(i);
  if (!per_row) add_reuse(i);
}

void LoopWriter::store_partials(uint16_t i) {
  const DType type = window_.nodes[i]->type;
  const uint16_t operand =
      add_operand({BufferUse::Source::temporary, partials_, BufferUse::kNone, type},
                  LoopOperand::Kind::memory, partial_strides());
  emit(Kind::store, type, operand, values_.at(i));
}

uint16_t LoopWriter::load_partials(uint16_t i) {
  const DType type = window_.nodes[i]->type;
  const uint16_t operand =
      add_operand({BufferUse::Source::temporary, partials_, BufferUse::kNone, type},
                  LoopOperand::Kind::memory, partial_strides());
  return emit(Kind::load, type, operand);
}

/// Sets the value that remains if an assignment fails: the replaced value, computed by this loop or
/// stored.
void LoopWriter::add_fallback(uint16_t i) {
  uint16_t at = i;
  for (;;) {
    const Node& n = *window_.nodes[at];
    const Argument& old = n.arguments[1];
    if (n.kind != Node::Kind::assign || !old.node) return;  // or the previous value was lost
    const bool inside = window_.inside(*old.node);
    if (!inside || (grouping_.group_of[old.node->index] < grouping_.group_of[i] &&
                    plan_.fates[old.node->index] != Fate::recomputable)) {
      const Node& written = *window_.nodes[i];
      step_.fallbacks.push_back(
          {i, use_of(window_, old, BufferUse::kNone), written.bytes(), written.fills});
      return;
    }
    const auto computed = values_.find(old.node->index);
    if (computed != values_.end() && !n.fills) step_.older.push_back({i, computed->second});
    at = old.node->index;
  }
}

/// Lets an output reuse the storage of an external value that only this loop reads, at the same
/// positions, and that no other output falls back to.
void LoopWriter::add_reuse(uint16_t i) {
  const Node& n = *window_.nodes[i];
  for (const Loaded& loaded : loaded_) {
    if (loaded.use.source != BufferUse::Source::external || loaded.is_lookup) continue;
    const Node& outside = *window_.externals[loaded.use.index];
    const bool taken =
        std::any_of(step_.reuses.begin(), step_.reuses.end(),
                    [&](const auto& reuse) { return reuse.value.index == loaded.use.index; });
    const bool needed =
        std::any_of(step_.fallbacks.begin(), step_.fallbacks.end(), [&](const auto& fallback) {
          return fallback.output != i && fallback.old.source == BufferUse::Source::external &&
                 fallback.old.index == loaded.use.index;
        });
    if (taken || needed || outside.type != n.type || outside.shape.numel() != n.shape.numel() ||
        loaded.strides != strides_.back() || window_.offsets[loaded.use.offset] != 0 ||
        read_otherwise(loaded))
      continue;
    step_.reuses.push_back({i, loaded.use});
    return;
  }
}

/// Whether the value is also read here through another layout, or by another group that may run
/// later.
bool LoopWriter::read_otherwise(const Loaded& loaded) const {
  const auto uses = std::count_if(loaded_.begin(), loaded_.end(), [&](const Loaded& other) {
    return other.use.source == loaded.use.source && other.use.index == loaded.use.index;
  });
  if (uses > 1) return true;
  const Node* value = window_.externals[loaded.use.index].get();
  return is_read_after(window_, grouping_, grouping_.group_of[group_.members[0]], value);
}

// --- strides ----------------------------------------------------------------------------------

bool LoopWriter::in_run(int d) const {
  return has_row_ && d >= group_.run_first && d < group_.run_last;
}

std::vector<int64_t> LoopWriter::domain_strides(const SqueezedLayout& layout) const {
  std::vector<int64_t> strides;
  for (int d = 0; d < layout.rank; ++d)
    if (!in_run(d)) strides.push_back(layout.strides[d]);
  if (!has_row_) return strides;
  strides.push_back(layout.strides[group_.run_last - 1]);
  for (int d = group_.run_first; d < group_.run_last; ++d) strides.push_back(layout.strides[d]);
  return strides;
}

std::vector<int64_t> LoopWriter::row_value_strides(const SqueezedLayout& layout) const {
  std::vector<int64_t> strides(layout.strides.begin(), layout.strides.begin() + layout.rank);
  strides.resize(outer_.size() + 1 + row_rank(), 0);
  return strides;
}

std::vector<int64_t> LoopWriter::strides_for(uint16_t i, const SqueezedLayout& layout) const {
  const bool per_row =
      has_row_ && grouping_.per_row[i] && window_.nodes[i]->kind != Node::Kind::reduce;
  return per_row ? row_value_strides(layout) : domain_strides(layout);
}

int64_t LoopWriter::block_count() const {
  return (group_.row_length + kReductionBlock - 1) / kReductionBlock;
}

std::vector<int64_t> LoopWriter::partial_strides() const {
  std::vector<int64_t> strides(outer_.size() + 1 + row_rank());
  strides[outer_.size()] = 1;
  int64_t stride = block_count();
  for (size_t d = outer_.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= outer_[d];
  }
  return strides;
}

// --- form -------------------------------------------------------------------------------------

/// Whether an operand with these strides has several along the row.
bool LoopWriter::is_nested(const std::vector<int64_t>& strides) const {
  if (!has_row_) return false;
  const int64_t* const of_row = strides.data() + outer_.size() + 1;
  for (size_t d = 0; d + 1 < row_rank(); ++d)
    if (of_row[d] !=
        of_row[d + 1] * group_.domain.sizes[group_.run_first + static_cast<int>(d) + 1])
      return true;
  return false;
}

/// Along the row if inputs are dense or nested there and the row fills vectors; else rows side by
/// side.
Orientation LoopWriter::choose_orientation() const {
  if (!has_row_) return Orientation::outer;
  if (outer_.empty() || part_ == Part::combine) return Orientation::row;
  int along_row = 0, along_outer = 0;
  for (size_t k = 0; k < strides_.size(); ++k) {
    if (step_.buffers[k].source == BufferUse::Source::iota ||
        step_.buffers[k].source == BufferUse::Source::temporary)
      continue;
    if (is_nested(strides_[k])) return Orientation::row;
    const int64_t row = strides_[k][outer_.size()], outer = strides_[k][outer_.size() - 1];
    along_row += row == 1 && outer != 0;
    along_outer += outer == 1 && row != 0;
  }
  const bool short_row = group_.row_length < kShortRow && outer_.back() >= kShortRow;
  return along_row >= along_outer && !short_row ? Orientation::row : Orientation::outer;
}

/// Whether rows are few and long, so that their blocks are reduced concurrently.
bool LoopWriter::in_blocks() const {
  if (!has_row_ || group_.reductions != 1 || !group_.long_row()) return false;
  int64_t rows = 1;
  for (int64_t extent : outer_) rows *= extent;
  if (step_.loop.program.orientation == Orientation::outer)
    rows = rows / outer_.back() * ((outer_.back() + kColumnsAtOnce - 1) / kColumnsAtOnce);
  return rows < kFewRows;
}

void LoopWriter::finish() {
  std::vector<int64_t> extents = outer_;
  auto strides = strides_;
  LoopProgram& program = step_.loop.program;
  std::vector<int64_t> row_extents;
  if (has_row_) row_extents = coalesce_row(strides);
  if (extents.empty()) {
    extents.push_back(1);
    for (auto& of_operand : strides) of_operand.insert(of_operand.begin(), 0);
  }
  coalesce(extents, strides, 0);
  if (!has_row_ && !window_.batches) choose_vectors(extents, strides);
  program.outer_rank = static_cast<uint8_t>(extents.size());
  program.row_rank = static_cast<uint8_t>(row_extents.size());
  program.parameter_count = static_cast<uint16_t>(step_.parameters.size());
  if (has_row_) extents.push_back(part_ == Part::combine ? block_count() : group_.row_length);
  describe_operands(strides, program.orientation == Orientation::row ? program.outer_rank
                                                                     : program.outer_rank - 1);
  extents.insert(extents.end(), row_extents.begin(), row_extents.end());
  step_.loop.extents = extents;
  for (const auto& of_operand : strides)
    step_.loop.strides.insert(step_.loop.strides.end(), of_operand.begin(), of_operand.end());
  step_.loop.kernel = &Kernel::find(program);
  plan_.steps.push_back(std::move(step_));
}

/// Makes a long dimension the last one, along which vectors lie, if that has only a few elements:
/// the long one along which most arrays are dense. On a GPU, neighbouring threads must stay in
/// order of the elements.
void LoopWriter::choose_vectors(std::vector<int64_t>& extents,
                                std::vector<std::vector<int64_t>>& strides) const {
  if (extents.back() >= kShortVector) return;
  size_t best = extents.size() - 1;
  ptrdiff_t most = -1;
  for (size_t d = 0; d + 1 < extents.size(); ++d) {
    if (extents[d] < kLongVector) continue;
    const ptrdiff_t dense =
        std::ranges::count_if(strides, [&](const auto& of_operand) { return of_operand[d] == 1; });
    if (dense >= most) best = d, most = dense;
  }
  std::swap(extents[best], extents.back());
  for (auto& of_operand : strides) std::swap(of_operand[best], of_operand[extents.size() - 1]);
}

/// Merges neighbouring dimensions that all operands walk with one stride; the first of them is
/// dimension `first` of the strides.
void LoopWriter::coalesce(std::vector<int64_t>& extents, std::vector<std::vector<int64_t>>& strides,
                          size_t first) {
  for (size_t d = extents.size() - 1; d-- > 0;) {
    const bool merges = std::all_of(strides.begin(), strides.end(), [&](const auto& of_operand) {
      return of_operand[first + d] == of_operand[first + d + 1] * extents[d + 1];
    });
    if (!merges) continue;
    extents[d] *= extents[d + 1];
    extents.erase(extents.begin() + static_cast<ptrdiff_t>(d) + 1);
    for (auto& of_operand : strides)
      of_operand.erase(of_operand.begin() + static_cast<ptrdiff_t>(first + d));
  }
}

/// Coalesces the row's dimensions; returns their extents, none if no operand is nested.
std::vector<int64_t> LoopWriter::coalesce_row(std::vector<std::vector<int64_t>>& strides) {
  std::vector<int64_t> extents(group_.domain.sizes.begin() + group_.run_first,
                               group_.domain.sizes.begin() + group_.run_last);
  for (size_t k = 0; k < strides.size(); ++k)
    step_.loop.program.operands[k].nested = is_nested(strides[k]);
  const size_t first = outer_.size() + 1;
  if (!extents.empty()) coalesce(extents, strides, first);
  if (extents.size() > 1) return extents;
  for (auto& of_operand : strides) of_operand.resize(first);
  return {};
}

void LoopWriter::describe_operands(const std::vector<std::vector<int64_t>>& strides,
                                   size_t vector_dimension) {
  auto& operands = step_.loop.program.operands;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].nested) continue;
    const int64_t stride = strides[k][vector_dimension];
    const bool partial_store =
        part_ == Part::blocks && step_.buffers[k].source == BufferUse::Source::temporary;
    if (stride >= -1 && stride <= 1) operands[k].vector_stride = static_cast<int8_t>(stride);
    operands[k].per_row =
        has_row_ && !partial_store && strides[k][step_.loop.program.outer_rank] == 0;
    operands[k].streaming = may_stream(k, strides[k], vector_dimension);
  }
}

bool LoopWriter::may_stream(size_t operand, const std::vector<int64_t>& strides,
                            size_t vector_dimension) const {
  const BufferUse& use = step_.buffers[operand];
  if (!step_.is_stored(operand) || use.source != BufferUse::Source::node ||
      use.offset != BufferUse::kNone || strides[vector_dimension] != 1 ||
      grouping_.read_elsewhere[use.index])
    return false;
  const int64_t element = static_cast<int64_t>(size_of(use.type));
  for (size_t d = 0; d < size_t{step_.loop.program.outer_rank} + has_row_; ++d)
    if (d != vector_dimension && strides[d] * element % kStreamingAlignment != 0) return false;
  int64_t bytes = 0;
  for (size_t k = 0; k < strides_.size(); ++k) {
    if (step_.buffers[k].source == BufferUse::Source::iota) continue;
    int64_t elements = 1;
    for (size_t d = 0; d < outer_.size(); ++d) elements *= strides_[k][d] ? outer_[d] : 1;
    if (has_row_ && strides_[k][outer_.size()]) elements *= group_.row_length;
    bytes += elements * static_cast<int64_t>(size_of(step_.buffers[k].type));
  }
  return bytes > kStreamingBytes;
}

}  // namespace tide
