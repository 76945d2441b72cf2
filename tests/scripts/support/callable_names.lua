-- All public callables, with their parameters in the reference.
local value_of = require "tide.reference.value_of"
local values = require "random_values"

local targets = {}

--- Functions that wait, or run an example for as long as requested, end the process, or make
--- all later calls fail on purpose.
local kLeftOut = {
  ["tide.sleep"] = true, ["tide.sim.configure"] = true, ["tide.benchmark"] = true,
  ["tide.args"] = true, ["tide.progress"] = true,
}

--- The parameters in "(x, dim?, {keepdim, dtype})": a list of {name, optional, rest}, and the list
--- of options.
local function parse(signature)
  local parameters, options = {}, nil
  local text = signature:match "%((.*)%)" or ""
  local inside = text:match "{(.*)}"
  if inside then
    options = {}
    for name in inside:gmatch "[%w_]+" do options[#options + 1] = name end
    text = text:gsub("{.*}", "")
  end
  for name in text:gmatch "[^,%s|]+" do
    parameters[#parameters + 1] = {
      name = name:gsub("[?.]", ""),
      optional = name:find("?", 1, true) ~= nil,
      rest = name:find("...", 1, true) ~= nil,
    }
  end
  return parameters, options
end

local function new_target(name, fn, signature, receiver)
  -- A gradient with a graph and its tensor reference each other until one is removed,
  -- as in PyTorch: that would count as kept memory.
  if name:find "backward$" then signature = signature:gsub(", create_graph", "") end
  local parameters, options = parse(signature)
  local target = {name = name, fn = fn, parameters = parameters, options = options,
    receiver = receiver}
  function target.text(arguments)
    local parts = {}
    for i = 1, arguments.n do parts[i] = values.text(arguments[i]) end
    return name .. "(" .. table.concat(parts, ", ") .. ")"
  end
  return target
end

--- Calls a method by name, as a script does.
local function method_call(name)
  return function(object, ...) return object[name](object, ...) end
end

local kOperators = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["//"] = function(a, b) return a // b end, ["%"] = function(a, b) return a % b end,
  ["^"] = function(a, b) return a ^ b end, ["&"] = function(a, b) return a & b end,
  ["|"] = function(a, b) return a | b end, ["~"] = function(a, b) return a ~ b end,
  ["<<"] = function(a, b) return a << b end, [">>"] = function(a, b) return a >> b end,
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  ["=="] = function(a, b) return a == b end, [".."] = function(a, b) return a .. b end,
  ["unary -"] = function(a) return -a end, ["unary ~"] = function(a) return ~a end,
  ["#"] = function(a) return #a end, ["call"] = function(a, ...) return a(...) end,
}

local kFields = {"shape", "dtype", "device", "grad", "requires_grad", "data", "T", "mT", "is_leaf", "ctx", "none"}

local function position() return values.random(-4, 5) end

local function index_entry()
  local kind = values.random(7)
  if kind <= 2 then return position() end
  if kind == 3 then return {} end
  if kind == 4 then return {position(), position()} end
  if kind == 5 then return {position(), position(), position()} end
  if kind == 6 then return values.random(2) == 1 and "..." or "new" end
  return values.arguments {parameters = {{name = values.random(2) == 1 and "index" or "mask"}}}[1]
end

local function index_key()
  if values.random(3) == 1 then return index_entry() end
  local key = {}
  for i = 1, values.random(0, 4) do key[i] = index_entry() end
  return key
end

--- Writes a field. A value that is not a tensor may be a class, which persists: the field is cleared again.
local function set_field(x, key, value)
  x[key] = value
  if type(x) == "table" then x[key] = nil end
end

local function add_operators(list)
  for name, fn in pairs(kOperators) do
    list[#list + 1] = new_target("operator " .. name, fn, "(x, value)")
    list[#list + 1] = new_target("operator " .. name .. " with tensor second", fn, "(value, x)")
  end
  for _ = 1, 20 do
    list[#list + 1] = new_target("x[...]", function(x) return x[index_key()] end, "(x)")
    list[#list + 1] = new_target("x[...] =", function(x, v) set_field(x, index_key(), v) end, "(x, value)")
    list[#list + 1] = new_target("x[...] = tensor", function(x, v) set_field(x, index_key(), v) end, "(x, y)")
    list[#list + 1] = new_target("x[odd]", function(x, v) return x[v] end, "(x, value)")
  end
  for _, field in ipairs(kFields) do
    list[#list + 1] = new_target("x." .. field, function(x) return x[field] end, "(x)")
    list[#list + 1] = new_target("x." .. field .. " =", function(x, v) set_field(x, field, v) end, "(x, y)")
  end
end

--- All targets whose name matches the pattern; `composed` are those written in Lua.
function targets.list(pattern)
  local all = {}
  for _, entry in ipairs(require "tide.reference") do
    local path = entry.called_as
    local receiver, method = path:match "^([%w_]+):([%w_]+)$"
    local fn = method and method_call(method) or value_of(path)
    local callable = type(fn) == "function" or
      type(fn) == "table" and (getmetatable(fn) or {}).__call ~= nil
    -- Assertions fail on purpose.
    if callable and not kLeftOut[path] and not path:find "^tide%.test%." then
      -- The receiver of methods of tensors is a parameter of the op.
      local target = new_target(path, fn, entry.signature)
      target.composed = entry.composed
      target.example = entry.example
      if method then target.receiver = receiver == "x" and values.tensor or values.object end
      all[#all + 1] = target
    end
  end
  add_operators(all)
  table.sort(all, function(a, b) return a.name < b.name end)
  local chosen = {}
  for _, target in ipairs(all) do
    if target.name:find(pattern) then chosen[#chosen + 1] = target end
  end
  return chosen
end

return targets
