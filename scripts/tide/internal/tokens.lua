-- The tokens of a Lua text, which may be incomplete or invalid: to read and highlight inputs.

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
  return then true until while]]):gmatch "%a+" do
  keywords[word] = true
end

--- Where the long bracket that opens at `from` ends, or the end of the text.
local function end_of_long_bracket(text, from)
  local level = text:match("^%[(=*)%[", from)
  if not level then return nil end
  local _, to = text:find("]" .. level .. "]", from, true)
  return to or #text
end

--- Where the string whose quote stands at `from` ends: its other quote, or the line.
local function end_of_string(text, from)
  local stop = "[\\\n" .. text:sub(from, from) .. "]"
  local at = text:find(stop, from + 1)
  while at and text:sub(at, at) == "\\" do at = text:find(stop, at + 2) end
  if not at then return #text end
  return text:sub(at, at) == "\n" and at - 1 or at
end

local number_forms <const> = {
  "^0[xX][%x%.]*[pP][+-]?%d+", "^0[xX][%x%.]*", "^[%d%.]+[eE][+-]?%d+", "^[%d%.]+",
}

local function end_of_number(text, from)
  for _, form in ipairs(number_forms) do
    local _, to = text:find(form, from)
    if to then return to end
  end
end

local two_letters <const> = {["=="] = true, ["~="] = true, ["<="] = true, [">="] = true,
  ["//"] = true, ["::"] = true, ["<<"] = true, [">>"] = true, [".."] = true}

--- The kind of the token at `from`, and where it ends.
local function token_at(text, from)
  if text:find("^[%a_]", from) then
    local _, to = text:find("^[%w_]+", from)
    return keywords[text:sub(from, to)] and "keyword" or "name", to
  elseif text:find("^%.?%d", from) then
    return "number", end_of_number(text, from)
  elseif text:find("^%-%-", from) then
    local line = (text:find("\n", from, true) or #text + 1) - 1
    return "comment", end_of_long_bracket(text, from + 2) or line
  elseif text:find("^[\"']", from) then
    return "string", end_of_string(text, from)
  end
  local long = end_of_long_bracket(text, from)
  if long then return "string", long end
  if text:sub(from, from + 2) == "..." then return "symbol", from + 2 end
  return "symbol", two_letters[text:sub(from, from + 1)] and from + 1 or from
end

--- A list of the text's tokens: their kind ("name", "keyword", "number", "string", "comment",
--- "symbol"), first and last byte, and text.
local function tokens(text)
  local list, at = {}, text:find "%S"
  while at do
    local kind, to = token_at(text, at)
    list[#list + 1] = {kind = kind, from = at, to = to, text = text:sub(at, to)}
    at = text:find("%S", to + 1)
  end
  return list
end

return tokens
