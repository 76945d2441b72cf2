-- An explanation: the steps that windows became or would become, why they are not fused further, and
-- their graph.
local methods = require "tide.internal.declare.methods"
local class = require "tide.internal.class"
local graph = require "tide.tools.explain.graph"
local grid = require "tide.internal.grid"
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local peaks = require "tide.tools.profiler.peaks"
local raise = require "tide.internal.raise"
local Step = require "tide.tools.explain.step"
local words = require "tide.tools.explain.words"

-- Windows -----------------------------------------------------------------------------------------

local Window = class("ExplainedWindow")

function Window:init(window)
  for _, key in ipairs {"device", "cause", "file", "line", "ops"} do self[key] = window[key] end
end

--- "window on cpu, flushed at lesson.lua:9: matmul cuts the window".
function Window:text()
  if self.ops == 0 then return ("copy to %s at %s"):format(self.device, words.place(self)) end
  if not self.cause then return ("window on %s, not flushed yet"):format(self.device) end
  return ("window on %s, flushed at %s: %s"):format(self.device, words.place(self), self.cause)
end

Window.__tostring = Window.text

-- Explanations ------------------------------------------------------------------------------------

local Explanation = class("Explanation")

--- `windows` as returned by tide.native. `state`: of the explained tensor.
function Explanation:init(windows, state)
  self.windows, self.notes, self.state = {}, {}, state
  self.flops, self.bytes = 0, 0
  local known = {}
  for w, window in ipairs(windows) do
    local name, before = tostring(window.device), #self
    if known[name] == nil then known[name] = peaks.of(name) or false end
    self.windows[w] = Window(window)
    for _, one in ipairs(window.steps) do
      local step = Step(one, #self + 1, w, window.device, known[name])
      self[step.number] = step
      self.bytes, self.flops = self.bytes + step.bytes, self.flops + (step.flops or 0)
    end
    for _, note in ipairs(window.notes) do
      note.step, note.other = self[before + note.step], self[before + note.other]
      table.insert(self.notes, note)
    end
  end
  self.measured = true
  for _, peak in pairs(known) do self.measured = self.measured and peak and true end
end

--- The graph as text: inputs, and a box for each step.
---@example
--- tide.explain(function() return tide.ones(4) end):graph() ~= "" --> true
function Explanation:graph() return require "tide.tools.explain.text_drawing"(graph(self)) end
--- The graph in Graphviz's language.
---@example
--- tide.explain(function() end):dot():match "^%a+" --> "digraph"
function Explanation:dot() return require "tide.tools.explain.dot"(graph(self), self.windows) end
--- The graph as an image (SVG).
---@example
--- tide.explain(function() end):svg():match "^<%a+" --> "<svg"
function Explanation:svg() return require "tide.tools.explain.svg"(graph(self)) end

local kFormats <const> = {svg = "svg", dot = "dot", txt = "graph"}

--- Writes the graph to a file; the format depends on the extension: .svg, .dot or .txt.
---@param path string  name of the file
---@example
--- tide.explain(function() end):save("graph.svg")
--- os.remove "graph.svg" --> true
function Explanation:save(path)
  if type(path) ~= "string" then raise("save: argument 1 (path): expected string, got %s", kind_of(path)) end
  local format = kFormats[path:match "%.(%w+)$"]
  if not format then raise("save: %s: expected a name that ends in .svg, .dot or .txt", path) end
  native.write_file(path, self[format](self))
end

-- Text --------------------------------------------------------------------------------------------

local kColumns <const> = {
  {"", function(step) return ("%d"):format(step.number) end},
  {"<", function(step) return step.kind end},
  {"<ops", function(step) return step.name end},
  {"<shape", function(step) return words.shape(step.shape) end},
  {"reads", function(step) return ("%d"):format(#step.reads) end},
  {"writes", function(step) return ("%d"):format(#step.writes) end},
  {"bytes", function(step) return words.bytes(step.bytes) end},
  {"FLOP", function(step) return step.flops and words.figure(step.flops) or "?" end},
  {"FLOP/byte", function(step) return step.intensity and words.figure(step.intensity) or "" end},
  {"<bound by", function(step) return step.bound or "" end},
  {"<lines", function(step) return words.some(step.lines, 3, " ") end},
}

local kMostSteps <const>, kMostNotes <const>, kMostWindows <const> = 60, 20, 20

--- Adds at most `most` lines of a list below a title.
local function add_list(lines, title, list, most, text)
  if #list == 0 then return end
  lines[#lines + 1] = "\n" .. title
  for i = 1, math.min(#list, most) do lines[#lines + 1] = "  " .. text(list[i], i) end
  if #list > most then lines[#lines + 1] = ("  ... %d more"):format(#list - most) end
end

--- Groups entries, a list of {reason, text}: a list of {reason =, texts =} in the order of the reasons.
local function by_reason(entries)
  local found, list = {}, {}
  for _, entry in ipairs(entries) do
    local reason = entry[1]
    if not found[reason] then
      found[reason] = {reason = reason, texts = {}}
      list[#list + 1] = found[reason]
    end
    table.insert(found[reason].texts, entry[2])
  end
  return list
end

--- The reasons why steps with several results store values.
local function stored_values(explanation)
  local entries = {}
  for _, step in ipairs(explanation) do
    for _, value in ipairs(#step.writes > 1 and step.writes or {}) do
      if value.kept then entries[#entries + 1] = {value.kept, ("%s of %d"):format(value.name, step.number)} end
    end
  end
  return by_reason(entries)
end

local function refusals(explanation)
  local entries = {}
  for i, note in ipairs(explanation.notes) do
    entries[i] = {note.reason, ("%s at %s is in %d, not in %d"):format(
      note.op, words.place(note), note.step.number, note.other.number)}
  end
  return by_reason(entries)
end

local kStates <const> = {
  recorded = "the tensor is recorded, not computed",
  recomputable = "the tensor was flushed and not stored: it is computed again when it is needed",
  stored = "the tensor was already flushed: it is stored, or its queue is computing it",
  failed = "the tensor could not be computed: reading it raises the error",
}

local function head(self)
  local ops, uncounted = 0, 0
  for _, window in ipairs(self.windows) do ops = ops + window.ops end
  for _, step in ipairs(self) do uncounted = uncounted + (step.flops and 0 or 1) end
  local text = ("%s of %s in %s: %s, %s FLOP"):format(words.count(#self, "step"), words.count(ops, "op"),
    words.count(#self.windows, "window"), words.bytes(self.bytes), words.figure(self.flops))
  if uncounted > 0 then text = ("%s (%s not counted)"):format(text, words.count(uncounted, "step")) end
  return self.state and text .. "\n" .. kStates[self.state] or text
end

function Explanation:__tostring()
  local lines = {head(self)}
  if #self == 0 then return lines[1] end
  lines[#lines + 1] = "\n" .. grid.text(kColumns, {table.unpack(self, 1, math.min(#self, kMostSteps))})
  if #self > kMostSteps then lines[#lines + 1] = ("... %d more"):format(#self - kMostSteps) end
  add_list(lines, "windows", self.windows, kMostWindows, function(window, w)
    local first, last
    for _, step in ipairs(self) do
      if step.window == w then first, last = first or step.number, step.number end
    end
    local steps = not first and "-" or first == last and tostring(first) or ("%d-%d"):format(first, last)
    return ("%s: %s"):format(steps, window:text())
  end)
  add_list(lines, "why not fused", refusals(self), kMostNotes, function(entry)
    return ("%s: %s"):format(entry.reason, words.some(entry.texts, 3, "; "))
  end)
  add_list(lines, "why stored", stored_values(self), kMostNotes, function(entry)
    return ("%s: %s"):format(entry.reason, words.some(entry.texts, 6, ", "))
  end)
  if not self.measured then
    lines[#lines + 1] = "\n`tide info --measure` measures the devices' peak rates, to show what bounds each step"
  end
  return table.concat(lines, "\n")
end

methods(Explanation, "explanation")

return Explanation
