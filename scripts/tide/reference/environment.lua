-- The environment variables, as help shows them.
local lines = require "tide.reference.lines"
local native = require "tide.native"

local kIntroduction <const> = "Variables of the environment, read once. A number may end in K, M or G: times 1024, " ..
  "1024^2, 1024^3. What cannot be used is said on stderr and ignored. The page docs/environment.md has the same list."

--- "TIDE_CPU = haswell, x86-64 (this processor)".
local function head_of(row)
  if row.values == "" then return row.name end
  return ("%s = %s (%s)"):format(row.name, row.values, row.otherwise)
end

--- All of them, as text.
return function()
  local list, others = lines.wrapped(kIntroduction, lines.columns), false
  for _, row in ipairs(native.environment()) do
    if row.values == "" and not others then
      others = true
      table.move({"", "Of other programs:"}, 1, 2, #list + 1, list)
    elseif not others then
      list[#list + 1] = ""
    end
    list[#list + 1] = head_of(row)
    lines.add(list, "    ", row.about)
  end
  return table.concat(list, "\n")
end
