-- Signals: windows, Fourier transforms as products with cosine matrices, mel weights.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {
  with_run = {}, host = {
    DFT = {2, 3}, STFT = {2, 4}, HannWindow = {1}, HammingWindow = {1}, BlackmanWindow = {1},
    MelWeightMatrix = {1, 2, 3, 4, 5},
  },
}

ops.attributes = {
  BlackmanWindow = "output_datatype periodic",
  DFT = "axis inverse onesided",
  HammingWindow = "output_datatype periodic",
  HannWindow = "output_datatype periodic",
  MelWeightMatrix = "output_datatype",
  STFT = "onesided",
}

--- Maximum number of elements of a Fourier matrix.
local kMaxMatrix <const> = 1 << 26

--- Maximum number of weights of a mel matrix, because they are computed one by one.
local kMaxMel <const> = 1 << 22

--- A window that is a sum of cosines with these weights.
local function define_window(name, weights)
  ops.with_run[name] = function(run, node, size)
    local count = values.list(size)[1]
    local period = node.attributes.periodic == 0 and count - 1 or count
    local steps = tide.arange(count, {dtype = "float64", device = run.device or "cpu"})
    local window = tide.zeros_like(steps)
    for k, weight in ipairs(weights) do
      window = window + (steps * (2 * math.pi * (k - 1) / period)):cos() * weight
    end
    return window:to(tensors.dtype_of(node.attributes.output_datatype or 1))
  end
end

define_window("HannWindow", {0.5, -0.5})
define_window("HammingWindow", {25 / 46, -21 / 46})
define_window("BlackmanWindow", {0.42, -0.5, 0.08})

--- The transform of x (..., n, parts), with 1 or 2 parts, along its second to last dimension: (...,
--- bins, 2).
local function transform(x, bins, length, inverse)
  if bins > kMaxMatrix // length then raise("a transform of length %d is too long", length) end
  local options = {dtype = "float64", device = x.device}
  local steps = tide.arange(length, options):unsqueeze(2) * tide.arange(bins, options)
  -- Reduces angles to one turn before they grow large.
  local angles = steps:remainder(length) * (2 * math.pi / length)
  local cosines, sines = angles:cos():to(x.dtype), angles:sin():to(x.dtype)
  if inverse then sines = -sines end
  local real = x:select(-1, 1)
  local a, b = real:matmul(cosines), -(real:matmul(sines))
  if x:size(-1) == 2 then
    local imaginary = x:select(-1, 2)
    a, b = a + imaginary:matmul(sines), b + imaginary:matmul(cosines)
  end
  local result = tide.stack({a, b}, -1)
  return inverse and result / length or result
end

--- x (..., n, parts) truncated or zero-padded to `count` elements.
local function resized(x, count)
  local size = x:size(-2)
  if count <= size then return x:narrow(-2, 1, count) end
  return F.pad(x, {0, 0, 0, count - size})
end

--- All bins of a real signal of this length from their first half: the others are conjugates.
local function with_mirrored(x, length)
  if x:size(-1) ~= 2 then raise "one-sided frequencies have a real and an imaginary part" end
  local rest = x:narrow(-2, 2, length - x:size(-2)):flip(-2)
  local conjugate = tide.stack({rest:select(-1, 1), -rest:select(-1, 2)}, -1)
  return tide.cat({x, conjugate}, -2)
end

function ops.DFT(node, x, length, axis)
  local usual = node.version >= 20 and -2 or 1
  local dim = values.dim(axis and values.list(axis)[1] or node.attributes.axis or usual, x:dim())
  local onesided, inverse = node.attributes.onesided == 1, node.attributes.inverse == 1
  local count = length and values.list(length)[1] or onesided and inverse and 2 * (x:size(dim) - 1) or x:size(dim)
  if count < 1 then raise("the length is %d", count) end
  local rank = x:dim()
  local own, half = dim == rank - 1 and x or x:transpose(dim, rank - 1), count // 2 + 1
  own = resized(own, onesided and inverse and half or count)
  if onesided and inverse then own = with_mirrored(own, count) end
  local y = transform(own, onesided and not inverse and half or count, count, inverse)
  if onesided and inverse then y = y:narrow(-1, 1, 1) end -- the signal was real
  return dim == rank - 1 and y or y:transpose(dim, rank - 1)
end

--- Frames of a signal (n, length, parts), weighted by a window and transformed.
function ops.STFT(node, x, step, window, frame_length)
  local hop = values.list(step)[1]
  local length = frame_length and values.list(frame_length)[1] or window:size(1)
  if hop < 1 or length < 1 or length > x:size(2) then
    raise("frames of %d, %d apart, in a signal of %d", length, hop, x:size(2))
  end
  local parts = x:dim() == 3 and x or x:unsqueeze(3)
  local frames = parts:unfold(2, length, hop):transpose(3, 4)
  if window then frames = frames * window:unsqueeze(2) end
  local bins = node.attributes.onesided ~= 0 and length // 2 + 1 or length
  return transform(frames, bins, length, false)
end

--- Triangular filters between frequencies evenly spaced on the mel scale, as columns.
function ops.MelWeightMatrix(node, bands, dft_length, sample_rate, low, high)
  local function number(x) return values.list(x)[1] end
  local count, length, rate = number(bands), number(dft_length), number(sample_rate)
  local bins = length // 2 + 1
  if count < 1 or length < 1 or rate < 1 or count > kMaxMel or bins > kMaxMel // count then
    raise("%d bands of a transform of length %d at a rate of %d", count, length, rate)
  end
  local function mel(f) return 2595 * math.log(1 + f / 700, 10) end
  local first, last = mel(number(low)), mel(number(high))
  local edges = {}
  for i = 0, count + 1 do
    local frequency = 700 * (10 ^ ((i * (last - first) / (count + 2) + first) / 2595) - 1)
    edges[i] = math.floor((length + 1) * frequency / rate)
  end
  local rows = {}
  for bin = 0, bins - 1 do
    local row = {}
    for band = 0, count - 1 do
      local left, center, right = edges[band], edges[band + 1], edges[band + 2]
      local weight = 0.0
      if bin >= left and bin <= center then
        weight = center == left and (bin == center and 1.0 or 0.0) or (bin - left) / (center - left)
      end
      if bin >= center and bin < right and right > center then
        weight = (right - bin) / (right - center)
      end
      row[band + 1] = weight
    end
    rows[bin + 1] = row
  end
  return tide.tensor(rows, {dtype = tensors.dtype_of(node.attributes.output_datatype or 1)})
end

return ops
