-- Declarations: the comment above a public function or class, which says what it takes. Arguments are read by it, and
-- help, manual, annotations and the tests of examples are made of it.
--
--   --- Gradient descent.
--   ---@use optim: params, lr = 1e-3
--   ---@param momentum number >= 0 = 0  share of the last step's direction that is kept
--   ---@see optim.Adam
--   ---@example
--   --- local w = nn.Parameter(tide.tensor{1.0})
--   --- optim.SGD({w}, {lr = 0.1}):step()
--   --- w --> {1.0}
--   local SGD, read = define("optim.SGD", Optimizer)
--
-- The first line of code names what is declared: as a text, "optim.SGD", or as a method, `function Optimizer:step(`,
-- which is "optimizer:step". A block without an example declares nothing that is public.
--
-- `@param NAME TYPE = DEFAULT  TEXT`: types are those of kinds.lua. `NAME?` may be left out; so may what has a default,
-- and that is given by name. A default that names a parameter before it is that one's value. `NAME...` is all that
-- follows. `@use GROUP: NAME = DEFAULT, ...` takes parameters from `GROUP/internal/parameters.lua`. `@call` begins what objects
-- of a class are called with. `@like NAME` stands for the parameters of another declaration of the file, and for the
-- notes that are not given. `@type table` is what only holds others. The other tags are notes: formula, shapes, counts
-- (from 1), waits, errors, see.
local native = require "tide.native"

local declaration = {}

local notes <const> = {formula = true, shapes = true, counts = true, waits = true, errors = true, see = true}

--- {name, type, default (a text), about, optional, named, rest} of "NAME TYPE = DEFAULT  TEXT".
local function parameter_of(text)
  local head, about = text:match "^(.-)  +(.*)$"
  head = head or text
  local name, mark, type = head:match "^([%w_]+)([?.]*) ?(.*)$"
  local kind, default = type:match "^(.-) = (.*)$"
  return {
    name = name, type = kind or type, default = default, about = about, optional = default ~= nil or mark == "?",
    named = default ~= nil, rest = mark == "...",
  }
end

local shared = {} -- by group and name

--- The parameters of GROUP/internal/parameters.lua by name.
local function shared_of(group)
  if shared[group] then return shared[group] end
  local known = {}
  local text = native.read_embedded(("tide/%s/internal/parameters.lua"):format(group:gsub("%.", "/")))
  for line in (text:gsub("\n%-%-%-  +", " ")):gmatch "%-%-%-@param ([^\n]*)" do
    local parameter = parameter_of(line)
    known[parameter.name] = parameter
  end
  shared[group] = known
  return known
end

--- Parts of "a = 1, b = {2, 3}, c" between commas outside of brackets and quotes.
local function parts_of(text)
  local parts, depth, start, quoted = {}, 0, 1, false
  for at, mark in text:gmatch "()([%[%](){},\"])" do
    if mark == '"' then
      quoted = not quoted
    elseif not quoted then
      depth = depth + (mark:find "[%[({]" and 1 or mark:find "[%])}]" and -1 or 0)
      if mark == "," and depth == 0 then parts[#parts + 1], start = text:sub(start, at - 1), at + 1 end
    end
  end
  parts[#parts + 1] = text:sub(start)
  return parts
end

local function add_shared(list, text)
  local group, uses = text:match "^([%w_.]+): *(.*)$"
  for _, use in ipairs(parts_of(uses)) do
    local name, default = use:match "^%s*([%w_]+)%s*=?%s*(.-)%s*$"
    local known = shared_of(group)[name] or error(("%s: there is no shared parameter %s"):format(group, name))
    list[#list + 1] = {
      name = name, type = known.type, about = known.about, default = default ~= "" and default or nil,
      optional = default ~= "", named = default ~= "",
    }
  end
end

--- The declaration that the lines of a block make: {name, doc, parameters, call (parameters, or nil), is_table,
--- example, formula, shapes, ...}.
local function parse(name, block, file)
  local made = {name = name}
  local own, tag, text, summary, code = {}, nil, nil, {}, {}
  local list = own
  local function finish()
    if tag == "param" then list[#list + 1] = parameter_of(text) end
    if tag == "use" then add_shared(list, text) end
    if tag == "type" then made.is_table = true end
    if tag == "like" then setmetatable(made, {__index = declaration.of(text, file)}) end
    if tag == "call" then
      list = {}
      made.call = list
    end
    if tag and notes[tag] then made[tag] = text end
  end
  for line in block:gmatch "%-%-%-([^\n]*)" do
    local new_tag, rest = line:match "^@(%l+) ?(.*)$"
    if new_tag then
      finish()
      tag, text = new_tag, rest
    elseif tag == "example" then
      code[#code + 1] = line:match "^ *(.*)$"
    elseif tag then
      text = text .. " " .. line:match "^ *(.*)$"
    else
      summary[#summary + 1] = line:match "^ *(.*)$"
    end
  end
  finish()
  made.parameters = made.parameters or own -- those of another declaration come first
  made.doc = table.concat(summary, " "):gsub("%.$", "")
  made.example = table.concat(code, "; ")
  return made
end

--- The name that a line of code declares; nil if none.
local function name_in(line)
  local receiver, method = line:match "^function (%u%w*):([%w_]+)%("
  if receiver then return receiver:sub(1, 1):lower() .. receiver:sub(2) .. ":" .. method end
  local name = line:match '"([%w_.:]+)"'
  return name and name:gsub("^tide%.", "") or nil
end

--- Calls fn(name, block) for each public declaration in a text.
local function each_block(text, fn)
  local at = 1
  while true do
    local tag = text:find("\n---@example", at, true)
    if not tag then return end
    local first = tag
    while true do -- back over the lines of the block
      local before = first - 1
      while before > 0 and text:byte(before) ~= 10 do before = before - 1 end
      if text:sub(before + 1, before + 3) ~= "---" then break end
      first = before
    end
    local last = tag
    while text:sub(last + 1, last + 3) == "---" do last = text:find("\n", last + 1, true) end
    local name = name_in(text:match("^[^\n]*", last + 1))
    if name then fn(name, text:sub(first + 1, last)) end
    at = last
  end
end

--- Declarations of a file of the library, "optim/sgd.lua", in order: a list of {name, block}.
function declaration.blocks(file)
  local list = {}
  each_block("\n" .. (native.read_embedded("tide/" .. file) or ""), function(name, block)
    list[#list + 1] = {name = name, block = block}
  end)
  return list
end

local known = {} -- by name

--- The declaration of a name in a file of the library; nil if there is none.
function declaration.of(name, file)
  if not known[name] then
    for _, found in ipairs(declaration.blocks(file)) do
      if found.name == name then known[name] = parse(name, found.block, file) end
    end
  end
  return known[name]
end

--- The files of the library that are running, the caller of the caller first.
function declaration.files_of_callers()
  local files = {}
  for level = 3, 8 do
    local info = debug.getinfo(level, "S")
    local file = info and info.source:match "^=%[tide%] (.*)$"
    if file and file ~= files[#files] and not file:find "^internal/" then files[#files + 1] = file end
  end
  return files
end

return declaration
