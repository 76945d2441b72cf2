-- Rules on work of devices, applied to runs or to facts written by hand.
local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local on = dofile(here .. "/../support/advice_on.lua")
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_nil, is_true = test.equal, test.is_nil, test.is_true

local function finding(rule, fn)
  for _, found in ipairs(tide.advise(fn).findings) do
    if found.rule == rule then return found end
  end
end

local function product(dtype, m, k, n, device)
  return {
    name = "matmul", kind = "compute", device = device or "cuda:0", dtype = dtype,
    file = "a.lua", line = 7, calls = 1, device_ms = 4,
    bytes = 2 * (m * k + k * n + m * n), flops = 2 * m * k * n,
    inputs = {{m, k}, {k, n}}, outputs = {{m, n}},
  }
end

describe("advice on sizes", function()
  local rule <const> = "sizes of Tensor Cores"

  it("reports those unsuitable for Tensor Cores, and the next suitable ones", function()
    local found = on(rule, {parts = {product("float16", 64, 30, 10)}})
    equal(found.text, "matmul of float16: k = 30 (32), n = 10 (16): not a multiple of 8")
    equal(found.win_ms, 2.0)
    equal(on(rule, {parts = {product("int8", 40, 32, 24)}}).text,
      "matmul of int8: m = 40 (48), n = 24 (32): not a multiple of 16")
    local convolution = product("bfloat16", 8, 8, 8)
    convolution.name, convolution.inputs = "conv2d", {{1, 3, 9, 9}, {12, 3, 3, 3}}
    equal(on(rule, {parts = {convolution}}).text,
      "conv2d of bfloat16: input channels = 3 (8), output channels = 12 (16): not a multiple of 8")
  end)

  it("ignores suitable ones, other types, single rows, the cpu and backward", function()
    for _, part in ipairs {
      product("float16", 64, 32, 16), product("float32", 63, 31, 15), product("float16", 1, 32, 16),
      product("float16", 64, 30, 10, "cpu"),
    } do is_nil(on(rule, {parts = {part}})) end
    is_nil(on(rule, {parts = {product("float16", 64, 30, 10)}, backwards = {["a.lua:7"] = {}}}))
  end)

  it("reads them from a run", function()
    local a = tide.rand(64, 30, {device = "sim"}):half()
    local b = tide.rand(30, 16, {device = "sim"}):half()
    local found = finding(rule, function() return a:matmul(b):sum():item() end)
    equal(found.text, "matmul of float16: k = 30 (32): not a multiple of 8")
  end)
end)

describe("advice on layouts", function()
  local function convolution(device, images)
    local part = product("float16", 8, 8, 8, device)
    part.name, part.inputs = "conv2d", {images, {16, 8, 3, 3}}
    return {parts = {part}}
  end

  it("suggests channels last on cuda", function()
    local rule <const> = "channels not last"
    is_true(on(rule, convolution("cuda:0", {4, 8, 9, 9})) ~= nil)
    is_nil(on(rule, convolution("cuda:0", {4, 8, 9, 9, channels_last = true})))
    is_nil(on(rule, convolution("cuda:0", {4, 1, 9, 9})))
    is_nil(on(rule, convolution("sim:0", {4, 8, 9, 9})))
  end)

  it("finds sizes and layout in a run, for any layout of images", function()
    local x, w = tide.rand(2, 8, 5, 6), tide.rand(4, 8, 3, 3)
    local found = 0
    for _, format in ipairs {"contiguous_format", "channels_last"} do
      local images = x:to {memory_format = format}
      local function work() return tide.nn.functional.conv2d(images, w):sum():item() end
      local p = tide.profile(work)
      for _, part in ipairs(p.trace:rows "part") do
        if part.name == "conv2d" then
          found = found + 1
          equal({table.unpack(part.inputs[1])}, {2, 8, 5, 6})
          equal({table.unpack(part.inputs[2])}, {4, 8, 3, 3})
          equal(part.inputs[1].channels_last or false, format == "channels_last")
        end
      end
    end
    equal(found, 2)
  end)
end)

describe("advice on types", function(device)
  it("reports float64 with narrower types", function()
    local x = tide.rand(64, 64, {device = device})
    local rule <const> = "float64 by accident"
    local found = finding(rule, function()
      return (x:double() * 2):sum():item() + (x * 3):sum():item()
    end)
    is_true(found.text:find "computes in float64, while other parts use narrower types" ~= nil)
    local y = x:double()
    is_nil(finding(rule, function() return (y * 2):sum():item() end)) -- entirely float64: intended
    is_nil(finding(rule, function() return (x * 2):sum():double():item() end)) -- a number
  end)
end)

describe("advice on launches", function()
  local rule <const> = "too little work"

  local function facts(bytes, busy_ms)
    return {
      parts = {{
        name = "add", kind = "loop", device = "cuda:0", dtype = "float32", file = "a.lua", line = 3,
        calls = 100, device_ms = 1, bytes = 100 * bytes, flops = 100,
      }},
      devices = {{name = "cuda:0", launches = 100, device_ms = busy_ms, busy_ms = busy_ms}},
    }
  end

  it("reports a device that is idle between small launches", function()
    local found = on(rule, facts(1000, 1))
    equal(found.text, "100 of 100 launches on cuda:0 have little to do, and the device is idle")
    equal(found.line, 3)
    equal(found.win_ms, 4.5)
  end)

  it("ignores large launches, and a busy device", function()
    is_nil(on(rule, facts(1e6, 1)))
    is_nil(on(rule, facts(1000, 8)))
  end)
end)

local size = 40 -- the last size of new work: devices share plans

describe("advice on shapes", function(device)
  local rule <const> = "changing shapes"

  local weight = tide.rand(8, 8, {device = device})

  it("reports work that is planned again for each size", function()
    local at
    local found = finding(rule, function()
      for _ = 1, 20 do
        size = size + 1
        at = debug.getinfo(1, "l").currentline + 1
        tide.ones(size, 8, {device = device}):matmul(weight):sum():item()
      end
    end)
    equal(found.line, at)
    is_true(found.text:find "^%d+ plans are made for this line, because its shapes or ops change$" ~= nil)
  end)

  it("ignores constant sizes", function()
    is_nil(finding(rule, function()
      for _ = 1, 20 do
        tide.ones(64, 8, {device = device}):matmul(weight):sum():item()
      end
    end))
  end)

  it("reports kernels that are compiled again", function()
    local row = {name = "compile", kernel = "mul_sum", calls = 9, host_ms = 9}
    row.file, row.line = "a.lua", 3
    equal(on(rule, {making = {row}}).text,
      "9 kernels (mul_sum) are made for this line, because its shapes or ops change")
    row.calls = 3
    is_nil(on(rule, {making = {row}}))
  end)
end)
