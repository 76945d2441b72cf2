-- Mistakes that Lua accepts silently: a tensor as a condition, a number compared with a tensor by ==, an assigned
-- shape.
local source = require "tide.mistakes.source"

--- The note on x:any() and x:all() as conditions.
local function always_true(call)
  local receiver = call:find "^:" and "..." or ""
  return ("a tensor is always true: %s%s():item() is its value"):format(receiver, call)
end

--- Whether a name is that of a tensor, as far as `value_of(name)` knows.
local function is_tensor(value_of, name)
  return value_of ~= nil and require("tide").is_tensor(value_of(name))
end

-- `line`, a pattern of the line's code, and a function from its captures to a note; nil if they are correct.
local kRows <const> = {
  {line = "([%w_%.%[%]]*:a[nl][yl])%(%)%s*then%f[^%w_]", says = always_true},
  {line = "%f[%w_]while%s.-([%w_%.%[%]]*:a[nl][yl])%(%)%s*do%f[^%w_]", says = always_true},
  {line = "%f[%w_]assert%s*%(.-([%w_%.%[%]]*:a[nl][yl])%(%)%s*[%),]", says = always_true},
  {line = "([%w_%.]+)%.shape%s*%[[^%]]*%]%s*=%f[^=]",
    says = function(name) return ("a shape is a copy: %s = %s:reshape(...) changes it"):format(name, name) end},
  {line = "%f[%w_]([%a_][%w_]*)%s*([=~]=)%s*%-?[%d%.]+", says = function(name, operator, value_of)
    if not is_tensor(value_of, name) then return nil end
    local method = operator == "==" and "eq" or "ne"
    return ("%s compares the tensor itself with a number, and is always %s: %s:%s(number) compares elements"):format(
      operator, operator == "==" and "false" or "true", name, method)
  end},
}

--- Notes on a text, each "NAME:LINE: note" with a line feed; "" if there are none. `value_of(name)`, if
--- given, returns the value of a variable.
local function notes(name, text, value_of)
  local found, number = {}, 0
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    if line:find(":a[nl][yl]%(%)") or line:find(".shape", 1, true) or value_of and line:find "[=~]=" then
      local code = source.code(line)
      for _, row in ipairs(kRows) do
        local first, second = code:match(row.line)
        local note = first and row.says(first, second, value_of)
        if note then found[#found + 1] = ("note: %s:%d: %s\n"):format(name, number, note) end
      end
    end
  end
  return table.concat(found)
end

return notes
