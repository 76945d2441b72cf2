-- Rules for matrix products, convolutions, pools, normalizations and attention.
local raise = require "tide.internal.raise"
local tide = require "tide"

local rules = {}

-- Products ----------------------------------------------------------------------------------------

for _, op in ipairs {"matmul", "mm", "bmm", "mv"} do
  rules[op] = {arguments = {"x", "y"}, write = function(g, a)
    return g:node("MatMul", {g:name(a.x), g:name(a.y)})
  end}
end

rules.linear = {arguments = {"x", "weight", "bias"}, write = function(g, a)
  if a.x:dim() == 2 then
    return g:node("Gemm", {g:name(a.x), g:name(a.weight), g:name(a.bias)}, {transB = 1})
  end
  local weight = g:node("Transpose", {g:name(a.weight)}, {perm = {1, 0}})
  local product = g:node("MatMul", {g:name(a.x), weight})
  return a.bias and g:node("Add", {product, g:name(a.bias)}) or product
end}

rules.addmm = {arguments = {"c", "x", "y"}, write = function(g, a)
  return g:node("Gemm", {g:name(a.x), g:name(a.y), g:name(a.c)},
    {alpha = (a.alpha or 1) + 0.0, beta = (a.beta or 1) + 0.0})
end}

rules.einsum = {arguments = {"equation"}, write = function(g, a, _, list)
  local operands = list
  if type(list[2]) == "table" and not tide.is_tensor(list[2]) then
    operands = {a.equation, table.unpack(list[2])}
  end
  local names = {}
  for i = 2, #operands do names[i - 1] = g:name(operands[i]) end
  return g:node("Einsum", names, {equation = a.equation})
end}

--- Positions in tide count from 1.
rules.embedding = {arguments = {"x", "weight"}, write = function(g, a)
  local index = g:node("Sub", {g:cast(a.x, "int64"), g:number(1, "int64")})
  return g:node("Gather", {g:name(a.weight), index}, {axis = 0})
end}

-- Windows -----------------------------------------------------------------------------------------

--- Expands a number or list to a list of `rank` numbers.
local function expand(value, rank, default)
  local list = {}
  for d = 1, rank do
    list[d] = type(value) == "table" and (value[d] or value[1]) or value or default
  end
  return list
end

