// The part of cuDNN's backend (graph) interface that tide uses, declared here so that the build
// does not need cuDNN; dnn_api_check.cpp compares it with cudnn_graph.h if that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda::dnn {

using Status = int;  ///< cudnnStatus_t; 0: success
constexpr Status kHostAllocationFailed = 4003, kDeviceAllocationFailed = 4004;
using Handle = void*;
using Descriptor = void*;

/// cudnnBackendDescriptorType_t
enum class Kind : int {
  map = 0,
  convolution = 1,
  engine = 2,
  engine_choice = 3,
  heuristics = 4,
  plan = 5,
  forward = 10,
  backward_filter = 11,
  backward_data = 12,
  map_operation = 13,
  graph = 15,
  variant_pack = 16,
  tensor = 17,
  matmul = 18,
  matmul_operation = 19,
  reduction = 21,
  reduction_operation = 22,
  reshape_operation = 31
};

/// cudnnBackendAttributeName_t
enum class Property : int {
  map_mode = 0,
  map_compute_type = 1,
  map_axis = 9,
  convolution_compute_type = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_paddings_after = 104,
  convolution_paddings_before = 105,
  convolution_dims = 106,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  choice_engine = 300,
  plan_handle = 400,
  plan_choice = 401,
  plan_workspace = 402,
  forward_alpha = 700,
  forward_beta = 701,
  forward_convolution = 702,
  forward_w = 703,
  forward_x = 704,
  forward_y = 705,
  backward_data_alpha = 706,
  backward_data_beta = 707,
  backward_data_convolution = 708,
  backward_data_w = 709,
  backward_data_dx = 710,
  backward_data_dy = 711,
  backward_filter_alpha = 712,
  backward_filter_beta = 713,
  backward_filter_convolution = 714,
  backward_filter_dw = 715,
  backward_filter_x = 716,
  backward_filter_dy = 717,
  map_how = 750,
  map_x = 751,
  map_b = 752,
  map_y = 753,
  map_condition = 758,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_dimensions = 902,
  tensor_strides = 903,
  tensor_id = 906,
  tensor_virtual = 907,
  tensor_by_value = 908,
  pack_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  engine_notes = 1303,
  matmul_compute_type = 1500,
  matmul_a = 1520,
  matmul_b = 1521,
  matmul_c = 1522,
  matmul_how = 1523,
  reduction_operator = 1600,
  reduction_compute_type = 1601,
  reduction_x = 1610,
  reduction_y = 1611,
  reduction_how = 1612,
  reshape_x = 2200,
  reshape_y = 2201
};

/// cudnnBackendAttributeType_t
enum class Type : int {
  handle = 0,
  data_type = 1,
  boolean = 2,
  int64 = 3,
  float32 = 4,
  float64 = 5,
  pointer = 6,
  convolution_mode = 7,
  heuristics_mode = 8,
  numerical_note = 11,
  map_mode = 14,
  descriptor = 15,
  reduction_operator = 18
};

enum DataType : int {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kInt32 = 4,
  kBFloat16 = 9,
  kBoolean = 11
};
/// cudnnPointwiseMode_t
enum class Map : int {
  add = 0,
  multiply = 1,
  divide = 6,
  subtract = 9,
  exp = 13,
  log = 15,
  greater_or_equal = 303,
  index = 501,
  select = 601
};
/// cudnnReduceTensorOp_t
enum class Reduction : int { sum = 0, most = 3 };
constexpr int kCrossCorrelation = 1;
/// cudnnBackendHeurMode_t
constexpr int kHeuristicsFallback = 2, kHeuristicsA = 3;
/// cudnnBackendNumericalNote_t
enum Note : int {
  kTensorCore = 0,
  kRoundsInputs = 1,
  kReducedPrecisionSums = 2,
  kFft = 3,
  kNotDeterministic = 4,
  kWinograd = 5,
  kNotes = 10
};

#define TIDE_CUDA_DNN(X)                                                                      \
  X(create, "cudnnCreate", (Handle * handle))                                                 \
  X(set_stream, "cudnnSetStream", (Handle handle, CudaStream stream))                         \
  X(create_descriptor, "cudnnBackendCreateDescriptor", (Kind kind, Descriptor * made))        \
  X(destroy_descriptor, "cudnnBackendDestroyDescriptor", (Descriptor descriptor))             \
  X(set, "cudnnBackendSetAttribute",                                                          \
    (Descriptor descriptor, Property property, Type type, int64_t count, const void* values)) \
  X(get, "cudnnBackendGetAttribute",                                                          \
    (Descriptor descriptor, Property property, Type type, int64_t capacity, int64_t * count,  \
     void* values))                                                                           \
  X(finalize, "cudnnBackendFinalize", (Descriptor descriptor))                                \
  X(execute, "cudnnBackendExecute", (Handle handle, Descriptor plan, Descriptor pack))

struct Table {
#define TIDE_MEMBER(member, name, parameters) Status(*member) parameters = nullptr;
  TIDE_CUDA_DNN(TIDE_MEMBER)
#undef TIDE_MEMBER
  size_t (*version)() = nullptr;  ///< cudnnGetVersion: 90501 is 9.5.1
};

}  // namespace tide::cuda::dnn
