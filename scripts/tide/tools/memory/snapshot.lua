-- Snapshots of a device's memory: the lines of a script that hold it, the names of tensors, and growth.
local checked = require "tide.internal.declare.checked"
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local names_of_tensors = require "tide.tools.memory.names"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local size_text = require "tide.internal.size_text"
local tide = require "tide"

local kMostLines <const> = 20 -- in a printed table
local kMostNames <const> = 3  -- in a printed line

-- Fields: device; allocated, peak, cached, limit (bytes; no limit: nil); holders (a list of {line, bytes, blocks,
-- names}), at_peak (a list of {line, bytes, blocks}) and tensors (a list of {name, line, bytes}), largest first.
local Snapshot = class "Snapshot"

-- Fields: device; allocated (the difference in bytes); holders (as above, for lines whose memory has changed).
local Growth = class "Growth"

-- Text --------------------------------------------------------------------------------------------

--- The first names of a row, and the number of blocks with other names or none.
local function names_text(row)
  local shown = math.min(#row.names, kMostNames)
  local text, rest = table.concat(row.names, ", ", 1, shown), row.blocks - #row.names
  if #row.names > shown then text = ("%s and %d more"):format(text, #row.names - shown) end
  if rest <= 0 then return text end
  return ("%s%d %s"):format(text == "" and "" or text .. ", ", rest, rest == 1 and "block without a name" or
    "blocks without a name")
end

--- The lines of a table of rows; `form` is the format of counts, and `sign` precedes increases.
local function add_table(lines, rows, sign)
  local function signed(value, text) return (value > 0 and sign or "") .. text end
  local longest = #"line"
  for i = 1, math.min(#rows, kMostLines) do longest = math.max(longest, #rows[i].line) end
  local form = ("%%11s %%7s  %%-%ds  %%s"):format(longest)
  local function add(...) lines[#lines + 1] = form:format(...):gsub(" +$", "") end
  add("bytes", "blocks", "line", rows[1] and rows[1].names and "names" or "")
  for i = 1, math.min(#rows, kMostLines) do
    local row = rows[i]
    add(signed(row.bytes, size_text(row.bytes)), signed(row.blocks, tostring(row.blocks)), row.line,
      row.names and names_text(row) or "")
  end
  if #rows > kMostLines then add("...", "", ("%d more lines"):format(#rows - kMostLines), "") end
end

function Snapshot:__tostring()
  local blocks = 0
  for _, row in ipairs(self.holders) do blocks = blocks + row.blocks end
  local lines = {("%s: %s in %d blocks, at most %s, kept for reuse %s%s"):format(tostring(self.device),
    size_text(self.allocated), blocks, size_text(self.peak), size_text(self.cached),
    self.limit and ", limit " .. size_text(self.limit) or "")}
  if blocks > 0 then add_table(lines, self.holders, "") end
  if self.peak > self.allocated then
    lines[#lines + 1] = "at the peak:"
    add_table(lines, self.at_peak, "")
  end
  return table.concat(lines, "\n")
end

function Growth:__tostring()
  local sign = self.allocated > 0 and "+" or ""
  local lines = {("%s: %s%s"):format(tostring(self.device), sign, size_text(self.allocated))}
  if #self.holders > 0 then add_table(lines, self.holders, "+") end
  return table.concat(lines, "\n")
end

-- Taking ------------------------------------------------------------------------------------------

--- Sorts rows, the largest first; equal ones by `key`.
local function sort(rows, key)
  table.sort(rows, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a[key] < b[key]
  end)
  return rows
end

--- A list of {name, line, bytes}: the first name of each block on the device that can be reached from variables.
local function named_blocks(device, roots)
  local blocks, seen = {}, {}
  for _, entry in ipairs(names_of_tensors(roots)) do
    local tensor, name = entry[1], entry[2]
    local there, found = pcall(native.blocks_of, tensor) -- a freed tensor raises an error
    for _, block in ipairs(there and tensor.device == device and found or {}) do
      if not seen[block.address] then
        seen[block.address] = true
        blocks[#blocks + 1] = {name = name, line = block.line, bytes = block.bytes, order = #blocks}
      end
    end
  end
  sort(blocks, "order")
  for _, block in ipairs(blocks) do block.order = nil end
  return blocks
end

--- The lines and variables that hold the device's memory: fields device, allocated, peak, cached, limit; holders, a
--- list of {line, bytes, blocks, names}; at_peak, the same at the peak, without names; tensors, a list of {name, line,
--- bytes}; all largest first. Prints as a table. Names are those of variables, fields, parameters and states of
--- optimizers. Collects garbage and waits.
---@param device device = nil  the device; nil is the default one
---@param names table = nil  {name = value}: further values that are searched for tensors, such as a module or an
---  optimizer
---@example
--- local x = tide.ones(1000); local s = tide.memory.snapshot(); s.tensors[1].name --> "x"
local read = reader "memory.snapshot"

local snapshot = {}

--- tide.memory.snapshot(device, {names =}).
function snapshot.take(...)
  local given = read(...)
  collectgarbage()
  tide.synchronize(given.device)
  local device, figures, lines = native.memory_figures(given.device)
  local result = Snapshot()
  for name, value in pairs(figures) do result[name] = value end
  result.device, result.holders, result.at_peak = device, {}, {}
  result.tensors = named_blocks(device, given.names)
  local names = {}
  for _, block in ipairs(result.tensors) do
    names[block.line] = names[block.line] or {}
    table.insert(names[block.line], block.name)
  end
  for _, row in ipairs(lines) do
    if row.blocks > 0 then
      table.insert(result.holders,
        {line = row.line, bytes = row.bytes, blocks = row.blocks, names = names[row.line] or {}})
    end
    if row.peak_blocks > 0 then
      table.insert(result.at_peak, {line = row.line, bytes = row.peak_bytes, blocks = row.peak_blocks})
    end
  end
  sort(result.holders, "line")
  sort(result.at_peak, "line")
  return result
end

--- Growth between two snapshots of a device: allocated, and holders by line; released memory is negative.
---@param a table  the earlier snapshot
---@param b table  the later one
---@example
--- local a = tide.memory.snapshot()
--- local x = tide.ones(1000)
--- tide.memory.diff(a, tide.memory.snapshot()).holders[1].names[1] --> "x"
snapshot.diff = checked("memory.diff", function(a, b)
  for name, value in pairs {a = a, b = b} do
    if not class.is_a(value, Snapshot) then
      raise("diff: %s: expected a snapshot, got %s", name, kind_of(value))
    end
  end
  if a.device ~= b.device then
    raise("diff: the snapshots are of different devices: %s and %s", tostring(a.device), tostring(b.device))
  end
  local rows = {}
  for _, row in ipairs(a.holders) do
    rows[row.line] = {line = row.line, bytes = -row.bytes, blocks = -row.blocks, names = {}}
  end
  for _, row in ipairs(b.holders) do
    local before = rows[row.line] or {bytes = 0, blocks = 0}
    rows[row.line] = {
      line = row.line, bytes = before.bytes + row.bytes, blocks = before.blocks + row.blocks, names = row.names,
    }
  end
  local growth = Growth()
  growth.device, growth.allocated, growth.holders = a.device, b.allocated - a.allocated, {}
  for _, row in pairs(rows) do
    if row.bytes ~= 0 or row.blocks ~= 0 then table.insert(growth.holders, row) end
  end
  sort(growth.holders, "line")
  return growth
end)

return snapshot
