-- Tests every row of rows/: values, gradients, views, types and devices of the elementwise ops.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local F = tide.nn.functional

local kCount = 24

--- Numbers in from..to that avoid halves and zero.
local function spread(row, seed)
  local list = {}
  for i = 1, kCount do
    local share = ((i * 0.6180339887 + seed * 0.37) % 1 + 0.013) / 1.03
    list[i] = row.from + (row.to - row.from) * share
  end
  return list
end

local function expected(row, lists)
  local result = {}
  for i = 1, kCount do
    result[i] = lists[2] and row.reference(lists[1][i], lists[2][i]) or row.reference(lists[1][i])
  end
  return result
end

local function tensors(lists, dtype, device)
  local result = {}
  for i, list in ipairs(lists) do
    result[i] = tide.tensor(list, {dtype = dtype, device = device})
  end
  return table.unpack(result)
end

--- The inputs as every second column of a transposed matrix: no stride is 1.
local function strided(lists, device)
  local result = {}
  for i, list in ipairs(lists) do
    local doubled = {}
    for k, value in ipairs(list) do doubled[2 * k - 1], doubled[2 * k] = value, value end
    local matrix = tide.tensor(doubled, {dtype = "float64", device = device}):reshape(2, kCount)
    result[i] = matrix:reshape(kCount // 2, 4):transpose(1, 2)[{{1, -1, 2}}]
  end
  return table.unpack(result)
end

--- Asserts that fn of numbers of a half type equals the reference rounded to that type; the
--- last bit may differ, as fn computes in float32.
local function check_half(row, fn, lists, dtype, device)
  local inputs, wide = table.pack(tensors(lists, dtype, device)), {}
  for i, x in ipairs(inputs) do wide[i] = x:tolist() end
  local got = fn(table.unpack(inputs))
  test.equal(got.dtype, dtype)
  local right = tide.tensor(expected(row, wide), {dtype = "float64"}):to(dtype)
  test.close(got, right, {rtol = tide.finfo(dtype).eps, atol = 2e-6})
end

local function test_row(row, fn, arity, device)
  local lists = {}
  for i = 1, arity do lists[i] = spread(row, i) end

  it(row.op .. " has the values of its reference", function()
    test.close(fn(tensors(lists, "float64", device)), expected(row, lists), {rtol = 1e-12,
      atol = 1e-12})
    test.close(fn(tensors(lists, "float32", device)), expected(row, lists), {rtol = 2e-5,
      atol = 2e-6})
  end)
  it(row.op .. " reads strided views", function()
    local views = table.pack(strided(lists, device))
    local dense = {}
    for i = 1, arity do dense[i] = views[i]:contiguous() end
    test.identical(fn(table.unpack(views)), fn(table.unpack(dense)))
  end)
  it(row.op .. " has the values of its reference in float16 and bfloat16", function()
    check_half(row, fn, lists, "float16", device)
    check_half(row, fn, lists, "bfloat16", device)
  end)
  if row.gradient ~= false then
    it(row.op .. " has the gradient of finite differences", function()
      check_gradient(fn, tensors(lists, "float64", device))
    end)
  end
end

for family, arity in pairs {unary = 1, binary = 2, activations = 1} do
  local rows = dofile(("%s/../rows/%s.lua"):format(here, family))
  local functions = family == "activations" and F or tide
  describe(family .. " ops", function(device)
    for _, row in ipairs(rows) do test_row(row, functions[row.op], arity, device) end
  end)
end
