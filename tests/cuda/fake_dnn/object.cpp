#include "tests/cuda/fake_dnn/object.h"

namespace fake {
namespace {

/// The properties of a kind of descriptor.
struct Rule {
  Kind kind;
  Property property;
  Type type;
  int64_t least, most;
  bool may_lack = false;
};

constexpr Rule kRules[] = {
    {Kind::tensor, Property::tensor_type, Type::data_type, 1, 1},
    {Kind::tensor, Property::tensor_dimensions, Type::int64, 4, 4},
    {Kind::tensor, Property::tensor_strides, Type::int64, 4, 4},
    {Kind::tensor, Property::tensor_id, Type::int64, 1, 1},
    {Kind::tensor, Property::tensor_alignment, Type::int64, 1, 1},
    {Kind::tensor, Property::tensor_virtual, Type::boolean, 1, 1, true},
    {Kind::tensor, Property::tensor_by_value, Type::boolean, 1, 1, true},
    {Kind::map, Property::map_mode, Type::map_mode, 1, 1},
    {Kind::map, Property::map_compute_type, Type::data_type, 1, 1},
    {Kind::map, Property::map_axis, Type::int64, 1, 1, true},
    {Kind::map_operation, Property::map_how, Type::descriptor, 1, 1},
    {Kind::map_operation, Property::map_x, Type::descriptor, 1, 1},
    {Kind::map_operation, Property::map_b, Type::descriptor, 1, 1, true},
    {Kind::map_operation, Property::map_condition, Type::descriptor, 1, 1, true},
    {Kind::map_operation, Property::map_y, Type::descriptor, 1, 1},
    {Kind::matmul, Property::matmul_compute_type, Type::data_type, 1, 1},
    {Kind::matmul_operation, Property::matmul_how, Type::descriptor, 1, 1},
    {Kind::matmul_operation, Property::matmul_a, Type::descriptor, 1, 1},
    {Kind::matmul_operation, Property::matmul_b, Type::descriptor, 1, 1},
    {Kind::matmul_operation, Property::matmul_c, Type::descriptor, 1, 1},
    {Kind::reduction, Property::reduction_operator, Type::reduction_operator, 1, 1},
    {Kind::reduction, Property::reduction_compute_type, Type::data_type, 1, 1},
    {Kind::reduction_operation, Property::reduction_how, Type::descriptor, 1, 1},
    {Kind::reduction_operation, Property::reduction_x, Type::descriptor, 1, 1},
    {Kind::reduction_operation, Property::reduction_y, Type::descriptor, 1, 1},
    {Kind::reshape_operation, Property::reshape_x, Type::descriptor, 1, 1},
    {Kind::reshape_operation, Property::reshape_y, Type::descriptor, 1, 1},
    {Kind::convolution, Property::convolution_compute_type, Type::data_type, 1, 1},
    {Kind::convolution, Property::convolution_mode, Type::convolution_mode, 1, 1},
    {Kind::convolution, Property::convolution_dims, Type::int64, 1, 1},
    {Kind::convolution, Property::convolution_strides, Type::int64, 2, 2},
    {Kind::convolution, Property::convolution_paddings_before, Type::int64, 2, 2},
    {Kind::convolution, Property::convolution_paddings_after, Type::int64, 2, 2},
    {Kind::convolution, Property::convolution_dilations, Type::int64, 2, 2},
    {Kind::forward, Property::forward_convolution, Type::descriptor, 1, 1},
    {Kind::forward, Property::forward_x, Type::descriptor, 1, 1},
    {Kind::forward, Property::forward_w, Type::descriptor, 1, 1},
    {Kind::forward, Property::forward_y, Type::descriptor, 1, 1},
    {Kind::forward, Property::forward_alpha, Type::float32, 1, 1},
    {Kind::forward, Property::forward_beta, Type::float32, 1, 1},
    {Kind::backward_data, Property::backward_data_convolution, Type::descriptor, 1, 1},
    {Kind::backward_data, Property::backward_data_dx, Type::descriptor, 1, 1},
    {Kind::backward_data, Property::backward_data_w, Type::descriptor, 1, 1},
    {Kind::backward_data, Property::backward_data_dy, Type::descriptor, 1, 1},
    {Kind::backward_data, Property::backward_data_alpha, Type::float32, 1, 1},
    {Kind::backward_data, Property::backward_data_beta, Type::float32, 1, 1},
    {Kind::backward_filter, Property::backward_filter_convolution, Type::descriptor, 1, 1},
    {Kind::backward_filter, Property::backward_filter_x, Type::descriptor, 1, 1},
    {Kind::backward_filter, Property::backward_filter_dw, Type::descriptor, 1, 1},
    {Kind::backward_filter, Property::backward_filter_dy, Type::descriptor, 1, 1},
    {Kind::backward_filter, Property::backward_filter_alpha, Type::float32, 1, 1},
    {Kind::backward_filter, Property::backward_filter_beta, Type::float32, 1, 1},
    {Kind::graph, Property::graph_handle, Type::handle, 1, 1},
    {Kind::graph, Property::graph_operations, Type::descriptor, 1, 64},
    {Kind::heuristics, Property::heuristics_graph, Type::descriptor, 1, 1},
    {Kind::heuristics, Property::heuristics_mode, Type::heuristics_mode, 1, 1},
    {Kind::plan, Property::plan_handle, Type::handle, 1, 1},
    {Kind::plan, Property::plan_choice, Type::descriptor, 1, 1},
    {Kind::variant_pack, Property::pack_ids, Type::int64, 1, 16},
    {Kind::variant_pack, Property::pack_pointers, Type::pointer, 1, 16},
    {Kind::variant_pack, Property::pack_workspace, Type::pointer, 1, 1},
};

size_t size_of(Type type) {
  switch (type) {
    case Type::boolean:
      return 1;
    case Type::data_type:
    case Type::map_mode:
    case Type::reduction_operator:
    case Type::convolution_mode:
    case Type::heuristics_mode:
    case Type::numerical_note:
    case Type::float32:
      return 4;
    default:
      return 8;
  }
}

bool is_scale(Property property) {
  return property == Property::forward_alpha || property == Property::forward_beta ||
         property == Property::backward_data_alpha || property == Property::backward_data_beta ||
         property == Property::backward_filter_alpha || property == Property::backward_filter_beta;
}

const Rule* rule_of(Kind kind, Property property) {
  for (const Rule& rule : kRules)
    if (rule.kind == kind && rule.property == property) return &rule;
  return nullptr;
}

}  // namespace

Status Object::set(Property property, Type type, int64_t count, const void* data) {
  const Rule* rule = rule_of(kind, property);
  if (!rule) return kNotSupported;
  if (finalized) return kBadParameter;
  if (type != rule->type && !(is_scale(property) && type == Type::float64)) return kWrongType;
  if (count < rule->least || count > rule->most || !data) return kWrongCount;
  const auto* bytes = static_cast<const char*>(data);
  values[property] = {type, count, {bytes, bytes + static_cast<size_t>(count) * size_of(type)}};
  return 0;
}

bool Object::is_complete() const {
  for (const Rule& rule : kRules)
    if (rule.kind == kind && !rule.may_lack && !has(rule.property)) return false;
  return true;
}

}  // namespace fake
