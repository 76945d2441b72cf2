-- Facts about an op besides its row: the types it takes and returns, and whether it has a
-- gradient. They are found by recording the op's example with its tensors in each type: errors and
-- types of results are known before anything is computed.
local example = require "tide.reference.example"
local native = require "tide.native"
local tide = require "tide"

local facts = {}

local kGroups = {
  {name = "floating", "float32", "float64", "float16", "bfloat16"},
  {name = "float8", "float8_e4m3fn", "float8_e5m2"},
  {name = "integer", "int64", "int32", "int16", "int8", "uint8"},
  {name = "bool", "bool"},
}
local kCreators = {"tensor", "ones", "zeros", "full", "eye", "arange"}

--- The `tide` of an example whose tensors `change` replaces.
local function changed_tide(change)
  local count = 0
  local creators = {}
  for _, name in ipairs(kCreators) do
    creators[name] = function(...)
      count = count + 1
      return change(tide[name](...), count)
    end
  end
  return setmetatable(creators, {__index = tide})
end

--- Records an example with other tensors in the place of those that it makes: change(tensor, its
--- number). Gives its first result, or nil if it was refused.
function facts.record(code, change)
  local run = example.load(code, example.environment {tide = changed_tide(change)})
  local state = tide.get_rng_state()
  local accepted, result = native.trial(run)
  tide.set_rng_state(state)
  if not accepted then return nil end
  if type(result) == "table" and tide.is_tensor(result[1]) then return result[1] end
  return result
end

-- Which of an example's tensors are converted: all that share the first one's type, or, where that
-- is refused, the first one alone (others may hold positions).
local kSharing <const>, kFirst <const>, kNone <const> = 1, 2, 3

--- A `change` for `record`: converts the tensors chosen, and then hands them to `prepare`.
local function converting(choice, dtype, prepare)
  local first
  return function(x, number)
    first = first or x.dtype
    local chosen = choice == kSharing and x.dtype == first or choice == kFirst and number == 1
    return prepare(chosen and x:to(dtype) or x)
  end
end

--- The type of the result if the example's tensors are of type `dtype`; nil if it is refused.
local function result_type(code, dtype)
  for _, choice in ipairs {kSharing, kFirst} do
    local result = facts.record(code, converting(choice, dtype, function(x) return x end))
    if result ~= nil then return tide.is_tensor(result) and result.dtype or type(result) end
  end
end

local function with_gradient(x) return x:is_floating_point() and x:requires_grad_() or x end

local function has_gradient(code)
  for _, choice in ipairs {kSharing, kFirst, kNone} do
    local result = facts.record(code, converting(choice, "float32", with_gradient))
    if tide.is_tensor(result) and result.requires_grad then return true end
  end
  return false
end

--- Types with one outcome: {"floating", "bool", becomes = "float32"}; becomes nil: they stay.
local function outcomes(code)
  local list = {}
  local function add(word, becomes)
    -- Among types that become bool, bool itself is not an exception.
    for _, outcome in ipairs(list) do
      if outcome.becomes == word then becomes = word end
    end
    for _, outcome in ipairs(list) do
      if outcome.becomes == becomes then
        outcome[#outcome + 1] = word
        return
      end
    end
    list[#list + 1] = {word, becomes = becomes}
  end
  for _, group in ipairs(kGroups) do
    local becomes, common, kept = {}, nil, true
    for _, dtype in ipairs(group) do
      becomes[dtype] = result_type(code, dtype) or "refused"
      common = common or becomes[dtype]
      if becomes[dtype] ~= common then common = "several" end
      kept = kept and becomes[dtype] == dtype
    end
    if kept or common ~= "several" then
      if common ~= "refused" then add(group.name, not kept and common or nil) end
    else
      for _, dtype in ipairs(group) do
        local own = becomes[dtype]
        if own ~= "refused" then add(dtype, own ~= dtype and own or nil) end
      end
    end
  end
  return list
end

--- "floating; integer, bool -> float32".
local function types_text(code)
  local parts = {}
  for _, outcome in ipairs(outcomes(code)) do
    if #outcome == #kGroups and not outcome.becomes then return "any" end
    local words = #outcome == #kGroups and "any" or table.concat(outcome, ", ")
    parts[#parts + 1] = outcome.becomes and words .. " -> " .. outcome.becomes or words
  end
  return table.concat(parts, "; ")
end

local function shape_text(x) return "(" .. table.concat(x.shape, ", ") .. ")" end

--- The shapes of the example's tensors and of what comes out: "(2, 3), (3) -> (2)".
local function shapes_text(code)
  local given = {}
  local result = facts.record(code, function(x)
    given[#given + 1] = shape_text(x)
    return x
  end)
  local gives = tide.is_tensor(result) and shape_text(result) or type(result)
  return table.concat(given, ", ") .. " -> " .. gives
end

--- The code of an example without what it asks of the result: `.shape`, `.dtype`, ...
function facts.plain_code(text)
  return (example.split(text):gsub("%.[%a_]+$", ""))
end

local kTensorKinds = {tensor = true, ["tensor or number"] = true, ["table of tensors"] = true}

--- The name of the argument that facts describe, the first; nil if it is not a tensor.
local function subject(entry)
  if not entry.row then return nil end
  if entry.called_as:find "^x:" then return "x" end
  local first = entry.row[1]
  return first and kTensorKinds[first.kind] and first.name
end

local known = {}

--- The facts of an entry: {subject, types, gradient, shapes, waits}; nil except for ops on
--- tensors.
function facts.of(entry)
  local name = subject(entry)
  if not name then return nil end
  local code = facts.plain_code(entry.example)
  known[code] = known[code] or {
    types = types_text(code), gradient = has_gradient(code), shapes = shapes_text(code),
  }
  return {
    subject = name, types = known[code].types, gradient = known[code].gradient,
    shapes = known[code].shapes, waits = facts.waits(entry),
  }
end

--- Whether calls wait for the device. They do not, unless the row says so in words.
function facts.waits(entry) return entry.doc:find "%f[%a]waits%f[%A]" ~= nil end

--- The facts as a line: "types of x: floating; integer, bool -> float32. Gradient: yes. Waits: no".
function facts.text(entry)
  local found = facts.of(entry)
  if not found then return nil end
  return ("types of %s: %s. Gradient: %s. Waits: %s"):format(found.subject, found.types,
    found.gradient and "yes" or "no", found.waits and "yes" or "no")
end

return facts
