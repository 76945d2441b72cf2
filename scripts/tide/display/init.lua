-- tide.display: shows a value where it is called, as the prompt or the notebook shows a result.
local forms = require "tide.display.forms"
local notebook = require "tide.display.notebook"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"

--- Shows a value where it is called, as the prompt or the notebook shows a result: a tensor of one or two dimensions
--- as a table, pictures as such.
---@param value any  the value
---@param clear boolean = false  in a notebook, in place of all that the cell has shown
---@example
--- tide.display(tide.ones(2))
return function(value, options, ...) -- "display"
  refuse_more("display", 2, ...)
  for name in pairs(of_type("display", "options", options or {}, "table")) do
    if name ~= "clear" then
      raise("display: unknown option '%s': known is clear", tostring(name))
    end
  end
  if not notebook.show then return print(forms.text(value)) end
  if options and options.clear then notebook.clear() end
  local found, problem = forms.of(value)
  notebook.show(found)
  if problem then io.stderr:write("note: ", problem, "\n") end
end
