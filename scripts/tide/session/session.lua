-- A session: inputs that share variables, results and scopes. They are read by the prompt, or by a
-- notebook kernel. `read` makes a function of a text, and `finish` is called when it has run.
local class = require "tide.class"
local compile = require "tide.session.compile"
local divide = require "tide.session.divide"
local native = require "tide.native"
local nearest = require "tide.internal.nearest"
local notes = require "tide.mistakes.notes"
local present = require "tide.internal.input_number"
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local workspace = require "tide.session.workspace"

-- Names that an input can use without require, and their modules.
local short_names <const> = {
  nn = "tide.nn", F = "tide.nn.functional", optim = "tide.optim", data = "tide.data",
}

-- The globals of a new state. A local with one of these names shadows it for inputs only: the
-- library continues to use the global.
local own_names = {}
for name in ([[
  _G _VERSION arg assert collectgarbage dofile error getmetatable help ipairs load
  loadfile next pairs pcall print rawequal rawget rawlen rawset require select setmetatable tonumber
  tostring type warn xpcall tide coroutine debug io math os package string table utf8
]]):gmatch "%S+" do
  own_names[name] = true
end

local shell_words = {cat = true, cd = true, clear = true, ls = true, pwd = true}

local Session = class "Session"

Session.most_results = 10 -- that are kept as _1, _2, ...: they may hold a device's memory

--- The name of input `number` in errors.
local function chunk_name(number) return ("=In [%d]"):format(number) end

--- The globals of inputs: those of the state, except locals that shadow one of `own_names`.
local function make_environment()
  local hidden = {}
  local environment = setmetatable({}, {
    __index = _G,
    __newindex = function(self, name, value)
      if hidden[name] then rawset(self, name, value) else _G[name] = value end
    end,
    __names = short_names, -- for completion
  })
  return environment, function(name) hidden[name] = own_names[name] end
end

function Session:init()
  self.environment, self.hide = make_environment()
  self.inputs = {}  -- {text, script}, by number
  self.results = {} -- the numbers of those that are kept, oldest first
  self.scopes = native.watch_scopes()
end

--- Defines the short names that a text uses, if they are not taken.
function Session:provide(text)
  for name, module in pairs(short_names) do
    if rawget(_G, name) == nil and text:find("%f[%w_]" .. name .. "%f[^%w_]") then
      rawset(_G, name, require(module))
    end
  end
end

--- The table of all names that a text can use.
function Session:names_in(text)
  self:provide(text)
  return self.environment
end

local methods -- of the reference; created on first use

--- A table whose keys are the names of all methods in the reference.
function Session:methods()
  if not methods then
    methods = {}
    for _, entry in ipairs(require "tide.reference") do
      local name = entry.called_as:match ":([%w_]+)$"
      if name then methods[name] = true end
    end
  end
  return methods
end

--- Completions at the end of a text, besides names of values: options of the open
--- call, commands after %, names of the reference after ?. Nil if values may.
function Session:candidates(text)
  local names = {}
  if text:find "^%%[%w_]*$" then
    for _, row in ipairs(require("tide.session.magics").rows) do names[row[1]] = true end
  elseif text:find "^%?[%w_]+$" then
    for _, entry in ipairs(require "tide.reference") do names[entry.name] = true end
  elseif text:find "[{,]%s*[%w_]*$" then
    local calls = require "tide.session.calls"
    local entry, in_table = calls.open_call(text:match "^(.-)[%w_]*$")
    for _, name in ipairs(in_table and calls.options(entry) or {}) do names[name] = true end
  end
  return next(names) and names or nil
end

--- A highlighted input, and the signature of the open call at the cursor, if there is one.
function Session:decorate(text, point)
  local painted = require("tide.session.paint").input(text, point)
  local entry = point == #text and text:find "[({]" and not text:find "^%s*[%%!?]"
    and require("tide.session.calls").open_call(text)
  return painted, entry and entry.signature or ""
end

