-- Compares tensors, numbers and tables, and says where and by how much they differ.
local raise = require "tide.raise"
local tide = require "tide"

local compare = {}

local kDeepest <const> = 150

--- Notes that `value` lies in the tables of `path`, a list that knows its members too; an error if it
--- contains itself or lies too deep.
local function enter(path, value)
  if path[value] then raise "a table that contains itself cannot be compared" end
  if #path == kDeepest then raise("tables in more than %d others cannot be compared", kDeepest) end
  path[#path + 1], path[value] = value, true
end

local function leave(path, value) path[#path], path[value] = nil, nil end

local function add_elements(value, list, path)
  if tide.is_tensor(value) then value = value:tolist() end
  if type(value) ~= "table" then
    list[#list + 1] = value
    return
  end
  enter(path, value)
  for i = 1, #value do
    -- No call for each of the numbers: rows may be long.
    local inner = value[i]
    if type(inner) == "number" then list[#list + 1] = inner else add_elements(inner, list, path) end
  end
  leave(path, value)
end

--- The elements of a tensor or of nested tables in row-major order, as Lua values.
function compare.elements(value)
  local list = {}
  add_elements(value, list, {})
  return list
end
local elements = compare.elements

local function shape_text(shape) return "(" .. table.concat(shape, ", ") .. ")" end

--- The difference between the shapes and, if `types`, the dtypes of two tensors in words; nil if
--- there is none.
local function form_difference(got, expected, types)
  if not (tide.is_tensor(got) and tide.is_tensor(expected)) then return nil end
  local a, b = shape_text(got.shape), shape_text(expected.shape)
  if a ~= b then return ("shape %s, expected %s"):format(a, b) end
  if types and got.dtype ~= expected.dtype then
    return ("type %s, expected %s"):format(got.dtype, expected.dtype)
  end
end

local function is_number(value) return type(value) == "number" end

local function is_nan(value) return value ~= value end

--- Whether two values agree within the tolerances; nan agrees with nan, infinities with their like.
local function near(a, b, rtol, atol)
  if not (is_number(a) and is_number(b)) then return a == b end
  if a == b or (is_nan(a) and is_nan(b)) then return true end
  return math.abs(a - b) <= atol + rtol * math.abs(b) and math.abs(b) < math.huge
end

local function show(value)
  return math.type(value) == "float" and ("%.9g"):format(value) or tostring(value)
end

local function differing(a, b, agree)
  if #a ~= #b then return ("%d elements, expected %d"):format(#a, #b) end
  local first, count, worst = nil, 0, 0
  for i = 1, #b do
    if not agree(a[i], b[i]) then
      first, count = first or i, count + 1
      if is_number(a[i]) and is_number(b[i]) then
        local distance = math.abs(a[i] - b[i])
        if distance > worst then worst = distance end
      end
    end
  end
  if not first then return nil end
  local text = ("element %d is %s, expected %s"):format(first, show(a[first]), show(b[first]))
  if #b == 1 then return text end
  return ("%s (%d of %d differ, by up to %.3g)"):format(text, count, #b, worst)
end

--- nil if all elements of `got` are within atol + rtol * |expected| of those expected, else what
--- differs. Shapes must be equal where both are tensors, and types too if `types` is true.
function compare.close(got, expected, rtol, atol, types)
  local form = form_difference(got, expected, types)
  if form then return form end
  return differing(elements(got), elements(expected), function(a, b)
    return near(a, b, rtol, atol)
  end)
end

--- nil if two tensors have the same type, shape and bits (up to the payload of nan), else what
--- differs.
function compare.identical(got, expected)
  local form = form_difference(got, expected, true)
  if form then return form end
  return differing(elements(got), elements(expected), function(a, b)
    if is_nan(a) then return is_nan(b) end
    -- The sign of zero shows only in its reciprocal.
    return a == b and (a ~= 0 or 1 / a == 1 / b)
  end)
end

--- What differs between two values; `path` are the tables of `expected` around them.
local function difference_between(got, expected, path)
  local tensors = (tide.is_tensor(got) and 1 or 0) + (tide.is_tensor(expected) and 1 or 0)
  if tensors == 2 then return compare.close(got, expected, 0, 0, true) end
  if tensors == 0 and type(got) == "table" and type(expected) == "table" then
    enter(path, expected)
    for key, value in pairs(expected) do
      local difference = difference_between(got[key], value, path)
      if difference then return ("[%s]: %s"):format(tostring(key), difference) end
    end
    for key, value in pairs(got) do
      if expected[key] == nil then
        return ("[%s]: %s, expected nil"):format(tostring(key), show(value))
      end
    end
    leave(path, expected)
    return nil
  end
  if got == expected and math.type(got) == math.type(expected) then return nil end
  if got ~= got and expected ~= expected then return nil end
  local text, wanted = show(got), show(expected)
  if text == wanted then
    text = ("%s (%s)"):format(text, math.type(got) or type(got))
    wanted = ("%s (%s)"):format(wanted, math.type(expected) or type(expected))
  end
  return ("%s, expected %s"):format(text, wanted)
end

--- nil if `got` equals `expected`: tensors by type, shape and values, tables by contents, all else
--- by `==`.
function compare.equal(got, expected) return difference_between(got, expected, {}) end

return compare
