-- Declarations: the comment above a public function or class, which declares its parameters. Arguments are parsed by
-- it, and help, manual, annotations and the tests of examples are generated from it.
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
-- which is "optimizer:step", as that of a DataLoader is "loader:iter"; other code needs `@name NAME`. A block without
-- an example declares nothing that is public.
--
-- `@param NAME TYPE = DEFAULT  TEXT`: types are those of kinds.lua. `NAME?` may be left out; so may what has a default,
-- and that is given by name. A default that names a parameter before it is that one's value. `NAME...` is all that
-- follows. `@use GROUP: NAME = DEFAULT, ...` takes parameters from `internal/parameters/GROUP.lua`, `@use GROUP` all of
-- them with nil as default. `@call` begins what objects of a class are called with. `@like NAME` stands for the
-- parameters of another declaration of the file, and for the notes that are not given; `@like NAME without PARAMETER`
-- leaves one out, `@like NAME in FILE` is of another file. `@type table` is what only holds others. The other tags are
-- notes: formula, shapes, counts (from 1), waits, errors, see.
local native = require "tide.native"

local declaration = {}

local kNear <const> = 150 -- more than a line

local notes <const> = {formula = true, shapes = true, counts = true, waits = true, errors = true, see = true}

--- {name, type, default (a text), about, optional, named, rest} of "NAME TYPE = DEFAULT  TEXT".
local function parameter_of(text)
  local head, about = text:match "^(.-)  +(.*)$"
  head = head or text
  local name, mark, type = head:match "^([%w_]*)([?.]*) ?(.*)$"
  local kind, default = (" " .. type):match "^(.-) = (.*)$"
  if kind then type = kind:sub(2) end
  return {
    name = name ~= "" and name or mark, type = type ~= "" and type or nil, default = default, about = about,
    optional = default ~= nil or mark == "?", named = default ~= nil, rest = mark == "...",
  }
end

local shared, texts = {}, {} -- parameters by group and name, files by group

local function text_of(group)
  texts[group] = texts[group] or native.read_embedded(("tide/internal/parameters/%s.lua"):format(group))
  return texts[group]
end

