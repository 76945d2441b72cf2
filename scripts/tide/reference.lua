-- The reference: an entry for each public name. What is written in C++ has its entries from the rows that it is
-- registered from; what is written in Lua, from its declaration.
--
-- An entry: name, called_as ("x:mv"), signature ("x:mv(vector)"), parameters (see reference/parameters.lua), call (what
-- objects of a class are called with, if that is declared, else false), doc, family, example. Those of ops have a row,
-- the list of {name, kind, optional, rest} that they were registered with, and results ("Tensor, Tensor"); those of Lua
-- have a declaration. An op of several signatures has an entry for each. Signatures and parameters are made when they
-- are first asked for.
local declaration = require "tide.internal.declare.declaration"
local native = require "tide.native"

local made_when_asked = {}

--- The parameters except internal ones, whose names begin with "_".
local function public(parameters)
  local list = {}
  for _, parameter in ipairs(parameters) do
    if parameter.name:sub(1, 1) ~= "_" then list[#list + 1] = parameter end
  end
  return list
end

--- The declaration of an entry; false for what is written in C++.
function made_when_asked.declared(entry)
  return rawget(entry, "file") and declaration.of(entry.path, entry.file) or false
end

function made_when_asked.doc(entry) return entry.declared.doc end
function made_when_asked.example(entry) return entry.declared.example end

function made_when_asked.parameters(entry)
  if entry.declared then return public(entry.declared.parameters) end
  return require "tide.reference.parameters".of(entry)
end

function made_when_asked.call(entry) return entry.declared and entry.declared.call or false end

function made_when_asked.signature(entry)
  if entry.declared and entry.declared.is_table then return entry.called_as end
  return entry.called_as
    .. (entry.declared and require "tide.reference.parameters".text(entry.parameters) or entry.arguments)
end

local Entry = {}

function Entry.__index(entry, key)
  local make = made_when_asked[key]
  local value = make and make(entry)
  rawset(entry, key, value)
  return value
end

local entries = native.reference()
for _, entry in ipairs(entries) do
  entry.called_as, entry.arguments = entry.signature:match "^([^(]*)(.*)$"
  entry.row, entry.parameters = entry.parameters, nil
  setmetatable(entry, Entry)
end

require "tide.reference.declared"(function(entry) entries[#entries + 1] = setmetatable(entry, Entry) end)

return entries
