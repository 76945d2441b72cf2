-- The parameters of an entry of the reference that is a row: what the function takes, each with its type, its default
-- and what it means. Names come from the row of an op, or from the arguments that the entry writes out; the rest is in
-- its notes. What is declared in the library has its own: see declared.lua.
local row_notes = require "tide.reference.row_notes"

local parameters = {}

-- Types by what the rows of ops say that they take.
local kTypeOfKind <const> = {
  tensor = "tensor", ["tensor or number"] = "tensor | number", number = "number",
  integer = "integer", boolean = "boolean", string = "string", dimension = "integer",
  ["dimension or table of dimensions"] = "integer | integer[]", position = "integer",
  ["integer or table of integers"] = "integer | integer[]",
  ["integers or table of integers"] = "integer | integer[]", ["type name"] = "dtype",
  device = "device", ["table of tensors"] = "tensor[]",
  ["table of two tables of dimensions"] = "integer[][]", ["table of integers"] = "integer[]",
  ["number or table of numbers"] = "number | number[]",
}

-- What creating ops take by name.
local kTensorOptions <const> = {"dtype", "device", "requires_grad"}

--- The parameters of a row: {name, type, optional, rest}.
local function of_row(row)
  local list = {}
  for _, parameter in ipairs(row) do
    if parameter.kind == "table of options" then
      for _, name in ipairs(kTensorOptions) do
        list[#list + 1] = {name = name, optional = true, named = true}
      end
    else
      list[#list + 1] = {
        name = parameter.name, type = kTypeOfKind[parameter.kind], optional = parameter.optional,
        rest = parameter.rest,
      }
    end
  end
  return list
end

--- The parameters in "(x, dim?, fn..., {keepdim, dtype})".
local function of_text(text)
  local list, listed, depth, last = {}, {}, 0, ""
  local inside = text:match "^%((.*)%)$" or ""
  for before, word, after in inside:gmatch "([{(]*)([%w_.]+)([^%w_.]*)" do
    depth = depth + select(2, before:gsub("{", ""))
    local name = word:match "[%a_][%w_]*" or word
    local repeats = name == "..." and last:find "}$" -- as in {name, module}...
    if listed[name] then
      listed[name].by_name = listed[name].by_name or depth > 0
    elseif not repeats then
      listed[name] = {
        name = name, named = depth > 0, optional = depth > 0 or after:find("?", 1, true) ~= nil,
        rest = word:find("...", 1, true) ~= nil,
      }
      list[#list + 1] = listed[name]
    end
    last = after
    depth = depth + select(2, after:gsub("{", "")) - select(2, after:gsub("}", ""))
  end
  return list
end

--- Adds what the notes say of them.
local function explain(list, entry)
  for _, parameter in ipairs(list) do
    local known = row_notes.parameter(entry, parameter.name)
    if known then
      local choices = known.type and known.type:find('"', 1, true)
      if choices or not parameter.type then parameter.type = known.type or parameter.type end
      parameter.default = parameter.default or parameter.optional and known.default or nil
      parameter.about = known.about
    end
  end
  return list
end

--- The parameters of an entry, in order: {name, type, about, default (as text, nil if there is
--- none), optional, rest (takes all that follows), named (by name in a table only), by_name (in its
--- place or by name, as in "(device | {device})")}.
function parameters.of(entry)
  return explain(entry.row and of_row(entry.row) or of_text(entry.arguments), entry)
end

--- "(in_features, out_features, {bias, device, dtype})".
function parameters.text(list)
  local parts, options = {}, {}
  for _, parameter in ipairs(list) do
    if parameter.named then
      options[#options + 1] = parameter.name
    else
      parts[#parts + 1] = parameter.name .. (parameter.rest and "..." or "")
        .. (parameter.optional and "?" or "")
    end
  end
  if options[1] then parts[#parts + 1] = "{" .. table.concat(options, ", ") .. "}" end
  return "(" .. table.concat(parts, ", ") .. ")"
end

return parameters