--- The highlighted text of a result.
function Session:paint(text) return require("tide.session.paint").result(text) end

--- Removes prompt marks from the lines of a text copied from a session.
local function without_prompts(text)
  local function strip(line)
    for _, mark in ipairs {"^%s*In %[%d+%]: ?", "^%s*%.%.%.: ?", "^%s*>>? ", "^%s*>>?$"} do
      local rest, count = line:gsub(mark, "", 1)
      if count > 0 then return rest, true end
    end
    return line, false
  end
  local first, marked = strip(text:match "^[^\n]*")
  if not marked then return text end
  local others = text:match "\n.*" or ""
  return first .. others:gsub("[^\n]+", function(line) return (strip(line)) end)
end

--- The value of a global variable of the session, without evaluating it.
function Session:value_of(name)
  local own = rawget(self.environment, name)
  if own == nil then return rawget(_G, name) end
  return own
end

--- A function that executes a command; nil if the text is Lua.
function Session:read_command(text)
  local mark, rest = text:match "^%s*([%%!?])(.*)$"
  if mark == "?" then
    return function()
      local page = require("tide.display.notebook").page
      local explain = require "tide.session.explain"
      local help = (rest:find "^%?" and explain.source or explain.text)(self, rest)
      if not page then return help end
      page(help)
    end
  end
  return mark and require "tide.session.magics".read(self, mark, rest)
end

