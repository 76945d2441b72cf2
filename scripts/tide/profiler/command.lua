-- What `tide run FILE --profile F --profile-lines` does before and after the script.
local profile = require "tide.profiler.profile"

local command = {}

local under_way, file, prints_lines

--- Begins the profile of a whole script, which `finish` is to write to `path`, if that is not "",
--- and to print by line, if `lines` is true.
function command.start(path, lines)
  if path ~= "" and not path:match "%.json$" and not path:match "%.html$" then
    error(("run: --profile: expected a name that ends in .json or .html, got %s"):format(path), 0)
  end
  under_way, file, prints_lines = profile(), path ~= "" and path, lines
end

function command.finish()
  under_way:stop()
  if prints_lines then io.stderr:write(tostring(under_way:table{by = "line"}), "\n") end
  if file then under_way:save(file) end
end

return command
