// Handles of tensors: how they begin and end.
#include "bindings/objects/tensor_object.h"

#include <utility>

namespace tide::bindings {

void end_handle(Box<Tensor>& box) {
  box.info = &kFreedTensor;
  box.value.~Tensor();
  --collector.live;
}

void push_tensor(lua_State* L, Tensor tensor) {
  if (!tensor.defined()) {
    lua_pushnil(L);
    return;
  }
  note_new_handle(L);
  push_object(L, std::move(tensor));
}

}  // namespace tide::bindings
