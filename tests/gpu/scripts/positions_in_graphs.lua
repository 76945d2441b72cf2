-- Repeated windows with scatter_add_ and gather run as graphs; sometimes a position is out of range. Only values that
-- depend on it are lost, with their own error.
local kTurns <const> = tonumber(arg[1] or 200)

local function values(x)
  local ok, found = pcall(x.tolist, x)
  if ok then return table.concat(found, " ") end
  assert(tostring(found):find("position 99 is out of range", 1, true), found)
  return "lost"
end

--- The value after a write: if the write failed and was not reported yet, the error is raised once, and the previous
--- value remains.
local function after_write(x, failed)
  local first = values(x)
  return failed and first == "lost" and values(x) or first
end

local function full(size, value, dtype)
  return tide.full({size}, value, {device = "cuda", dtype = dtype or "float32"})
end

local function scattered(i, position)
  local x, source, index = full(8, i), full(4, i), full(4, position, "int64")
  tide.synchronize()
  local a = (source * 2):cumsum(1)
  x:scatter_add_(1, index, a)
  local b = (x + 1):cumsum(1)
  return x, (b * 3):cumsum(1)
end

local function gathered(i, position)
  local x, w, index = full(8, i), full(4, 100), full(4, position, "int64")
  tide.synchronize()
  local a = (x * 2):cumsum(1)
  local g = a:gather(1, index)
  w:add_(g)
  local b = (w + 1):cumsum(1)
  return w, (b * 3):cumsum(1), g
end

--- A bad position of one op must not be reported for the next op's.
local function blamed(i, position)
  local x, y, source = full(8, i), full(8, i), full(4, i)
  local bad, good = full(4, position, "int64"), full(4, 2, "int64")
  tide.synchronize()
  local a = (source * 2):cumsum(1)
  x:scatter_add_(1, bad, a)
  local g = y:gather(1, good)
  return x, g, (g * 3):cumsum(1):cumsum(1)
end

local function same(found, expected, words)
  if found ~= expected then error(("%s: %s, expected %s"):format(words, found, expected), 0) end
end

local function numbers(count, of)
  local list = {}
  for k = 1, count do list[k] = of(k) + 0.0 end
  return table.concat(list, " ")
end

for i = 1, kTurns do
  local bad = i % 7 == 2 or i == 8
  local position = bad and 99 or 3
  local name = ("turn %d, position %d"):format(i, position)
  local x, follows_x = scattered(i, position)
  local added = numbers(8, function(k) return not bad and k == 3 and 21 * i or i end)
  same(after_write(x, bad), added, "scatter_add_, " .. name)
  local w, c, g = gathered(i, position)
  same(values(g), bad and "lost" or numbers(4, function() return 6 * i end), "gather, " .. name)
  same(after_write(w, bad), numbers(4, function() return bad and 100 or 100 + 6 * i end), "add_ of gather, " .. name)
  local step = 3 * (101 + 6 * i)
  same(values(c), bad and "lost" or numbers(4, function(k) return step * k * (k + 1) / 2 end),
    "what follows gather, " .. name)
  assert((values(follows_x) == "lost") == bad, "what follows scatter_add_, " .. name)
  local written, good, follows = blamed(i, position)
  same(values(good), numbers(4, function() return i end), "a good gather, " .. name)
  same(values(follows), numbers(4, function(k) return 3 * i * k * (k + 1) / 2 end), "what follows it, " .. name)
  assert((values(written) == "lost") == bad, "scatter_add_ before a good gather, " .. name)
end
print(kTurns .. " turns, graphs run: " .. tide.statistics().graphs)
