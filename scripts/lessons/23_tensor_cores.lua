-- Lesson 23: Tensor Cores and shapes. What sizes, types and layouts let a GPU do its best?
--
-- Run it:        tide lesson 23
-- On the cpu:    tide lesson 23 --device cpu
-- Very small:    tide lesson 23 --size 32
--
-- No GPU is needed: tide.estimate knows what the data sheets say of ten cards, and computes what a
-- piece of work would take there at best. So the speeds below are those of cards, and the same on
-- every machine.
local tide = require "tide"
local nn = tide.nn
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  size = 1024, -- rows and columns of matrices
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- With matrices much smaller than these, launching takes all the time on any card.
local size, large = options.size, options.size >= 1024

--- The part of fn's work with this name, as it would be on a card.
local function part_on(card, name, fn)
  local estimate = tide.estimate(fn, {device = card})
  for _, part in ipairs(estimate.parts) do
    if part.name == name then return part, estimate.card end
  end
  error("no " .. name .. " has run")
end

-- 1. Units for products ---------------------------------------------------------------------------
-- Beside the units of lesson 8, which compute single numbers, a GPU has Tensor Cores. Such a unit
-- multiplies two small matrices in one go, and so it does some ten times as many operations. It
-- takes half types and integers of 8 bits, and it knows nothing but products.
heading(("1. A product of %d x %d, by type and card"):format(size, size))

--- A product of two matrices of a type, as a function.
local function product(dtype, columns)
  local a = tide.randn(size, size, {device = device}):to(dtype)
  local b = tide.randn(size, columns or size, {device = device}):to(dtype)
  return function() return a:matmul(b) end
end

print("  card      type       at best    units")
for _, card in ipairs {"T4", "A100 80GB", "H200"} do
  for _, dtype in ipairs {"float32", "float16"} do
    local part, described = part_on(card, "matmul", product(dtype))
    local units = part.tensor_cores and "Tensor Cores" or "the others"
    print(("  %-9s %-8s %8.1f us   %s"):format(card, dtype, 1e3 * part.ms, units))
    assert(part.tensor_cores == (dtype == "float16"))
    assert(described.tensor.float16 > 2 * described.peaks.float32, "they are that much faster")
  end
end

-- A type that a card has no Tensor Cores for is computed by the other units. A T4 does not know
-- bfloat16: choose the type by the card. (Where numbers get too large or too small for float16, and
-- what to do then, is in lesson 18.)
local unknown = part_on("T4", "matmul", product "bfloat16")
assert(not unknown.tensor_cores)
print(("  %-9s %-8s %8.1f us   %s"):format("T4", "bfloat16", 1e3 * unknown.ms, "the others"))

-- 2. Sizes ----------------------------------------------------------------------------------------
-- The small matrices have a fixed size, and memory is read 16 bytes at a time: that is 8 numbers of
-- a half type, 16 of int8. So the sizes of a product have to be multiples of 8. One column less
-- than 1024 is not less work, but much more time.
heading "2. One column less"

