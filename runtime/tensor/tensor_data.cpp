// x.data = value: another value for a tensor that is known by its handle, such as a parameter that
// moves.
#include "runtime/core/error.h"
#include "runtime/tensor/body.h"

namespace tide {

void Tensor::set_data(const Tensor& value) const {
  if (requires_grad() && !is_floating(value.dtype()))
    throw DTypeError("data: a tensor that requires a gradient is floating: got " +
                     std::string(name_of(value.dtype())));
  body_->cell = value.body_->cell;
  body_->layout = value.body_->layout;
  if (body_->autograd) body_->autograd->group = nullptr;  // its views stay with the old elements
}

}  // namespace tide
