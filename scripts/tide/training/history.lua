-- The history of a training: a list with a table of metrics for each epoch.
local class = require "tide.internal.class"

local History = class "History"

-- Names that come before and after the others.
local kFirst <const>, kLast <const> = {"epoch", "loss"}, {"seconds"}

function History:add(row) self[#self + 1] = row end

--- The names of the rows' columns: epoch, loss, others sorted by name, seconds.
function History.names(rows)
  local fixed, others, seen = {}, {}, {}
  for _, name in ipairs(kFirst) do fixed[name] = true end
  for _, name in ipairs(kLast) do fixed[name] = true end
  for _, row in ipairs(rows) do
    for name in pairs(row) do
      if not fixed[name] and not seen[name] then seen[name], others[#others + 1] = true, name end
      seen[name] = true
    end
  end
  table.sort(others)
  local names = {}
  for _, list in ipairs {kFirst, others, kLast} do
    for _, name in ipairs(list) do names[#names + 1] = seen[name] and name or nil end
  end
  return names
end

--- A value as short text.
function History.text(name, value)
  if value == nil then return "-" end
  if math.type(value) == "integer" then return tostring(value) end
  if name == "seconds" then return ("%.1f"):format(value) end
  local size = math.abs(value)
  return (size ~= 0 and (size < 1e-3 or size >= 1e5) and "%.3e" or "%.4f"):format(value)
end

--- A text table: a line for each row, columns aligned to the right.
function History.table_of(names, rows)
  local widths = {}
  for c, name in ipairs(names) do
    widths[c] = #name
    for _, row in ipairs(rows) do
      widths[c] = math.max(widths[c], #History.text(name, row[name]))
    end
  end
  local lines = {}
  local function add(text_of)
    local fields = {}
    for c, name in ipairs(names) do fields[c] = ("%" .. widths[c] .. "s"):format(text_of(name)) end
    lines[#lines + 1] = table.concat(fields, "  ")
  end
  add(function(name) return name end)
  lines[2] = ("-"):rep(#lines[1])
  for _, row in ipairs(rows) do add(function(name) return History.text(name, row[name]) end) end
  return table.concat(lines, "\n")
end

function History:__tostring() return History.table_of(History.names(self), self) end

return History