--- Duplicates symmetric pads for before and after.
local function both(list)
  return table.move(list, 1, #list, #list + 1, table.move(list, 1, #list, 1, {}))
end

for rank = 1, 3 do
  rules[("conv%dd"):format(rank)] = {
    arguments = {"x", "weight", "bias", "stride", "padding", "dilation", "groups"},
    write = function(g, a)
      local attributes = {
        strides = expand(a.stride, rank, 1), dilations = expand(a.dilation, rank, 1),
        group = a.groups or 1, kernel_shape = table.move(a.weight.shape, 3, 2 + rank, 1, {}),
      }
      if a.padding == "same" then
        attributes.auto_pad = "SAME_UPPER"
      elseif a.padding ~= "valid" then
        attributes.pads = both(expand(a.padding, rank, 0))
      end
      return g:node("Conv", {g:name(a.x), g:name(a.weight), g:name(a.bias)}, attributes)
    end,
  }

  rules[("conv_transpose%dd"):format(rank)] = {
    arguments = {
      "x", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation",
    },
    write = function(g, a)
      return g:node("ConvTranspose", {g:name(a.x), g:name(a.weight), g:name(a.bias)}, {
        strides = expand(a.stride, rank, 1), dilations = expand(a.dilation, rank, 1),
        pads = both(expand(a.padding, rank, 0)), group = a.groups or 1,
        output_padding = expand(a.output_padding, rank, 0),
        kernel_shape = table.move(a.weight.shape, 3, 2 + rank, 1, {}),
      })
    end,
  }

  rules[("max_pool%dd"):format(rank)] = {
    arguments = {"x", "kernel", "stride", "padding", "dilation", "ceil_mode"},
    write = function(g, a)
      local kernel = expand(a.kernel or a.kernel_size, rank)
      return g:node("MaxPool", {g:name(a.x)}, {
        kernel_shape = kernel, strides = expand(a.stride or kernel, rank),
        pads = both(expand(a.padding, rank, 0)), dilations = expand(a.dilation, rank, 1),
        ceil_mode = a.ceil_mode and 1 or 0,
      })
    end,
  }

  rules[("avg_pool%dd"):format(rank)] = {
    arguments = {
      "x", "kernel", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override",
    },
    write = function(g, a)
      if a.divisor_override then raise "save: divisor_override cannot be exported to ONNX" end
      local kernel = expand(a.kernel or a.kernel_size, rank)
      return g:node("AveragePool", {g:name(a.x)}, {
        kernel_shape = kernel, strides = expand(a.stride or kernel, rank),
        pads = both(expand(a.padding, rank, 0)), ceil_mode = a.ceil_mode and 1 or 0,
        count_include_pad = a.count_include_pad == false and 0 or 1,
      })
    end,
  }

  --- Adaptive pools: global, or with equal parts.
  for op, names in pairs {
    adaptive_avg_pool = {"GlobalAveragePool", "AveragePool"},
    adaptive_max_pool = {"GlobalMaxPool", "MaxPool"},
  } do
    local name = ("%s%dd"):format(op, rank)
    rules[name] = {arguments = {"x", "output_size"}, write = function(g, a, results)
      local from, to, kernel, is_global = a.x.shape, results[1].shape, {}, true
      for d = 1, rank do
        local size, count = from[2 + d], to[2 + d]
        if size % count ~= 0 then
          raise("save: %s from size %d to %d cannot be exported to ONNX: its windows differ in size", name, size,
            count)
        end
        kernel[d], is_global = size // count, is_global and count == 1
      end
      if is_global then return g:node(names[1], {g:name(a.x)}) end
      return g:node(names[2], {g:name(a.x)}, {kernel_shape = kernel, strides = kernel})
    end}
  end
end

local kModes <const> = {
  nearest = "nearest", linear = "linear", bilinear = "linear", trilinear = "linear",
  bicubic = "cubic",
}

rules.interpolate = {
  arguments = {
    "x", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias",
  },
  write = function(g, a, results)
    local mode, rank = kModes[a.mode or "nearest"], a.x:dim()
    if not mode or a.antialias then
      raise("save: interpolate with the mode '%s' cannot be exported to ONNX", a.mode)
    end
    local way = a.align_corners and "align_corners" or mode == "nearest" and "asymmetric"
      or "pytorch_half_pixel"
    local attributes = {mode = mode, coordinate_transformation_mode = way, nearest_mode = "floor"}
    if not a.scale_factor then
      return g:node("Resize", {g:name(a.x), "", "", g:integers(results[1].shape)}, attributes)
    end
    local scales = {1.0, 1.0}
    for i, factor in ipairs(expand(a.scale_factor, rank - 2)) do scales[2 + i] = factor + 0.0 end
    local list = tide.tensor(scales, {dtype = "float32", device = "cpu"})
    return g:node("Resize", {g:name(a.x), "", g:name(list)}, attributes)
  end,
}

rules.pixel_shuffle = {arguments = {"x", "factor"}, write = function(g, a)
  return g:node("DepthToSpace", {g:name(a.x)},
    {blocksize = a.factor or a.upscale_factor, mode = "CRD"})
end}

-- Normalizations ----------------------------------------------------------------------------------

--- A parameter, or a constant with the same value for each channel.
local function channel_values(g, given, count, value, dtype)
  return g:name(given or tide.full({count}, value, {dtype = dtype, device = "cpu"}))
end

rules.batch_norm = {
  arguments = {"x", "mean", "variance", "weight", "bias", "training", "momentum", "eps"},
  write = function(g, a)
    local mean, variance = a.mean or a.running_mean, a.variance or a.running_var
    if a.training or not mean then
      raise "save: batch_norm by the batch's own statistics cannot be exported to ONNX"
    end
    local count, dtype = a.x:size(2), a.x.dtype
    return g:node("BatchNormalization", {
      g:name(a.x), channel_values(g, a.weight, count, 1.0, dtype),
      channel_values(g, a.bias, count, 0.0, dtype), g:name(mean), g:name(variance),
    }, {epsilon = a.eps or 1e-5})
  end,
}

rules.instance_norm = {
  arguments = {"x", "mean", "variance", "weight", "bias", "use_input_stats", "momentum", "eps"},
  write = function(g, a)
    if a.use_input_stats == false then
      raise "save: instance_norm by running statistics cannot be exported to ONNX"
    end
    local count, dtype = a.x:size(2), a.x.dtype
    return g:node("InstanceNormalization", {
      g:name(a.x), channel_values(g, a.weight, count, 1.0, dtype),
      channel_values(g, a.bias, count, 0.0, dtype),
    }, {epsilon = a.eps or 1e-5})
  end,
}

rules.layer_norm = {arguments = {"x", "shape", "weight", "bias", "eps"}, write = function(g, a)
  local shape = a.shape or a.normalized_shape
  local sizes = type(shape) == "table" and shape or {shape}
  local scale = a.weight or tide.ones(sizes, {dtype = a.x.dtype, device = "cpu"})
  return g:node("LayerNormalization", {g:name(a.x), g:name(scale), g:name(a.bias)},
    {axis = -#sizes, epsilon = a.eps or 1e-5})
end}

--- Uses an InstanceNormalization with the groups as channels.
rules.group_norm = {arguments = {"x", "groups", "weight", "bias", "eps"}, write = function(g, a)
  local shape, dtype, count = a.x.shape, a.x.dtype, a.groups or a.num_groups
  local sizes = {0, count, -1}
  local joined = g:node("Reshape", {g:name(a.x), g:integers(sizes)})
  local normal = g:node("InstanceNormalization", {
    joined, channel_values(g, nil, count, 1.0, dtype), channel_values(g, nil, count, 0.0, dtype),
  }, {epsilon = a.eps or 1e-5})
  local back = table.move(shape, 2, #shape, 2, {-1})
  local y = g:node("Reshape", {normal, g:integers(back)})
  local per_channel = {-1}
  for d = 3, #shape do per_channel[d - 1] = 1 end
  local function channels(value)
    return (g:node("Reshape", {g:name(value), g:integers(per_channel)}))
  end
  if a.weight then y = g:node("Mul", {y, channels(a.weight)}) end
  return a.bias and g:node("Add", {y, channels(a.bias)}) or y
end}

-- Attention ---------------------------------------------------------------------------------------

rules.scaled_dot_product_attention = {
  arguments = {"q", "k", "v", "mask", "dropout", "is_causal", "scale"},
  write = function(g, a, results)
    local mask, dtype, rank = a.mask or a.attn_mask, results[1].dtype, a.k:dim()
    local order = {}
    for d = 1, rank do order[d] = d - 1 end
    order[rank - 1], order[rank] = order[rank], order[rank - 1]
    local scores = g:node("MatMul",
      {g:name(a.q), (g:node("Transpose", {g:name(a.k)}, {perm = order}))})
    local scale = a.scale or 1 / math.sqrt(a.q:size(-1))
    scores = g:node("Mul", {scores, g:number(scale, dtype)})
    if a.is_causal then
      local sizes = g:node("Slice", {(g:node("Shape", {scores})), g:integers {-2}, g:integers {math.maxinteger}})
      local ones = g:node("Expand", {g:number(1.0, "float32"), sizes})
      local causal = g:node("Cast", {(g:node("Trilu", {ones}, {upper = 0}))}, {to = 9})
      scores = g:node("Where", {causal, scores, g:number(-math.huge, dtype)})
    elseif mask and mask.dtype == "bool" then
      scores = g:node("Where", {g:name(mask), scores, g:number(-math.huge, dtype)})
    elseif mask then
      scores = g:node("Add", {scores, g:name(mask)})
    end
    return g:node("MatMul", {(g:node("Softmax", {scores}, {axis = -1})), g:name(a.v)})
  end,
}

return rules
