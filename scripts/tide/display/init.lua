-- tide.display: shows a value where it is called, as the prompt or the notebook shows a result.
local forms = require "tide.display.forms"
local notebook = require "tide.display.notebook"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"

--- tide.display(value, {clear = true}): with `clear`, in a notebook, in the place of all that the
--- cell has shown so far.
return function(value, options)
  for name in pairs(of_kind("display", "options", options or {}, "table")) do
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
