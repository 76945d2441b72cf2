-- count_refused(path, count, seed, read, named): damages the file at `path` in `count` ways, always the
-- same for a seed, and calls read() for each. It may succeed, or raise an error that contains `named`.
-- Returns the number of errors; the last damaged variant remains.
local function mutated(text)
  for _ = 1, math.random(3) do
    if text == "" then return text end
    local at, kind = math.random(#text), math.random(6)
    if kind > 4 then at = math.random(math.min(#text, 24)) end -- headers matter most
    if kind == 1 then
      text = text:sub(1, at)
    elseif kind == 2 then
      text = text:sub(1, at - 1) .. text:sub(at + math.random(1, 9))
    elseif kind == 3 then
      text = text:sub(1, at) .. text:sub(at, at + math.random(1, 9)) .. text:sub(at + 1)
    else
      text = text:sub(1, at - 1) .. string.char(math.random(0, 255)) .. text:sub(at + 1)
    end
  end
  return text
end

return function(path, count, seed, read, named)
  local file <close> = assert(io.open(path, "rb"))
  local good, refused = file:read "a", 0
  math.randomseed(seed)
  for _ = 1, count do
    os.remove(path) -- ext4 flushes a file that is truncated and rewritten
    local out <close> = assert(io.open(path, "wb"))
    out:write(mutated(good))
    out:close()
    local succeeded, message = pcall(read)
    if not succeeded then
      refused = refused + 1
      if not tostring(message):find(named, 1, true) then error(message) end
    end
  end
  return refused
end