local columns, times = {}, {}
for n = size - 8, size do
  local part = part_on("T4", "matmul", product("float16", n))
  columns[#columns + 1], times[#times + 1] = n, 1e3 * part.ms
  print(("  %4d columns  %7.1f us  %s"):format(n, 1e3 * part.ms,
    part.tensor_cores and "Tensor Cores" or ""))
  assert(part.tensor_cores == (n % 8 == 0))
end
assert(not large or times[8] > 4 * times[9], "size - 1 takes several times as long as size")
tide.plot.figure {size = {640, 280}, title = "us on a T4, by the number of columns"}
  :line(columns, times, {marker = "o"}):show()

-- (A library may find a way around it, so a real run can be better than this estimate, but it will
-- be slower than with sizes that fit.) On an accelerator tide.advise tells which sizes do not fit.
local accelerator = device.type == "cpu" and tide.device("sim:0") or device
local odd_a = tide.randn(size, size - 1, {device = accelerator}):half()
local odd_b = tide.randn(size - 1, 10, {device = accelerator}):half()
local advice = tide.advise(function() return odd_a:matmul(odd_b) end)
print(advice)
assert(advice.findings[1].rule == "sizes of Tensor Cores")
assert(advice.findings[1].text:find("n = 10 (16)", 1, true), "the size, and the next that fits")

-- Where do odd sizes come from? From the number of classes, from a vocabulary of 50257 words, from
-- a last batch that is smaller. The fix is to choose 50264 and never use the rest, or to pad with
-- zeros and cut the result: zeros add nothing to a sum.
local padded = F.pad(odd_a, {0, 1}):matmul(F.pad(odd_b, {0, 6, 0, 1}))
local cut = padded[{{}, {1, 10}}]
local plain = odd_a:matmul(odd_b)
local difference = (cut - plain):abs():max():item()
print(("  padded to %s and cut: largest difference %g"):format(
  table.concat(padded.shape, " x "), difference))
assert(difference <= 2 ^ -8 * plain:abs():max():item(), "the same up to the rounding of float16")

-- 3. Layouts of images ----------------------------------------------------------------------------
-- A convolution is a product, too: for each pixel of the result it multiplies the channels of the
-- pixels around it with weights. So channels are the sizes that count, and the Tensor Cores want
-- the channels of a pixel side by side in memory: channels last. Otherwise a library turns the
-- images around first.
--
--   channels first   RRRRRRRRR GGGGGGGGG BBBBBBBBB
--   channels last    RGB RGB RGB RGB RGB RGB RGB RGB RGB
heading "3. Layouts of images"

local images = tide.randn(2, 3, 16, 16, {device = device})
local last = images:to {memory_format = "channels_last"}
local function numbers(list) return "(" .. table.concat(list, ", ") .. ")" end
print("  shape of both    " .. numbers(last.shape))
print("  channels first   strides " .. numbers(images:stride()))
print("  channels last    strides " .. numbers(last:stride()))
assert(last:equal(images), "the same numbers at the same places of the shape")
assert(last:stride(2) == 1 and images:stride(2) == 16 * 16, "in another order in memory")

-- The layout passes through the layers of a network: it is set once, for the net and its inputs.
local convolution = nn.Conv2d(3, 16, 3, {padding = 1}):to(device)
local before = convolution(images)
convolution:to {memory_format = "channels_last"}
local after = convolution(last):relu()
assert(after:is_contiguous "channels_last", "it stays")
assert(tide.allclose(after, before:relu(), {atol = 1e-4}))

-- Three channels of an image are not a multiple of 8. That is one small layer, and usually left as it
-- is. Inside of a network choose 64 channels, not 60.
for _, channels in ipairs {3, 60, 64} do
  local layer = nn.Conv2d(channels, 64, 3):to(device):half()
  local x = tide.randn(1, channels, 8, 8, {device = device}):half()
  local part = part_on("H200", "conv2d", function() return layer(x) end)
  local units = part.tensor_cores and "Tensor Cores" or "the others"
  print(("  %2d channels: %s"):format(channels, units))
  assert(part.tensor_cores == (channels == 64))
end

-- 4. Arithmetic intensity -------------------------------------------------------------------------
-- Tensor Cores help who computes much. Most work does not: it reads numbers, does little with them,
-- and writes them back. How much is done for each byte that is moved is called the arithmetic
-- intensity. tide.explain has it for each kernel, as FLOP/byte.
heading "4. Operations for each byte"

local x = tide.randn(size, size, {device = device})
tide.synchronize()

--- The intensity of what fn does, which has to be one kernel.
local function intensity_of(fn)
  local explanation = tide.explain(fn)
  assert(#explanation == 1)
  return explanation[1].intensity
end

local a, b = tide.randn(size, size, {device = device}), tide.randn(size, 8, {device = device})
local c = tide.randn(size, size, {device = device})
tide.synchronize()
local works = {
  {"x + 1", intensity_of(function() return x + 1 end)},
  {"((x + 1) * x - 2) / (x * x + 1)", intensity_of(function()
    return ((x + 1) * x - 2) / (x * x + 1)
  end)},
  {"a:matmul(b), with 8 columns", intensity_of(function() return a:matmul(b) end)},
  {"a:matmul(c), square", intensity_of(function() return a:matmul(c) end)},
}
for _, work in ipairs(works) do print(("  %-34s %8.3f FLOP/byte"):format(work[1], work[2])) end

-- x + 1 reads 4 bytes and writes 4, for one addition.
assert(works[1][2] == 1 / 8)
-- Six operations in one kernel read and write as little: that is what fusing wins.
assert(works[2][2] == 6 / 8)
-- A product of n x n does 2 n^3 operations with 3 n^2 numbers: the larger, the more for each byte.
assert(works[4][2] == 2 * size ^ 3 / (3 * size ^ 2 * 4))

-- 5. The roofline ---------------------------------------------------------------------------------
-- A card cannot compute faster than its peak, nor faster than numbers arrive. So the rate is at
-- most the smaller of peak and bandwidth * intensity. Drawn over the intensity that is a roof: it
-- climbs, and from its ridge on it is flat.
heading "5. The roof of a T4"

local _, t4 = part_on("T4", "matmul", product "float32")
local bandwidth = t4.bandwidth
local peaks = {t4.peaks.float32 * 1e12, t4.tensor.float16 * 1e12}
local function roof(peak, intensity) return math.min(peak, bandwidth * intensity) end

local figure = tide.plot.figure {
  title = "T4: GFLOP/s at most", xlabel = "FLOP/byte", xscale = "log", yscale = "log",
}
local labels = {"float32", "Tensor Cores, float16"}
for i, peak in ipairs(peaks) do
  local ridge = peak / bandwidth
  print(("  %-22s %6.1f TFLOP/s, reached from %4.0f FLOP/byte on"):format(labels[i], peak / 1e12,
    ridge))
  local intensities, rates = {0.1, ridge, 1000}, {}
  for k, intensity in ipairs(intensities) do rates[k] = roof(peak, intensity) / 1e9 end
  figure:line(intensities, rates, {label = labels[i], linestyle = i == 1 and "-" or "--"})
end
for _, work in ipairs(works) do -- the four of section 4, each from below up to the roof
  figure:line({work[2], work[2]}, {10, roof(peaks[1], work[2]) / 1e9}, {linestyle = ":"})
end
figure:legend "upper left":show()

-- The first three are left of the ridge: the memory bounds them, and no unit however fast would
-- help. They win by moving less: half types halve the bytes, fused ops move them once, and larger
-- batches make products of vectors products of matrices.
for i, work in ipairs(works) do
  local bound = work[2] < peaks[1] / bandwidth and "memory" or "compute"
  print(("  %-34s %6.1f %% of the peak at best: bound by %s"):format(work[1],
    100 * roof(peaks[1], work[2]) / peaks[1], bound))
  assert(not large or bound == (i < 4 and "memory" or "compute"))
end

-- tide.estimate computes in just this way, with the cost of a launch as the third bound.
local estimated = part_on("T4", "matmul", function() return a:matmul(c) end)
assert(not large or estimated.bound == "compute")
estimated = part_on("T4", "matmul", function() return a:matmul(b) end)
assert(estimated.bound ~= "compute")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
`tide lesson 23 --exercises > mine.lua` makes a script of three functions to complete. Run it with
`tide mine.lua`: it says which are solved, and gives a hint for the others.

1. fitting(a, b) is the product of two matrices of float16 whose sizes do not fit. Let the Tensor
   Cores do it.
2. product_intensity(m, k, n, bytes) is the intensity of a product of (m, k) and (k, n), whose
   elements have this number of bytes. Write it.
3. attainable(card, dtype, intensity) is the rate at most, in FLOP/s, on a described card: under
   its roof. Write it, for products whose sizes fit.

`tide lesson 23 --answers` shows answers.]]
