-- Kernels of a profile compared with the peak rates of the device.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local describe, it = test.describe, test.it

local kScript <const> = [[
local native = require "tide.native"
local x = tide.rand(1 << 16):sort()
x:exp():sum():item()
local function peak(bandwidth, flops, launch_ms)
  native.make_folders(native.profiler.cache_folder() .. "/devices")
  native.write_file(native.profiler.cache_folder() .. "/devices/peaks.json",
    ('{"cpu: %s": {"bandwidth": %g, "flops": %g, "launch_ms": %g}}'):format(
      native.profiler.device_name(tide.device "cpu"), bandwidth, flops, launch_ms))
end
local p = tide.profile(function() x:exp():sum():item() end)
local function bound() return p:table{by = "kernel"}[1].bound or "unknown" end
local words = {bound()}
peak(1, 1e30, 0) words[2] = bound()
peak(1e30, 1, 0) words[3] = bound()
peak(1e29, 1e30, 0) words[4] = bound()
peak(1e29, 1e30, 1e6) words[5] = bound()
native.write_file(native.profiler.cache_folder() .. "/devices/peaks.json", "{broken")
words[6] = bound()
print(table.concat(words, " "))
]]

describe("what bounds a kernel", function()
  local folder = own_folder()
  it("depends on the measured peaks of its device", function()
    local path = os.tmpname()
    test.finally(function() os.remove(path) end)
    local file = assert(io.open(path, "w"))
    file:write(kScript)
    file:close()
    local output = run(path, ("TIDE_CACHE_DIR='%s'"):format(folder()))
    test.equal(output, "unknown cache compute memory launch unknown\n")
  end)
end)
