// Writes the loop program of a group of ops.
#pragma once

#include <map>
#include <vector>

#include "runtime/plan/lowering.h"

namespace tide {

class LoopWriter {
 public:
  LoopWriter(const WindowView& window, const Grouping& grouping, const ArgumentPlaces& places,
             const Group& group, Plan& plan);

  /// Appends the step of a map or row group; two steps if long rows are reduced in blocks.
  void write();
  /// Appends the step that writes a value into a region of an existing result.
  void write_region();

 private:
  /// Which of the group's ops one program computes.
  enum class Part : uint8_t {
    whole,
    blocks,  ///< per element, and the reduction of each block of a row
    combine  ///< the results of a row's blocks in order, and the per-row ops
  };
  struct Loaded {
    BufferUse use;
    std::vector<int64_t> strides;
    uint16_t value;
    bool is_lookup = false;  ///< at computed positions
  };
  /// A value of another group that is also computed here.
  struct Inlined {
    const Node* node;
    std::vector<int64_t> strides;
    uint16_t value;
  };

  void begin(Part part);
  std::vector<uint16_t> used_members() const;
  bool belongs(uint16_t i) const;
  void write_node(uint16_t i);
  uint16_t write_argument(uint16_t i, int j);
  uint16_t write_value(uint16_t reader, uint16_t i, int j, const SqueezedLayout& layout);
  uint16_t write_inlined(uint16_t reader, uint16_t i, const SqueezedLayout& layout);
  uint16_t write_load(uint16_t i, int j, std::vector<int64_t> strides);
  uint16_t write_parameter(uint16_t i, int j);
  uint16_t write_lookup(uint16_t i);
  uint16_t write_iota(uint16_t i, std::vector<int64_t> strides);
  void write_store(uint16_t i);
  void store_partials(uint16_t i);
  uint16_t load_partials(uint16_t i);
  uint16_t emit(const LoopInstruction& instruction);
  uint16_t emit(LoopInstruction::Kind kind, DType type, uint16_t operand, uint16_t value = 0);
  uint16_t add_operand(const BufferUse& use, LoopOperand::Kind kind, std::vector<int64_t> strides);
  void add_fallback(uint16_t i);
  void add_reuse(uint16_t i);
  bool read_otherwise(const Loaded& loaded) const;

  bool in_run(int d) const;
  std::vector<int64_t> domain_strides(const SqueezedLayout& layout) const;
  size_t row_rank() const {
    return has_row_ ? static_cast<size_t>(group_.run_last - group_.run_first) : 0;
  }
  bool is_nested(const std::vector<int64_t>& strides) const;
  std::vector<int64_t> row_value_strides(const SqueezedLayout& layout) const;
  std::vector<int64_t> strides_for(uint16_t i, const SqueezedLayout& layout) const;
  std::vector<int64_t> partial_strides() const;
  int64_t block_count() const;

  Orientation choose_orientation() const;
  bool in_blocks() const;
  void finish();
  void choose_vectors(std::vector<int64_t>& extents,
                      std::vector<std::vector<int64_t>>& strides) const;
  static void coalesce(std::vector<int64_t>& extents, std::vector<std::vector<int64_t>>& strides,
                       size_t first);
  std::vector<int64_t> coalesce_row(std::vector<std::vector<int64_t>>& strides);
  void describe_operands(const std::vector<std::vector<int64_t>>& strides, size_t vector_dimension);
  bool may_stream(size_t operand, const std::vector<int64_t>& strides,
                  size_t vector_dimension) const;

  const WindowView& window_;
  const Grouping& grouping_;
  const ArgumentPlaces& places_;
  const Group& group_;
  Plan& plan_;
  const bool has_row_;
  std::vector<int64_t> outer_;  ///< extents of the outer dimensions
  Part part_ = Part::whole;
  Step step_;
  /// Per operand, over the outer dimensions, the row, and the row's dimensions.
  std::vector<std::vector<int64_t>> strides_;
  std::map<uint16_t, uint16_t> values_;  ///< instruction of each node
  std::vector<Loaded> loaded_;
  std::vector<Inlined> inlined_;
  uint32_t partials_ = 0;  ///< temporary with the blocks' results
};

}  // namespace tide
