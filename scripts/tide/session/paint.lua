-- Syntax highlighting of Lua and of results in a terminal.
local tokens = require "tide.internal.tokens"

local colours <const> = {
  keyword = "35", string = "32", number = "36", comment = "2", type = "33", device = "35",
  mate = "1;4",
}

local types = {}
for name in ([[float8_e4m3fn float8_e5m2 float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8
  bool]]):gmatch "[%w_]+" do
  types[name] = "type"
end

local devices <const> = {cpu = "device", sim = "device", cuda = "device"}
local closing <const> = {["("] = ")", ["["] = "]", ["{"] = "}"}

--- The bracket at or before the cursor, and the matching one, become `mate`.
local function mark_mates(list, point)
  local open = {}
  for _, token in ipairs(list) do
    if closing[token.text] and token.kind == "symbol" then
      open[#open + 1] = token
    elseif token.kind == "symbol" and #open > 0 and closing[open[#open].text] == token.text then
      local mate = table.remove(open)
      for _, one in ipairs {mate, token} do
        if one.from == point or one.from == point + 1 then
          mate.kind, token.kind = "mate", "mate"
        end
      end
    end
  end
end

local function joined(list, text)
  local pieces, at = {}, 1
  for _, token in ipairs(list) do
    local colour = colours[token.kind]
    if colour then
      local before = text:sub(at, token.from - 1)
      pieces[#pieces + 1] = ("%s\27[%sm%s\27[0m"):format(before, colour, token.text)
      at = token.to + 1
    end
  end
  return table.concat(pieces) .. text:sub(at)
end

local paint = {}

--- An input with its colors; the cursor is after byte `point`.
function paint.input(text, point)
  local list = tokens(text)
  mark_mates(list, point)
  return joined(list, text)
end

--- The text of a result: its numbers, and the type and device of tensors, have colors.
function paint.result(text)
  local list = tokens(text)
  for _, token in ipairs(list) do
    if token.kind == "name" then token.kind = types[token.text] or devices[token.text] or "name" end
  end
  return joined(list, text)
end

return paint