--- Reads an input with commands among its lines. The results of its parts are displayed, except
--- those of the last part, which are the input's results.
function Session:read_parts(parts)
  local runs, known = {}, {closed = {}}
  for i, part in ipairs(parts) do
    runs[i] = self:read_command(part.text)
    if not runs[i] then
      local kind, value, more = self:compile(("\n"):rep(part.line - 1) .. part.text)
      if kind ~= "run" then return kind, value end
      runs[i] = value
      known.script = (known.script and known.script .. "\n" or "") .. more.script:gsub("^\n+", "")
      table.move(more.closed, 1, #more.closed, #known.closed + 1, known.closed)
    end
  end
  local function display(...)
    for i = 1, select("#", ...) do require "tide.display"((select(i, ...))) end
  end
  return "run", function()
    for i = 1, #runs - 1 do display(runs[i]()) end
    local results = table.pack(runs[#runs]())
    return table.unpack(results, 1, results.n)
  end, known
end

--- Reads Lua, a command, or several of them.
function Session:read_lines(text)
  local parts = divide(text, function(lua) return self:check(lua) == "unfinished" end)
  if #parts > 1 then return self:read_parts(parts) end
  local command = self:read_command(text)
  if command then return "run", command, {closed = {}} end
  return self:compile(text)
end

--- Reads the next input, which has this number unless it is unfinished. Returns "run" and a
--- function, "unfinished" if more lines may complete it, "wrong" and a message, "leave", or
--- "nothing"; followed by the text without prompt marks. A text that is `aside` is not an input:
--- neither it nor its results are kept.
function Session:read(text, number, aside)
  text = without_prompts(text)
  if not text:find "%S" then return "nothing", nil, text end
  local word = text:match "^%s*(%a+)[%s();]*$"
  if (word == "exit" or word == "quit") and not self:variables()[word] then
    return "leave", nil, text
  end
  if text:find "^%s*help%s*$" and not self:variables().help then text = "help()" end
  if self.reloads then workspace.refresh(self) end
  self.number, self.aside, self.closed = number, aside, {}
  present.number = number
  self.lone_name = text:match "^%s*([%a_][%w_]*)%s*$"
  local kind, value, known = self:read_lines(text)
  if kind ~= "unfinished" then
    source.keep(chunk_name(number), text, 1)
    if kind == "wrong" then value = mistakes.in_syntax(value, chunk_name(number)) end
    if kind == "run" then
      local note = notes(("In [%d]"):format(number), text, function(name) return self:value_of(name) end)
      if note ~= "" then io.stderr:write(note) end
    end
    if not aside then self.inputs[number] = {text = text, script = known and known.script} end
    self.closed = known and known.closed or {}
  end
  return kind, value, text
end

--- Classifies a text without reading it: "run", "unfinished", "wrong" or "nothing", and how many
--- blocks and brackets it leaves open.
function Session:check(text)
  text = without_prompts(text)
  if not text:find "%S" then return "nothing", 0 end
  if text:find "^%s*[%%!?]" then return "run", 0 end
  local kind, depth = compile(text, "=", {}, function() end)
  return kind, kind == "unfinished" and depth or 0
end

--- The numbers of all inputs, in order.
function Session:numbers()
  local list = {}
  for number in pairs(self.inputs) do list[#list + 1] = number end
  table.sort(list)
  return list
end

--- All inputs in order, each with `number` and `text`.
function Session:list_inputs()
  local list = {}
  for i, number in ipairs(self:numbers()) do
    list[i] = {number = number, text = self.inputs[number].text}
  end
  return list
end

--- The help on the name after `position` bytes of a text; nil if there is none.
function Session:explain(text, position)
  return require "tide.session.explain".at(self, text, position)
end

--- Compiles Lua as part of the present input: see compile.lua.
function Session:compile(text)
  self:provide(text)
  return compile(text, chunk_name(self.number), self.environment, self.hide)
end

--- The variables defined by inputs, by name.
function Session:variables()
  local made = {}
  for name, value in next, _G do
    local is_own = own_names[name] or rawequal(value, package.loaded[short_names[name] or name])
    local is_result = type(name) == "string" and name:find "^_%d*$"
    if not is_own and not is_result then made[name] = value end
  end
  for name, value in next, self.environment do made[name] = value end
  return made
end

--- Whether a variable of the session holds a value.
function Session:names(value)
  for _, variables in ipairs {self.environment, _G} do
    for _, held in next, variables do
      if rawequal(held, value) then return true end
    end
  end
  return false
end

--- Ends scopes that are open but unreachable; returns whether there were any.
function Session:end_scopes()
  local ended = false
  for i = #self.scopes, 1, -1 do
    local scope = self.scopes[i]
    if not self:names(scope) then ended = pcall(scope.close, scope) or ended end
    self.scopes[i] = nil
  end
  return ended
end

--- Keeps a result as _ and, of input 12, _12.
function Session:keep(result)
  local name = "_" .. self.number
  rawset(_G, "_", result)
  rawset(_G, name, result)
  table.insert(self.results, name)
  if #self.results > self.most_results then rawset(_G, table.remove(self.results, 1), nil) end
end

--- The note for an input that is only a name, if that name does not exist.
function Session:unknown_name()
  local name = self.lone_name
  if not name or name == "nil" or name:find "^_" then return nil end
  local read, value = pcall(function() return self.environment[name] end)
  if not read or value ~= nil then return nil end
  if shell_words[name] then return ("there is no variable '%s'; !%s runs a command of the shell"):format(name, name) end
  local names = {}
  for _, known in ipairs {_G, self.environment, short_names} do
    for other in next, known do names[other] = true end
  end
  local near = nearest(name, names)
  return ("there is no variable '%s'%s"):format(name, near and ("; did you mean '%s'?"):format(near) or "")
end

--- Ends the input that was read last, with its results if it had any: the first is kept. Returns
--- a note on it, if any, and whether the note replaces the results.
function Session:finish(result)
  local is_scope = result ~= nil and rawequal(result, self.scopes[#self.scopes])
  if result ~= nil and not is_scope and not self.aside then self:keep(result) end
  if self:end_scopes() then
    return "a scope that no variable holds ends with its input; for several lines, open it in a " ..
      "block: do local _ <close> = tide.no_grad() ... end", is_scope
  elseif self.closed[1] then
    return ("%s <close> ended with its input; for several lines, put do ... end around them")
      :format(self.closed[1])
  end
  return result == nil and self:unknown_name() or nil
end

return Session
