#include "tests/cuda/fake_dnn/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fake {
namespace {

using tide::cuda::dnn::Kind;
using tide::cuda::dnn::Map;
using tide::cuda::dnn::Reduction;

/// An array's elements and layout.
struct Elements {
  DnnArray form;
  std::vector<double> made;  ///< of a virtual array
  const void* data = nullptr;

  int64_t at(const Place& place) const {
    int64_t at = 0;
    for (size_t d = 0; d < 4; ++d)
      if (form.sizes[d] != 1) at += place[d] * form.strides[d];
    return at;
  }
  double read(const Place& place) const {
    return data ? read_number(data, form.format, at(place)) : made[static_cast<size_t>(at(place))];
  }
  void write(const Place& place, double value) {
    if (data) return write_number(const_cast<void*>(data), form.format, at(place), value);
    char capacity[8];
    write_number(capacity, form.format, 0, value);
    made[static_cast<size_t>(at(place))] = read_number(capacity, form.format, 0);
  }
};

double mapped(Map how, double x, double b) {
  switch (how) {
    case Map::add:
      return x + b;
    case Map::multiply:
      return x * b;
    case Map::divide:
      return x / b;
    case Map::subtract:
      return x - b;
    case Map::exp:
      return std::exp(x);
    case Map::log:
      return std::log(x);
    case Map::greater_or_equal:
      return x >= b;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void multiply(const Elements& a, const Elements& b, Elements& y) {
  // Directly on rows of values, because large products have many elements.
  const int64_t inner = a.form.sizes[3], columns = y.form.sizes[3];
  std::vector<double> right(static_cast<size_t>(inner * columns)), row(right.size());
  for (int64_t stack = 0; stack < y.form.sizes[0]; ++stack)
    for (int64_t head = 0; head < y.form.sizes[1]; ++head) {
      for (int64_t k = 0; k < inner; ++k)
        for (int64_t j = 0; j < columns; ++j)
          right[static_cast<size_t>(k * columns + j)] = b.read({stack, head, k, j});
      for (int64_t i = 0; i < y.form.sizes[2]; ++i) {
        std::vector<double> sums(static_cast<size_t>(columns));
        for (int64_t k = 0; k < inner; ++k) {
          const double factor = a.read({stack, head, i, k});
          const double* from = right.data() + k * columns;
          for (size_t j = 0; j < sums.size(); ++j) sums[j] += factor * from[j];
        }
        for (int64_t j = 0; j < columns; ++j)
          y.write({stack, head, i, j}, sums[static_cast<size_t>(j)]);
      }
    }
}

void reduce(Reduction how, const Elements& x, Elements& y) {
  for_places(y.form, [&](const Place& to) {
    double total = how == Reduction::sum ? 0 : -std::numeric_limits<double>::infinity();
    for (Place from = to; from[3] < x.form.sizes[3]; ++from[3])
      total = how == Reduction::sum ? total + x.read(from) : std::fmax(total, x.read(from));
    y.write(to, total);
  });
}

bool repeats_to(const DnnArray& x, const DnnArray& y) {
  for (size_t d = 0; d < 4; ++d)
    if (x.sizes[d] != y.sizes[d] && x.sizes[d] != 1) return false;
  return true;
}

}  // namespace

bool DnnOperation::fits() const {
  std::array<int64_t, 4> wanted = x.sizes;
  switch (kind) {
    case Kind::map_operation: {
      const bool is_unary = map == Map::exp || map == Map::log || map == Map::index;
      return x.sizes == y.sizes && is_unary == !b &&
             (map == Map::select) == condition.has_value() && (!b || repeats_to(*b, y)) &&
             (!condition || repeats_to(*condition, y));
    }
    case Kind::reduction_operation:
      wanted[3] = 1;
      return y.sizes == wanted;
    case Kind::matmul_operation:
      if (!b || b->sizes[2] != x.sizes[3] || b->sizes[0] != x.sizes[0] || b->sizes[1] != x.sizes[1])
        return false;
      wanted[3] = b->sizes[3];
      return y.sizes == wanted;
    default:
      std::swap(wanted[2], wanted[3]);
      return y.sizes == wanted;
  }
}

std::vector<DnnArray> DnnOperations::stored() const {
  std::vector<DnnArray> found;
  const auto note = [&](const DnnArray& array) {
    if (!array.is_virtual) found.push_back(array);
  };
  for (const DnnOperation& operation : all) {
    note(operation.x);
    note(operation.y);
    if (operation.b) note(*operation.b);
    if (operation.condition) note(*operation.condition);
  }
  return found;
}

void DnnOperations::compute(const std::function<const void*(const DnnArray&)>& address) const {
  std::map<int64_t, Elements> arrays;
  const auto find = [&](const DnnArray& array) -> Elements& {
    const auto known = arrays.find(array.name);
    if (known != arrays.end()) return known->second;
    Elements& made = arrays[array.name];
    made.form = array;
    if (array.is_virtual)
      made.made.resize(array.capacity());
    else
      made.data = address(array);
    return made;
  };
  for (const DnnOperation& o : all) {
    const Elements& x = find(o.x);
    Elements& y = find(o.y);
    if (o.kind == Kind::reduction_operation) {
      reduce(o.reduction, x, y);
    } else if (o.kind == Kind::matmul_operation) {
      multiply(x, find(*o.b), y);
    } else if (o.kind == Kind::reshape_operation) {
      for_places(o.y, [&](const Place& p) { y.write(p, x.read({p[0], p[1], p[3], p[2]})); });
    } else if (o.map == Map::index) {
      for_places(o.y, [&](const Place& p) { y.write(p, static_cast<double>(p[o.axis])); });
    } else if (o.map == Map::select) {
      const Elements &b = find(*o.b), &condition = find(*o.condition);
      for_places(
          o.y, [&](const Place& p) { y.write(p, condition.read(p) != 0 ? x.read(p) : b.read(p)); });
    } else {
      const Elements* b = o.b ? &find(*o.b) : nullptr;
      for_places(o.y,
                 [&](const Place& p) { y.write(p, mapped(o.map, x.read(p), b ? b->read(p) : 0)); });
    }
  }
}

}  // namespace fake
