-- Single nodes of ONNX: the results of ONNX's own tests (tests/onnx/README.md).
local native = require "tide.native"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local folder = here .. "/../../onnx/nodes/"

--- The tensors of a file with the names stem_1, stem_2, ...
local function tensors_called(message, stem)
  local by_name, list = {}, {}
  for _, tensor in ipairs(message.graph.initializer) do by_name[tensor.name] = tensor end
  while by_name[stem .. "_" .. #list + 1] do
    list[#list + 1] = tensors.read(by_name[stem .. "_" .. #list + 1], folder)
  end
  return list
end

local kNodes <const> = {
  "argmax_keepdims_example_select_last_index", "averagepool_2d_precomputed_pads_count_include_pad",
  "basic_conv_with_padding", "batchnorm_epsilon_training_mode", "bitshift_left_uint16",
  "compress_0", "constantofshape_int_zeros", "convinteger_with_padding", "convtranspose_pads",
  "cumsum_1d_reverse_exclusive", "depthtospace_crd_mode_example", "dequantizelinear_axis",
  "det_2d", "dynamicquantizelinear", "edge_pad", "einsum_transpose", "eyelike_with_dtype",
  "gather_negative_indices", "gathernd_example_int32_batch_dim1", "gridsample_bicubic",
  "gru_batchwise", "hammingwindow", "hardmax_one_hot", "if", "isinf_positive",
  "layer_normalization_2d_axis0", "loop11", "lstm_with_peepholes", "matmulinteger",
  "maxpool_with_argmax_2d_precomputed_pads", "maxunpool_export_without_output_shape",
  "melweightmatrix", "mod_mixed_sign_int16", "mvn", "nonmaxsuppression_two_classes",
  "nonzero_example", "onehot_with_negative_axis", "pow_types_float32_int64", "qlinearconv",
  "qlinearmatmul_2D", "range_int32_type_negative_delta", "reduce_sum_do_not_keepdims_example",
  "resize_downsample_scales_cubic", "resize_tf_crop_and_resize", "resize_upsample_sizes_cubic",
  "reversesequence_batch", "rnn_seq_length", "roialign_aligned_true", "scan9_sum", "scatternd_add",
  "sce_none_weights", "shrink_soft", "softmax_axis_0", "top_k_smallest", "unique_sorted_with_axis",
}

describe("nodes of ONNX", function(device)
  for _, name in ipairs(kNodes) do
    it("have the expected results: " .. name, function()
      local path = folder .. name .. ".onnx"
      local message = native.read_onnx(path, "ModelProto")
      local model = tide.onnx.load(path, {device = device})
      local inputs, expected = tensors_called(message, "given"), tensors_called(message, "expected")
      for i, input in ipairs(inputs) do inputs[i] = input:to(device) end
      local _ <close> = tide.no_grad()
      local results = table.pack(model(table.unpack(inputs)))
      test.is_true(#expected > 0)
      for i, value in ipairs(expected) do
        test.equal(results[i].dtype, value.dtype)
        test.equal(results[i].shape, value.shape)
        local close = results[i]:cpu():to("float64"):allclose(value:to("float64"),
          {rtol = 1e-3, atol = 1e-5, equal_nan = true})
        test.is_true(close)
      end
    end)
  end
end)
