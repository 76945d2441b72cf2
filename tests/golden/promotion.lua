-- Checks the result types of operators and methods against the tables of the golden promotion
-- cases.
local tide = require "tide"

local promotion = {}

local symbols = {["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["//"] = true,
  ["%"] = true, ["^"] = true}

--- The function of two operands that a table's key names.
local function binary(name)
  if symbols[name] then return load(("local x, y = ...; return x %s y"):format(name), "=case") end
  if name == "where" then
    return function(x, y) return tide.where(tide.ones({2}, {dtype = "bool"}), x, y) end
  end
  if name == "cat" or name == "stack" then
    return function(x, y) return tide[name]({x, y}) end
  end
  return function(x, y) return x[name](x, y) end
end

local function unary(name)
  return function(x) return name == "cumsum" and x:cumsum(1) or x[name](x) end
end

local function row(dtype) return tide.ones({2}, {dtype = dtype}) end

local function scalar(dtype) return tide.ones({}, {dtype = dtype}) end

-- Per table: how its operands are made from the types in its keys.
local tables = {
  tensor_tensor = {row, row},
  tensor_scalar_tensor = {row, scalar},
  scalar_tensor_tensor = {scalar, row},
  tensor_integer = {row, 1},
  tensor_float = {row, 1.5},
  integer_tensor = {1, row},
  float_tensor = {1.5, row},
  tensor = {row},
  inplace = {row, row},
  inplace_integer = {row, 1},
  inplace_float = {row, 1.5},
}

local function operand(maker, types)
  if type(maker) == "number" then return maker end
  return maker(table.remove(types, 1))
end

local function result_type(fn, makers, types)
  types = {table.unpack(types)}
  local a = operand(makers[1], types)
  local b = makers[2] and operand(makers[2], types)
  return fn(a, b).dtype
end

--- Runs all entries of all tables; calls report(words, status, message) for each.
function promotion.run(folder, lacking, report)
  local golden = dofile(folder .. "/promotion.lua")
  local function check(title, call, fn, makers, types, expected)
    local ok, got = pcall(result_type, fn, makers, types)
    local words = ("%s of %s"):format(title, table.concat(types, ", "))
    if not ok and lacking(call) then return report(words, "missing", got) end
    if not ok then got = "error: " .. tostring(got) end
    if got == expected or (not ok and expected == "error") then return report(words, "passed") end
    report(words, "failed", ("%s, expected %s"):format(got, expected))
  end
  for name, makers in pairs(tables) do
    for key, by_type in pairs(golden[name] or {}) do
      local fn = makers[2] and binary(key) or unary(key)
      local call = symbols[key] and "" or ("x:%s()"):format(key)
      for _, a in ipairs(golden.types) do
        local title = ("%s %s"):format(name, key)
        if type(by_type[a]) == "table" then
          for _, b in ipairs(golden.types) do check(title, call, fn, makers, {a, b}, by_type[a][b]) end
        else
          check(title, call, fn, makers, {a}, by_type[a])
        end
      end
    end
  end
end

return promotion
