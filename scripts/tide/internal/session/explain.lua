-- The help on what a text names: `?text` at the prompt, and the name at a cursor.
local explain = {}

--- The help on the value that the text stands for, else on the name that it is.
function explain.text(session, text)
  text = text:match "^[%s?]*(.-)%s*$"
  if text == "" then return (require("tide").help()) end
  session:provide(text)
  return (require "tide.reference.asked"(text, session.environment))
end

--- The help on the name in which the text has the byte `position`, or behind which it ends; else on
--- the function whose arguments are there; nil if there is none.
function explain.at(session, text, position)
  local before = text:sub(1, position)
  local name = before:match "[%a_][%w_.:]*$"
  if name then
    name = name .. text:match("^[%w_]*", position + 1)
  else
    name = before:match "([%a_][%w_.:]*)%s*%([^()]*$" or text:match("^[%a_][%w_]*", position + 1)
  end
  if not name then return nil end
  session:provide(name)
  local found, is_known = require "tide.reference.asked"(name, session.environment)
  if is_known ~= false then return found end
end

return explain
