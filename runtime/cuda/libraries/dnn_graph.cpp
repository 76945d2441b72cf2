#include "runtime/cuda/libraries/dnn_graph.h"

#include <algorithm>
#include <utility>

namespace tide::cuda {

using dnn::Kind;
using dnn::Property;
using dnn::Type;

DnnForm DnnForm::dense(const std::array<int64_t, 4>& sizes, dnn::DataType type) {
  DnnForm form{sizes, {}, type};
  int64_t stride = 1;
  for (size_t d = 4; d-- > 0; stride *= sizes[d]) form.strides[d] = stride;
  return form;
}

DnnForm DnnForm::transposed() const {
  DnnForm form = *this;
  std::swap(form.sizes[2], form.sizes[3]);
  std::swap(form.strides[2], form.strides[3]);
  return form;
}

DnnDescriptor& DnnGraph::make(Kind kind) { return descriptors_.emplace_back(kind); }

void DnnGraph::add(DnnDescriptor& operation) {
  operation.finalize();
  operations_.push_back(operation.raw());
}

/// `kind`: the property that marks a virtual or by-value array, if any.
DnnArray DnnGraph::array(int64_t name, const DnnForm& form, std::optional<Property> kind) {
  DnnDescriptor& tensor = make(Kind::tensor);
  tensor.set(Property::tensor_type, Type::data_type, 1, &form.type);
  tensor.set(Property::tensor_dimensions, form.sizes);
  tensor.set(Property::tensor_strides, form.strides);
  tensor.set(Property::tensor_id, name);
  tensor.set(Property::tensor_alignment, form.alignment);
  const bool yes = true;
  if (kind) tensor.set(*kind, Type::boolean, 1, &yes);
  tensor.finalize();
  return {&tensor, form};
}

DnnArray DnnGraph::stored(int64_t name, const DnnForm& form) { return array(name, form, {}); }

DnnArray DnnGraph::number(int64_t name) {
  DnnForm form = DnnForm::dense({1, 1, 1, 1}, dnn::kFloat32);
  form.alignment = sizeof(float);
  return array(name, form, Property::tensor_by_value);
}

DnnArray DnnGraph::unstored(const DnnForm& form) {
  return array(next_name_++, form, Property::tensor_virtual);
}

DnnDescriptor& DnnGraph::make_map(dnn::Map how, dnn::DataType compute, std::optional<int64_t> dim) {
  DnnDescriptor& map = make(Kind::map);
  map.set(Property::map_mode, Type::map_mode, 1, &how);
  map.set(Property::map_compute_type, Type::data_type, 1, &compute);
  if (dim) map.set(Property::map_axis, *dim);
  map.finalize();
  return map;
}

void DnnGraph::add_map(const DnnDescriptor& how, const DnnArray& x,
                       const std::optional<DnnArray>& b, const DnnArray& y,
                       const std::optional<DnnArray>& condition) {
  DnnDescriptor& operation = make(Kind::map_operation);
  operation.set(Property::map_how, how);
  operation.set(Property::map_x, *x.tensor);
  if (b) operation.set(Property::map_b, *b->tensor);
  if (condition) operation.set(Property::map_condition, *condition->tensor);
  operation.set(Property::map_y, *y.tensor);
  add(operation);
}

DnnArray DnnGraph::map(dnn::Map how, const DnnArray& x, const std::optional<DnnArray>& b,
                       const std::optional<DnnArray>& into, dnn::DataType type) {
  const DnnArray y = into ? *into : unstored(DnnForm::dense(x.form.sizes, type));
  add_map(make_map(how, dnn::kFloat32), x, b, y);
  return y;
}

DnnArray DnnGraph::index(const DnnArray& x, int64_t dim) {
  const DnnArray y = unstored(DnnForm::dense(x.form.sizes, dnn::kInt32));
  add_map(make_map(dnn::Map::index, dnn::kInt32, dim), x, {}, y);
  return y;
}

DnnArray DnnGraph::not_less(const DnnArray& a, const DnnArray& b) {
  const DnnArray y = unstored(DnnForm::dense(a.form.sizes, dnn::kBoolean));
  add_map(make_map(dnn::Map::greater_or_equal, dnn::kBoolean), a, b, y);
  return y;
}

DnnArray DnnGraph::select(const DnnArray& condition, const DnnArray& x, const DnnArray& otherwise) {
  const DnnArray y = unstored(DnnForm::dense(x.form.sizes, dnn::kFloat32));
  add_map(make_map(dnn::Map::select, dnn::kFloat32), x, otherwise, y, condition);
  return y;
}

DnnArray DnnGraph::reduce(dnn::Reduction how, const DnnArray& x) {
  const dnn::DataType compute = dnn::kFloat32;
  DnnDescriptor& reduction = make(Kind::reduction);
  reduction.set(Property::reduction_operator, Type::reduction_operator, 1, &how);
  reduction.set(Property::reduction_compute_type, Type::data_type, 1, &compute);
  reduction.finalize();
  std::array<int64_t, 4> sizes = x.form.sizes;
  sizes[3] = 1;
  const DnnArray y = unstored(DnnForm::dense(sizes, dnn::kFloat32));
  DnnDescriptor& operation = make(Kind::reduction_operation);
  operation.set(Property::reduction_x, *x.tensor);
  operation.set(Property::reduction_y, *y.tensor);
  operation.set(Property::reduction_how, reduction);
  add(operation);
  return y;
}

DnnArray DnnGraph::product(const DnnArray& a, const DnnArray& b,
                           const std::optional<DnnArray>& into) {
  const dnn::DataType compute = dnn::kFloat32;
  DnnDescriptor& matmul = make(Kind::matmul);
  matmul.set(Property::matmul_compute_type, Type::data_type, 1, &compute);
  matmul.finalize();
  std::array<int64_t, 4> sizes = a.form.sizes;
  sizes[3] = b.form.sizes[3];
  const DnnArray y = into ? *into : unstored(DnnForm::dense(sizes, dnn::kFloat32));
  DnnDescriptor& operation = make(Kind::matmul_operation);
  operation.set(Property::matmul_a, *a.tensor);
  operation.set(Property::matmul_b, *b.tensor);
  operation.set(Property::matmul_c, *y.tensor);
  operation.set(Property::matmul_how, matmul);
  add(operation);
  return y;
}

DnnArray DnnGraph::transposed(const DnnArray& x, dnn::DataType type) {
  DnnForm form = x.form.transposed();
  form.type = type;
  const DnnArray y = unstored(form);
  DnnDescriptor& operation = make(Kind::reshape_operation);
  operation.set(Property::reshape_x, *x.tensor);
  operation.set(Property::reshape_y, *y.tensor);
  add(operation);
  return y;
}

DnnDescriptor DnnGraph::finish(dnn::Handle handle) const {
  DnnDescriptor graph(Kind::graph);
  graph.set(Property::graph_handle, Type::handle, 1, &handle);
  graph.set(Property::graph_operations, operations_);
  graph.finalize();
  return graph;
}

}  // namespace tide::cuda
