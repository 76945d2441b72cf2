-- Compares tensors, numbers and tables, and reports where and by how much they differ.
local raise = require "tide.internal.raise"
local tide = require "tide"

local compare = {}

local kDeepest <const> = 150

--- Adds the table `value` to `path`, the list and set of the tables around it. Raises an error if it contains itself
--- or is nested too deeply.
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
    -- Numbers are handled without a call for each: rows may be long.
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

local function is_list(value) return type(value) == "table" and not tide.is_tensor(value) end

--- The sizes of a tensor, or of nested lists, according to their first elements.
local function shape_of(value)
  local shape = {}
  while is_list(value) do
    shape[#shape + 1], value = #value, value[1]
  end
  if tide.is_tensor(value) then table.move(value.shape, 1, #value.shape, #shape + 1, shape) end
  return shape
end

--- Whether a list is empty, which leaves further sizes open.
local function is_empty_list(value) return is_list(value) and #value == 0 end

--- Describes the difference between the shapes and, if `types`, the dtypes of two values; nil if they are equal. A list
--- has the shape of a tensor made of it, and no dtype.
local function form_difference(got, expected, types)
  if is_list(got) and is_list(expected) then
    for i = 1, math.min(#got, #expected) do
      if type(got[i]) ~= "number" or type(expected[i]) ~= "number" then
        local form = form_difference(got[i], expected[i], types)
        if form then return ("[%d]: %s"):format(i, form) end
      end
    end
    return nil
  end
  local tensors = (tide.is_tensor(got) and 1 or 0) + (tide.is_tensor(expected) and 1 or 0)
  if tensors == 0 then return nil end
  local a, b = shape_text(shape_of(got)), shape_text(shape_of(expected))
  local empty = is_empty_list(got) or is_empty_list(expected)
  if a ~= b and not (empty and #elements(got) == #elements(expected)) then
    return ("shape %s, expected %s"):format(a, b)
  end
  if types and tensors == 2 and got.dtype ~= expected.dtype then
    return ("type %s, expected %s"):format(got.dtype, expected.dtype)
  end
end

local function is_number(value) return type(value) == "number" end

local function is_nan(value) return value ~= value end

--- Whether two values agree within the tolerances; nan agrees with nan, and infinities with those of the same sign.
local function near(a, b, rtol, atol)
  if not (is_number(a) and is_number(b)) then return a == b end
  if a == b or (is_nan(a) and is_nan(b)) then return true end
  return math.abs(a - b) <= atol + rtol * math.abs(b) and math.abs(b) < math.huge
end

--- The text of a value in messages.
local function show(value)
  return math.type(value) == "float" and ("%.9g"):format(value) or tostring(value)
end

compare.show = show

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

--- nil if all elements of `got` are within atol + rtol * |expected| of those expected, else the difference. Shapes must
--- be equal, and the types of two tensors too if `types` is true.
function compare.close(got, expected, rtol, atol, types)
  local a, b = elements(got), elements(expected) -- first, because it raises an error for lists that contain themselves
  return form_difference(got, expected, types)
    or differing(a, b, function(x, y) return near(x, y, rtol, atol) end)
end

--- nil if two tensors have the same type, shape and bits (except the payload of nan), else the
--- difference.
function compare.identical(got, expected)
  local a, b = elements(got), elements(expected)
  return form_difference(got, expected, true) or differing(a, b, function(x, y)
    if is_nan(x) then return is_nan(y) end
    -- The sign of zero shows only in its reciprocal.
    return x == y and (x ~= 0 or 1 / x == 1 / y)
  end)
end

--- The difference between two values; `path` are the tables of `expected` around them. With `types`
--- integers and floats differ.
local function difference_between(got, expected, types, path)
  local tensors = (tide.is_tensor(got) and 1 or 0) + (tide.is_tensor(expected) and 1 or 0)
  if tensors == 2 then return compare.close(got, expected, 0, 0, true) end
  if tensors == 0 and type(got) == "table" and type(expected) == "table" then
    enter(path, expected)
    for key, value in pairs(expected) do
      local difference = difference_between(got[key], value, types, path)
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
  if got == expected and not (types and math.type(got) ~= math.type(expected)) then return nil end
  if got ~= got and expected ~= expected then return nil end
  local text, wanted = show(got), show(expected)
  if text == wanted then
    text = ("%s (%s)"):format(text, math.type(got) or type(got))
    wanted = ("%s (%s)"):format(wanted, math.type(expected) or type(expected))
  end
  return ("%s, expected %s"):format(text, wanted)
end

--- nil if `got` equals `expected`, else the difference: tensors are compared by type, shape and
--- values, tables by contents, other values by `==`.
function compare.equal(got, expected) return difference_between(got, expected, false, {}) end

--- As equal; Lua's integers and floats differ too.
function compare.same_type(got, expected) return difference_between(got, expected, true, {}) end

return compare
