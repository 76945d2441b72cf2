-- Peak rates of accelerators, from the vendor's data sheets.
--
-- called is a part of the card's name in the driver. memory is in bytes, bandwidth and link in bytes
-- per second; link is one direction of PCIe. Peaks are in 1e12 operations per second, without
-- sparsity, with products of half types summed in float32: those of the Tensor Cores (tensor), and
-- of the other cores, which run all other work and sizes. Types that a card lacks run as float32.
--
-- launch and latency are the seconds of an empty kernel and an empty copy. Data sheets do not have
-- them: they are assumptions about typical drivers. `tests/gpu/run` measures them.
local kind_of = require "tide.internal.kind_of"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

local GB <const>, TB <const>, us <const> = 1e9, 1e12, 1e-6

local cards = {
  -- NVIDIA H200 Tensor Core GPU, data sheet, H200 SXM.
  ["H200"] = {
    called = "H200",
    memory = 141 * GB, bandwidth = 4.8 * TB, link = 64 * GB, launch = 3 * us, latency = 8 * us,
    peaks = {float64 = 34, float32 = 67},
    tensor = {float16 = 989.5, bfloat16 = 989.5, int8 = 1979, float8_e4m3fn = 1979, float8_e5m2 = 1979},
  },
  -- NVIDIA H100 Tensor Core GPU, data sheet, H100 SXM.
  ["H100 SXM"] = {
    called = "H100 80GB HBM3",
    memory = 80 * GB, bandwidth = 3.35 * TB, link = 64 * GB, launch = 3 * us, latency = 8 * us,
    peaks = {float64 = 34, float32 = 67},
    tensor = {float16 = 989.5, bfloat16 = 989.5, int8 = 1979, float8_e4m3fn = 1979, float8_e5m2 = 1979},
  },
  -- NVIDIA A100 Tensor Core GPU, data sheet, A100 80GB SXM.
  ["A100 80GB"] = {
    called = "A100-SXM4-80GB",
    memory = 80 * GB, bandwidth = 2.039 * TB, link = 32 * GB, launch = 4 * us, latency = 10 * us,
    peaks = {float64 = 9.7, float32 = 19.5}, tensor = {float16 = 312, bfloat16 = 312, int8 = 624},
  },
  -- NVIDIA HGX B200, data sheet, figures for a single GPU.
  ["B200"] = {
    called = "B200",
    memory = 180 * GB, bandwidth = 7.7 * TB, link = 64 * GB, launch = 3 * us, latency = 8 * us,
    peaks = {float64 = 37, float32 = 75},
    tensor = {float16 = 2250, bfloat16 = 2250, int8 = 4500, float8_e4m3fn = 4500, float8_e5m2 = 4500},
  },
  -- NVIDIA L40S, data sheet; float64: NVIDIA Ada GPU architecture, white paper (1/64 of float32).
  ["L40S"] = {
    called = "L40S",
    memory = 48 * GB, bandwidth = 0.864 * TB, link = 32 * GB, launch = 4 * us, latency = 10 * us,
    peaks = {float64 = 1.43, float32 = 91.6},
    tensor = {float16 = 362, bfloat16 = 362, int8 = 733, float8_e4m3fn = 733, float8_e5m2 = 733},
  },
  -- NVIDIA Ada GPU architecture, white paper, appendix A.
  ["RTX 4090"] = {
    called = "RTX 4090",
    memory = 24 * GB, bandwidth = 1.008 * TB, link = 32 * GB, launch = 4 * us, latency = 10 * us,
    peaks = {float64 = 1.29, float32 = 82.6},
    tensor = {float16 = 165.2, bfloat16 = 165.2, int8 = 660.6, float8_e4m3fn = 330.3, float8_e5m2 = 330.3},
  },
  -- NVIDIA RTX Blackwell GPU architecture, white paper, appendix A.
  ["RTX 5090"] = {
    called = "RTX 5090",
    memory = 32 * GB, bandwidth = 1.792 * TB, link = 64 * GB, launch = 4 * us, latency = 10 * us,
    peaks = {float64 = 1.64, float32 = 104.8},
    tensor = {float16 = 209.5, bfloat16 = 209.5, int8 = 838, float8_e4m3fn = 419, float8_e5m2 = 419},
  },
  -- NVIDIA V100 Tensor Core GPU, data sheet, V100 SXM2 32GB. int8: four for each float32 (dp4a).
  ["V100"] = {
    called = "V100-SXM2-32GB",
    memory = 32 * GB, bandwidth = 0.9 * TB, link = 16 * GB, launch = 5 * us, latency = 10 * us,
    peaks = {float64 = 7.8, float32 = 15.7, int8 = 62.8}, tensor = {float16 = 125},
  },
  -- NVIDIA T4, data sheet; float64: NVIDIA Turing GPU architecture, white paper (1/32 of float32).
  ["T4"] = {
    called = "Tesla T4",
    memory = 16 * GB, bandwidth = 0.32 * TB, link = 16 * GB, launch = 5 * us, latency = 10 * us,
    peaks = {float64 = 0.25, float32 = 8.1}, tensor = {float16 = 65, int8 = 130},
  },
  -- NVIDIA Jetson AGX Orin, data sheet and technical brief, 64GB module, its GPU: half of the 170
  -- sparse TOPS are dense. The host shares the memory: a copy reads and writes it.
  ["Jetson AGX Orin"] = {
    called = "Orin",
    memory = 64 * GB, bandwidth = 0.2048 * TB, link = 102.4 * GB,
    launch = 8 * us, latency = 10 * us,
    peaks = {float64 = 0.08, float32 = 5.3}, tensor = {float16 = 42.5, bfloat16 = 42.5, int8 = 85},
  },
}

for name, card in pairs(cards) do card.name = name end

local function names()
  local list = {}
  for name in pairs(cards) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- The card with this name, or an error reported for `caller`.
local function find(caller, name)
  if cards[name] then return cards[name] end
  if type(name) ~= "string" then
    raise("%s: expected the name of a card, got %s: known are %s", caller, kind_of(name),
      table.concat(names(), ", "))
  end
  local near = nearest(name, cards)
  raise("%s: no card '%s' is described%s: known are %s", caller, name,
    near and ("; did you mean '%s'?"):format(near) or "", table.concat(names(), ", "))
end

return {find = find, names = names}
