-- Implements `tide run FILE --profile F --profile-lines --advise`.
local profile = require "tide.tools.profiler.profile"

local command = {}

local under_way, file, prints_lines, advised

--- Begins the profile of a script. `finish` writes it to `path`, if not "", and prints it by line,
--- if `lines` is true; with `advise` it prints advice, too.
function command.start(path, lines, advise)
  if path ~= "" and not path:match "%.json$" and not path:match "%.html$" then
    error(("run: --profile: expected a name that ends in .json or .html, got %s"):format(path), 0)
  end
  advised = advise and require("tide.tools.advise.run")():begin()
  under_way = advised and advised.profile or profile()
  file, prints_lines = path ~= "" and path, lines
end

function command.finish()
  under_way:stop()
  if advised then io.stderr:write(tostring(advised:finish()), "\n") end
  if prints_lines then io.stderr:write(tostring(under_way:table{by = "line"}), "\n") end
  if file then under_way:save(file) end
end

return command
