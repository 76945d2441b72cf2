-- The help on what a text names: `?text` at the prompt, and the name at a cursor.
local explain = {}

--- The value that a text stands for in a session; nil if there is none.
local function value_of(session, text)
  session:provide(text)
  local expression = load("return " .. text, "=?", "t", session.environment)
  local known, value = pcall(expression or error)
  if known then return value end
end

--- The help on the value that the text stands for, else on the name that it is.
function explain.text(session, text)
  local help = require("tide").help
  text = text:match "^[%s?]*(.-)%s*$"
  if text == "" then return (help()) end
  local value = value_of(session, text)
  if value ~= nil then return (help(value)) end
  return (help(text))
end

--- The help on the name in which the text has the byte `position`, or behind which it ends; else on
--- the function whose arguments are there; nil if there is none.
function explain.at(session, text, position)
  local help = require("tide").help
  local before = text:sub(1, position)
  local name = before:match "[%a_][%w_.:]*$"
  if name then
    name = name .. text:match("^[%w_]*", position + 1)
  else
    name = before:match "([%a_][%w_.:]*)%s*%([^()]*$" or text:match("^[%a_][%w_]*", position + 1)
  end
  if not name then return nil end
  -- A method is a field: x:sum is what x.sum gives.
  local value = value_of(session, (name:gsub(":", ".")))
  if value ~= nil then return (help(value)) end
  local found, is_known = help(name)
  if is_known ~= false then return found end
end

return explain
