-- Figures, script lines and shapes of explanations as text.
local words = {}

local kThousands <const> = {"", "k", "M", "G", "T", "P"}

--- "1.25 M": three significant digits.
function words.figure(value)
  local power = 1
  while value >= 999.5 and power < #kThousands do
    value, power = value / 1000, power + 1
  end
  local digits = (value == math.floor(value) or value >= 99.95) and "%.0f" or value >= 9.995 and "%.1f" or "%.2f"
  return (digits:format(value) .. " " .. kThousands[power]):gsub("%s+$", "")
end

--- "8.19 kB".
function words.bytes(count)
  local text = words.figure(count)
  return text .. (text:match "%a$" and "B" or " B")
end

--- "1 step", "2 steps".
function words.count(n, noun) return ("%d %s%s"):format(n, noun, n == 1 and "" or "s") end

--- "(64, 32)".
function words.shape(sizes) return "(" .. table.concat(sizes, ", ") .. ")" end

--- "(64, 32) float32".
function words.array(value) return words.shape(value.shape) .. " " .. value.dtype end

--- "lesson.lua:12"; "?" if the line is not known.
function words.place(at) return at.file and ("%s:%d"):format(at.file, at.line) or "?" end

--- The entries of a list with different keys, in order.
function words.distinct(list, key)
  local seen, found = {}, {}
  for _, entry in ipairs(list) do
    local k = key(entry)
    if not seen[k] then
      seen[k] = true
      found[#found + 1] = k
    end
  end
  return found
end

--- The first entries of a list, and the number of the others.
function words.some(list, most, separator)
  local text = table.concat(list, separator, 1, math.min(#list, most))
  return #list > most and ("%s%s... %d more"):format(text, separator, #list - most) or text
end

return words