--- The names of the parameters in internal/parameters/GROUP.lua, in order.
function declaration.names_of_group(group)
  local names = {}
  for name in text_of(group):gmatch "\n%-%-%-@param ([%w_]+)" do names[#names + 1] = name end
  return names
end

--- The parameter of a name in internal/parameters/GROUP.lua.
local function shared_of(group, name)
  local key = group .. "." .. name
  if not shared[key] then
    local text, begin = text_of(group), "\n---@param " .. name
    local at = text:find(begin .. " ", 1, true) or text:find(begin .. "? ", 1, true)
    if not at then error(("%s: there is no shared parameter %s"):format(group, name)) end
    local line, after = text:match("([^\n]*)\n()", at + #"\n---@param ")
    local more = text:match("^%-%-%-  +([^\n]*)", after)
    shared[key] = parameter_of(more and line .. " " .. more or line)
  end
  return shared[key]
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
  local group, uses = text:match "^([%w_.]+):? *(.*)$"
  if uses == "" then uses = table.concat(declaration.names_of_group(group), " = nil, ") .. " = nil" end
  for _, use in ipairs(parts_of(uses)) do
    local name, default = use:match "^%s*([%w_]+)%s*=?%s*(.-)%s*$"
    local known = shared_of(group, name)
    list[#list + 1] = {
      name = name, type = known.type, about = known.about, default = default ~= "" and default or nil,
      optional = default ~= "" or known.optional, named = default ~= "",
    }
  end
end

--- What the lines of a block declare: {doc, parameters, call (parameters, or nil), is_table, example, formula, ...}.
--- `file` is where `@like` looks names up.
function declaration.parse(block, file)
  local made = {}
  local own, tag, text, summary, code = {}, nil, nil, {}, {}
  local list = own
  local function finish()
    if tag == "param" then list[#list + 1] = parameter_of(text) end
    if tag == "use" then add_shared(list, text) end
    if tag == "type" then made.is_table = true end
    if tag == "like" then
      local other, left_out, place = text:match "^%S+", text:match " without (%S+)", text:match " in (%S+)$"
      local like = assert(declaration.of(other, place or file), "nothing is declared as " .. text)
      for _, parameter in ipairs(like.parameters) do
        if parameter.name ~= left_out then list[#list + 1] = parameter end
      end
      setmetatable(made, {__index = like})
    end
    if tag == "call" then
      list = {}
      made.call = list
    end
    if tag and notes[tag] then made[tag] = text end
  end
  for line in block:gmatch "[^\n]+" do
    line = line:gsub("^%-%-%-", "")
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
  made.parameters = own
  made.doc = table.concat(summary, " "):gsub("%.$", "")
  made.example = table.concat(code, "; ")
  return made
end

--- The name that a line of code declares; nil if none.
local function name_in(line)
  local receiver, method = line:match "^function (%u%w*):([%w_]+)%("
  if receiver then return receiver:match("%u%l*$"):lower() .. ":" .. method end
  local name = line:match '"([%w_.:]+)"'
  return name and name:gsub("^tide%.", "") or nil
end

--- Where the line begins that ends before `place`; what is sought is near by, and patterns read all that they skip.
local function line_before(text, place)
  local from = place - kNear
  while from > 1 do
    local start = text:sub(from, place - 2):match ".*\n()"
    if start then return from + start - 1 end
    from = from - kNear
  end
  return text:sub(1, place - 2):match ".*\n()" or 1
end

--- The lines above one that begins at `place` as long as they begin with "---"; nil if there is no example among them.
local function block_above(text, place)
  local first = place
  while first > 1 do
    local line = line_before(text, first)
    if text:sub(line, line + 2) ~= "---" then break end
    first = line
  end
  local block = text:sub(first, place - 2)
  return block:find("\n---@example", 1, true) and block
end

--- Where the line ends after which no line of the block around `at` follows.
local function end_of_block(text, at)
  repeat at = text:find("\n", at + 1, true) until text:sub(at + 1, at + 3) ~= "---"
  return at
end

--- Declarations of a file of the library, "nn/optim/sgd.lua", in order: a list of {name, block}.
function declaration.blocks(file)
  local list, text = {}, "\n" .. (native.read_embedded("tide/" .. file) or "")
  local at = 1
  while true do
    at = text:find("\n---@example", at, true)
    if not at then return list end
    at = end_of_block(text, at)
    local block = block_above(text, at + 1)
    local name = block and (block:match "\n%-%-%-@name (%S+)" or name_in(text:match("^[^\n]*", at + 1)))
    if name then list[#list + 1] = {name = name, block = block} end
  end
end

--- The block of a text that declares a name; nil if there is none.
local function block_of(text, name)
  local at = text:find("\n---@name " .. name .. "\n", 1, true)
  if at then return block_above(text, end_of_block(text, at) + 1) end
  local wanted = name:match ":.*$" or name .. '"'
  at = 0
  while true do
    at = text:find(wanted, at + 1, true)
    if not at then return nil end
    local line = line_before(text, at + 2)
    local block = name_in(text:match("^[^\n]*", line)) == name and block_above(text, line)
    if block then return block end
  end
end

local blocks, parsed = {}, {} -- by "FILE NAME"

--- The block of a file of the library that declares a name; false if there is none.
function declaration.block(name, file)
  local key = file .. " " .. name
  if blocks[key] == nil then
    local text = native.read_embedded("tide/" .. file)
    blocks[key] = text and block_of("\n" .. text, name) or false
  end
  return blocks[key]
end

--- The declaration of a name in a file of the library; nil if there is none.
function declaration.of(name, file)
  local block = declaration.block(name, file)
  if not block then return nil end
  local key = file .. " " .. name
  parsed[key] = parsed[key] or declaration.parse(block, file)
  return parsed[key]
end

--- The files of a folder of the library, "nn/", without those in its folders.
function declaration.files_in(folder)
  local files, prefix = {}, "tide/" .. folder
  for _, path in ipairs(native.list_embedded(prefix)) do
    if path:sub(-4) == ".lua" and not path:find("/", #prefix + 1, true) then
      files[#files + 1] = path:sub(#"tide/" + 1)
    end
  end
  return files
end

--- The file of a folder of the library, "nn/", that declares a name; nil if there is none.
function declaration.file_of(name, folder)
  for _, text in ipairs {name .. '"', "@name " .. name .. "\n"} do
    for _, path in ipairs(native.find_in_embedded("tide/" .. folder, text)) do
      local file = path:sub(#"tide/" + 1)
      if declaration.block(name, file) then return file end
    end
  end
end

--- What `require` takes for a file of the library.
function declaration.module_of(file) return "tide." .. file:gsub("%.lua$", ""):gsub("/", ".") end

--- The last part of a declared name that begins with `prefix`, as "nn."; nil for other names.
function declaration.name_after(prefix, name)
  return name:sub(1, #prefix) == prefix and name:match("^[%w_]+$", #prefix + 1) or nil
end

--- The files of the library that are running, the caller of the caller first.
function declaration.files_of_callers()
  local files = {}
  for level = 3, 6 do
    local info = debug.getinfo(level, "S")
    local file = info and info.source:match "^=%[tide%] (.*)$"
    if file and file ~= files[#files] and not file:find "^internal/" then files[#files + 1] = file end
  end
  return files
end

return declaration
