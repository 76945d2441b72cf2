-- tide.display: shows a value at once, as the prompt or a notebook shows a result.
local forms = require "tide.display.forms"
local notebook = require "tide.display.notebook"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"

--- Shows a value immediately, as the prompt or a notebook shows a result. A notebook shows tensors of one or two
--- dimensions as tables, and images as images.
---@param value any  the value
---@param clear boolean = false  in a notebook, replace the previous output of the cell
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
