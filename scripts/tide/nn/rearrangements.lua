-- Layers without parameters that move, pad, resample or compare: each calls a function of
-- tide.nn.functional with the module's options.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local rearrangements = {}

--- Makes the class `name` whose options (as tide.arguments has them) are its fields.
local function layer(name, parameters, forward)
  local Layer = class(name, Module)
  local read, names = arguments(name, parameters), {}
  for i, entry in ipairs(parameters) do names[i] = type(entry) == "table" and entry[1] or entry end
  Layer:optional(table.unpack(names))
  function Layer:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
  end
  Layer.forward = forward
  function Layer:describe()
    local words = {}
    for _, key in ipairs(names) do
      local value = self[key]
      if value ~= nil then
        local text = type(value) == "table" and table.concat(value, ", ") or tostring(value)
        words[#words + 1] = ("%s = %s"):format(key, text)
      end
    end
    return table.concat(words, ", ")
  end
  rearrangements[name] = Layer
end

--- One amount for all sides, or a list from the last dimension backwards.
local function amounts(padding, dims)
  if type(padding) == "table" then return padding end
  local list = {}
  for i = 1, 2 * dims do list[i] = padding end
  return list
end

for dims = 1, 3 do
  for kind, mode in pairs {Reflection = "reflect", Replication = "replicate",
    Circular = "circular"} do
    layer(("%sPad%dd"):format(kind, dims), {"padding"}, function(self, x)
      return F.pad(x, amounts(self.padding, dims), mode)
    end)
  end
  layer(("ConstantPad%dd"):format(dims), {"padding", "value"}, function(self, x)
    return F.pad(x, amounts(self.padding, dims), "constant", self.value)
  end)
  layer(("ZeroPad%dd"):format(dims), {"padding"}, function(self, x)
    return F.pad(x, amounts(self.padding, dims), "constant", 0)
  end)
end

layer("Unflatten", {"dim", "unflattened_size"}, function(self, x)
  return x:unflatten(self.dim, self.unflattened_size)
end)
layer("PixelShuffle", {"upscale_factor"}, function(self, x)
  return F.pixel_shuffle(x, self.upscale_factor)
end)
layer("PixelUnshuffle", {"downscale_factor"}, function(self, x)
  return F.pixel_unshuffle(x, self.downscale_factor)
end)
layer("ChannelShuffle", {"groups"}, function(self, x) return F.channel_shuffle(x, self.groups) end)
layer("Upsample", {{"size"}, {"scale_factor"}, {"mode", "nearest"}, {"align_corners"},
  {"recompute_scale_factor"}}, function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners,
    self.recompute_scale_factor)
end)
layer("UpsamplingNearest2d", {{"size"}, {"scale_factor"}}, function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, "nearest")
end)
layer("UpsamplingBilinear2d", {{"size"}, {"scale_factor"}}, function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, "bilinear", true)
end)
layer("Unfold", {"kernel_size", {"dilation", 1}, {"padding", 0}, {"stride", 1}}, function(self, x)
  return F.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)
end)
layer("Fold", {"output_size", "kernel_size", {"dilation", 1}, {"padding", 0}, {"stride", 1}},
  function(self, x)
    return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
  end)
layer("CosineSimilarity", {{"dim", 2}, {"eps", 1e-8}}, function(self, x1, x2)
  return F.cosine_similarity(x1, x2, self.dim, self.eps)
end)
layer("PairwiseDistance", {{"p", 2.0}, {"eps", 1e-6}, {"keepdim", false}}, function(self, x1, x2)
  return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
end)

return rearrangements
