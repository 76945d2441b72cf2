-- Modules that a class keeps in a plain table, where parameters() does not see them.
local class = require "tide.internal.class"

local seen = setmetatable({}, {__mode = "k"}) -- classes already checked

--- Prints a note, once for each class of `modules`, about fields that hide modules. Modules that are also children
--- under another name are not hidden.
local function note(modules, Module)
  local known
  for _, module in ipairs(modules) do
    local made = getmetatable(module)
    if not seen[made] then
      seen[made] = true
      for name, value in next, module do
        local is_plain = type(name) == "string" and type(value) == "table" and not getmetatable(value)
        local first = is_plain and value[1]
        if first and class.is_a(first, Module) then
          if not known then
            known = {}
            for _, other in ipairs(modules) do known[other] = true end
          end
          if not known[first] then
            local note = "note: %s.%s: parameters() does not see layers in a plain table: " ..
              "nn.ModuleList{...} shows them\n"
            io.stderr:write(note:format(made.name, name))
          end
        end
      end
    end
  end
end

return note
