// Reads the arguments of recurrent layers.
#include "bindings/tensor/recurrence.h"

#include <optional>
#include <string_view>
#include <vector>

#include "bindings/ops/typed_function.h"
#include "runtime/ops/nn/recurrence.h"

namespace tide::bindings {
namespace {

RecurrenceCell cell_named(std::string_view name) {
  return name == "tanh"   ? RecurrenceCell::tanh
         : name == "relu" ? RecurrenceCell::relu
         : name == "lstm" ? RecurrenceCell::lstm
                          : RecurrenceCell::gru;
}

std::vector<Tensor> run(std::string_view cell, bool backwards, const std::vector<int64_t>& sizes,
                        const Tensor& input, const std::vector<Tensor>& state, const Tensor& weight,
                        const std::optional<Tensor>& bias, bool keep) {
  return recurrence({cell_named(cell), backwards, sizes}, input, state, weight, bias, keep);
}

std::vector<Tensor> run_backward(std::string_view cell, bool backwards,
                                 const std::vector<int64_t>& sizes,
                                 const std::vector<Tensor>& gradients,
                                 const std::vector<Tensor>& kept, const Tensor& weight) {
  return recurrence_backward({cell_named(cell), backwards, sizes}, gradients, kept, weight);
}

}  // namespace

std::span<const luaL_Reg> recurrence_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<does_recurrence, "does_recurrence", "x">,
      kNative<run, "recurrence", "cell, backwards?, sizes, input, state, weight, bias?, keep?">,
      kNative<run_backward, "recurrence_backward",
              "cell, backwards?, sizes, gradients, kept, weight">,
  };
  return functions;
}

}  // namespace tide::bindings
