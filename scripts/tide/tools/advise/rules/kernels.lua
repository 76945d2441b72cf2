-- Rules on the devices' work: sizes, types, layouts, shapes.
local site = require "tide.tools.advise.site"
local tensor_cores = require "tide.tools.estimate.tensor_cores"

local kHalf <const> = 0.5           -- of a matmul's time, assumed to be saved by suitable sizes
local kChannelsLast <const> = 0.2   -- of a convolution's time
local kSmallBytes <const> = 4096    -- less than this is treated as a scalar
local kLittleWork <const> = {bytes = 1 << 18, flops = 1e7} -- for one launch
local kManyLaunches <const>, kMany <const> = 64, 8

local function is_accelerator(device) return device ~= nil and device ~= "cpu" end

local kNarrow <const> = {float32 = true, float16 = true, bfloat16 = true}

local function computes_narrow(facts)
  for _, part in ipairs(facts.parts) do
    if kNarrow[part.dtype] and part.bytes / part.calls >= kSmallBytes then return true end
  end
  return false
end

--- The number of a device's launches with little work, and the line with most of them.
local function small_launches(device, facts)
  local count, by_line, most = 0, {}, nil
  for _, part in ipairs(facts.parts) do
    local small = part.bytes / part.calls < kLittleWork.bytes
      and part.flops / part.calls < kLittleWork.flops
    if part.device == device.name and part.kind ~= "transfer" and small then
      local key = site.key(part)
      local line = by_line[key] or {file = part.file, line = part.line, calls = 0}
      line.calls, by_line[key], count = line.calls + part.calls, line, count + part.calls
      if part.file and (not most or line.calls > most.calls) then most = line end
    end
  end
  return count, most
end

return {
  {
    name = "sizes of Tensor Cores", looks_at = "parts",
    text = "%s of %s: %s: not a multiple of %d",
    fix = "the sizes in parentheses use the Tensor Cores: pad, or choose layers of these sizes",
    find = function(part, facts)
      -- The sizes of backward follow from those of forward.
      if not is_accelerator(part.device) or facts.backwards[site.key(part)] then return nil end
      local text, tile = tensor_cores.misfits(part)
      if not text then return nil end
      return kHalf * part.device_ms, part.name, part.dtype, text, tile
    end,
  },
  {
    name = "channels not last", looks_at = "parts",
    text = "a convolution on %s reads images with their channels first",
    fix = "net:to{memory_format = \"channels_last\"}, also for the images",
    find = function(part, facts)
      if part.name ~= "conv2d" or not part.device:find "^cuda" then return nil end
      local images = part.inputs[1]
      local fits = images.channels_last or images[2] == 1
      if fits or facts.backwards[site.key(part)] then return nil end
      return kChannelsLast * part.device_ms, part.device
    end,
  },
  {
    name = "float64 by accident", looks_at = "parts",
    text = "%s computes in float64, while other parts use narrower types",
    fix = "x:float(): float32 moves half the bytes; most GPUs compute float64 far slower",
    find = function(part, facts)
      if part.dtype ~= "float64" or part.bytes / part.calls < kSmallBytes then return nil end
      if computes_narrow(facts) then return part.device_ms / 2, part.name end
    end,
  },
  {
    name = "too little work", looks_at = "devices",
    text = "%d of %d launches on %s have little to do, and the device is idle",
    fix = "larger batches, or entire tensors instead of loops, give each launch more work",
    find = function(device, facts)
      if not is_accelerator(device.name) or device.launches < kManyLaunches then return nil end
      local count, line = small_launches(device, facts)
      local unexplained = facts.wall_ms - device.busy_ms - facts.wait_ms - facts.loader_ms
      if count < 0.8 * device.launches or unexplained < 0.5 * facts.wall_ms then return nil end
      device.file, device.line = line and line.file, line and line.line
      return unexplained / 2, count, device.launches, device.name
    end,
  },
  {
    name = "changing shapes", looks_at = "making",
    text = "%d %s are made for this line, because its shapes or ops change",
    fix = "keep shapes the same: drop_last = true in loaders, sequences padded to a few lengths",
    find = function(row)
      -- Early plans belong to the first step.
      local made = row.name == "plan" and row.late or row.calls
      if made < kMany then return nil end
      return row.host_ms * (1 - 1 / row.calls), row.calls,
        row.name == "plan" and "plans" or ("kernels (%s)"):format(row.kernel)
    end,
  },
}
