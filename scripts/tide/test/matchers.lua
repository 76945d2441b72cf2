-- Matchers: stand for arguments when the calls of a spy are checked.
local compare = require "tide.test.compare"

local matchers = {}

local Matcher = {}

local function new_matcher(matches) return setmetatable({matches = matches}, Matcher) end

--- Whether a value equals the expected one, or is accepted by a matcher given for it.
function matchers.agree(value, wanted)
  if getmetatable(wanted) == Matcher then return wanted.matches(value) end
  return rawequal(value, wanted) or compare.equal(value, wanted) == nil
end

local match = {_ = new_matcher(function() return true end)}

for _, name in ipairs {"boolean", "number", "string", "table", "nil", "userdata", "function",
  "thread"} do
  match["is_" .. name] = function() return new_matcher(function(v) return type(v) == name end) end
end
function match.is_true() return new_matcher(function(v) return v == true end) end
function match.is_false() return new_matcher(function(v) return v == false end) end
function match.is_truthy() return new_matcher(function(v) return v and true or false end) end
function match.is_falsy() return new_matcher(function(v) return not v end) end
function match.is_same(wanted)
  return new_matcher(function(v) return compare.equal(v, wanted) == nil end)
end
function match.is_equal(wanted) return new_matcher(function(v) return v == wanted end) end
function match.is_near(wanted, tolerance)
  return new_matcher(function(v) return compare.close(v, wanted, 0, tolerance) == nil end)
end
function match.matches(pattern)
  return new_matcher(function(v) return type(v) == "string" and v:find(pattern) ~= nil end)
end

-- match.is.number(), match.is_not_nil() and the like.
setmetatable(match, {__index = function(self, key)
  local positive = type(key) == "string" and key:match "^is_not_(.*)$"
  local make = positive and rawget(self, "is_" .. positive)
  if make then
    return function(...)
      local matcher = make(...)
      return new_matcher(function(v) return not matcher.matches(v) end)
    end
  end
end})
match.is = setmetatable({}, {__index = function(_, key) return match["is_" .. key] end})
match.is_not = setmetatable({}, {__index = function(_, key) return match["is_not_" .. key] end})

matchers.match = match

return matchers
