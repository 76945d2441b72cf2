-- What the devices of this machine can do at most: measured once, kept in the cache folder.
local json = require "tide.internal.json"
local native = require "tide.native"
local tide = require "tide"
local with_decimal_point = require "tide.internal.with_decimal_point"

local peaks = {}

--- The file, and its folder in the kernel cache, which is trimmed except for folders; nil without a
--- cache.
local function path()
  local cache = native.profiler.cache_folder()
  if not cache or native.file_kind(cache) ~= "folder" then return nil end
  return cache .. "/devices/peaks.json", cache .. "/devices"
end

--- What names a device in the file: another machine may share the folder.
local function key_of(device)
  return ("%s: %s"):format(device, native.profiler.device_name(device))
end

local function read()
  local file = path() and io and io.open(path(), "r")
  if not file then return {} end
  local text = file:read "a"
  file:close()
  local known = json.decode(text)
  return type(known) == "table" and known or {}
end

local write = with_decimal_point(function(known)
  local keys, lines = {}, {}
  for key in pairs(known) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    local one = known[key]
    lines[i] = ('  %s: {"bandwidth": %.6g, "flops": %.6g, "launch_ms": %.6g}'):format(
      json.quoted(key), one.bandwidth, one.flops, one.launch_ms)
  end
  local file, folder = path()
  native.make_folders(folder)
  native.write_file(file, "{\n" .. table.concat(lines, ",\n") .. "\n}\n")
end)

--- What was measured of a device, by its name: bandwidth in bytes a second, flops in float32 a
--- second, launch_ms of the shortest kernel; nil if nothing was.
function peaks.of(name)
  local found, device = pcall(tide.device, name)
  if not found then return nil end
  local one = read()[key_of(device)]
  return type(one) == "table" and one.bandwidth and one.flops and one.launch_ms and one or nil
end

--- The shortest time of fn() in seconds.
local function shortest(device, fn)
  local best = math.huge
  for _ = 1, 3 do
    best = math.min(best, tide.benchmark(fn, {warmup = 1, repeats = 3, device = device}).device_ms)
  end
  return best / 1e3
end

local kElements <const> = 1 << 25 -- 128 MB: more than caches hold
local kOrder <const> = {cpu = 2048, sim = 1024, cuda = 8192}

local function measure(device)
  local on = {device = device}
  local x = tide.ones(kElements, on)
  local bandwidth = 2 * 4 * kElements / shortest(device, function() return x + 1 end)
  x:free()
  local n = kOrder[device.type]
  local a, b = tide.ones(n, n, on), tide.ones(n, n, on)
  local flops = 2 * n ^ 3 / shortest(device, function() return a:matmul(b) end)
  local small = tide.ones(1, on)
  local p = tide.profile(function()
    tide.eager(function() for _ = 1, 100 do small = small + 1 end end)
  end)
  local row = p:table{by = "kernel", sort = "calls"}[1]
  return {bandwidth = bandwidth, flops = flops, launch_ms = row.device_ms / row.calls}
end

--- Measures all devices and keeps the figures. Returns them as text.
function peaks.measure()
  local known, lines = read(), {}
  for _, device in ipairs(tide.devices()) do
    local one = measure(device)
    known[key_of(device)] = one
    lines[#lines + 1] = ("%-28s %8.1f GB/s %10.1f GFLOP/s   shortest kernel %.1f us"):format(
      key_of(device), one.bandwidth / 1e9, one.flops / 1e9, one.launch_ms * 1e3)
  end
  if not path() then
    lines[#lines + 1] = "kept nowhere: there is no cache folder (TIDE_CACHE_DIR)"
    return table.concat(lines, "\n")
  end
  write(known)
  lines[#lines + 1] = "kept in " .. (path())
  return table.concat(lines, "\n")
end

return peaks
