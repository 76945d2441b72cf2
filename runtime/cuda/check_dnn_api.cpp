// Compares dnn_api.h with cuDNN's own header, where that is installed; compiles to nothing.
#if __has_include(<cudnn_graph.h>) && __has_include(<cuda_runtime_api.h>)
#include <cudnn_graph.h>

#include "runtime/cuda/check_calls.h"
#include "runtime/cuda/dnn_api.h"

#if CUDNN_GRAPH_MAJOR >= 9
namespace tide::cuda::dnn {
namespace {

#define TIDE_SAME(member, function) static_assert(same_call(decltype(Table::member)(), &function))
TIDE_SAME(create, cudnnCreate);
TIDE_SAME(set_stream, cudnnSetStream);
TIDE_SAME(create_descriptor, cudnnBackendCreateDescriptor);
TIDE_SAME(destroy_descriptor, cudnnBackendDestroyDescriptor);
TIDE_SAME(set, cudnnBackendSetAttribute);
TIDE_SAME(get, cudnnBackendGetAttribute);
TIDE_SAME(finalize, cudnnBackendFinalize);
TIDE_SAME(execute, cudnnBackendExecute);
TIDE_SAME(version, cudnnGetVersion);
#undef TIDE_SAME

#define TIDE_SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
TIDE_SAME(Kind::convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
TIDE_SAME(Kind::engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
TIDE_SAME(Kind::engine_choice, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
TIDE_SAME(Kind::heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
TIDE_SAME(Kind::plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
TIDE_SAME(Kind::forward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
TIDE_SAME(Kind::backward_filter, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
TIDE_SAME(Kind::backward_data, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
TIDE_SAME(Kind::graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
TIDE_SAME(Kind::variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
TIDE_SAME(Kind::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
TIDE_SAME(Property::convolution_compute_type, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
TIDE_SAME(Property::convolution_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
TIDE_SAME(Property::convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
TIDE_SAME(Property::convolution_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
TIDE_SAME(Property::convolution_paddings_after, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
TIDE_SAME(Property::convolution_paddings_before, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
TIDE_SAME(Property::convolution_dims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
TIDE_SAME(Property::heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE);
TIDE_SAME(Property::heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
TIDE_SAME(Property::heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS);
TIDE_SAME(Property::choice_engine, CUDNN_ATTR_ENGINECFG_ENGINE);
TIDE_SAME(Property::plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
TIDE_SAME(Property::plan_choice, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
TIDE_SAME(Property::plan_workspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
TIDE_SAME(Property::forward_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
TIDE_SAME(Property::forward_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
TIDE_SAME(Property::forward_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
TIDE_SAME(Property::forward_w, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
TIDE_SAME(Property::forward_x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
TIDE_SAME(Property::forward_y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
TIDE_SAME(Property::backward_data_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA);
TIDE_SAME(Property::backward_data_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA);
TIDE_SAME(Property::backward_data_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
TIDE_SAME(Property::backward_data_w, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
TIDE_SAME(Property::backward_data_dx, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
TIDE_SAME(Property::backward_data_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
TIDE_SAME(Property::backward_filter_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA);
TIDE_SAME(Property::backward_filter_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA);
TIDE_SAME(Property::backward_filter_convolution,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
TIDE_SAME(Property::backward_filter_dw, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
TIDE_SAME(Property::backward_filter_x, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
TIDE_SAME(Property::backward_filter_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
TIDE_SAME(Property::graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
TIDE_SAME(Property::graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
TIDE_SAME(Property::tensor_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
TIDE_SAME(Property::tensor_type, CUDNN_ATTR_TENSOR_DATA_TYPE);
TIDE_SAME(Property::tensor_dimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
TIDE_SAME(Property::tensor_strides, CUDNN_ATTR_TENSOR_STRIDES);
TIDE_SAME(Property::tensor_id, CUDNN_ATTR_TENSOR_UNIQUE_ID);
TIDE_SAME(Property::pack_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
TIDE_SAME(Property::pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
TIDE_SAME(Property::pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
TIDE_SAME(Property::engine_notes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
TIDE_SAME(Type::handle, CUDNN_TYPE_HANDLE);
TIDE_SAME(Type::data_type, CUDNN_TYPE_DATA_TYPE);
TIDE_SAME(Type::int64, CUDNN_TYPE_INT64);
TIDE_SAME(Type::float32, CUDNN_TYPE_FLOAT);
TIDE_SAME(Type::float64, CUDNN_TYPE_DOUBLE);
TIDE_SAME(Type::pointer, CUDNN_TYPE_VOID_PTR);
TIDE_SAME(Type::convolution_mode, CUDNN_TYPE_CONVOLUTION_MODE);
TIDE_SAME(Type::heuristics_mode, CUDNN_TYPE_HEUR_MODE);
TIDE_SAME(Type::numerical_note, CUDNN_TYPE_NUMERICAL_NOTE);
TIDE_SAME(Type::descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
TIDE_SAME(kFloat32, CUDNN_DATA_FLOAT);
TIDE_SAME(kFloat64, CUDNN_DATA_DOUBLE);
TIDE_SAME(kFloat16, CUDNN_DATA_HALF);
TIDE_SAME(kBFloat16, CUDNN_DATA_BFLOAT16);
TIDE_SAME(kCrossCorrelation, CUDNN_CROSS_CORRELATION);
TIDE_SAME(kHeuristicsA, CUDNN_HEUR_MODE_A);
TIDE_SAME(kHeuristicsFallback, CUDNN_HEUR_MODE_FALLBACK);
TIDE_SAME(kTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
TIDE_SAME(kRoundsInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
TIDE_SAME(kReducedPrecisionSums, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
TIDE_SAME(kFft, CUDNN_NUMERICAL_NOTE_FFT);
TIDE_SAME(kNotDeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
TIDE_SAME(kWinograd, CUDNN_NUMERICAL_NOTE_WINOGRAD);
static_assert(kNotes >= int{CUDNN_NUMERICAL_NOTE_TYPE_COUNT});
#undef TIDE_SAME

}  // namespace
}  // namespace tide::cuda::dnn
#endif
#endif
