-- Sizes of memory as texts: "12 B", "1.50 MB".
local kUnits <const> = {"B", "kB", "MB", "GB", "TB"}

--- A number of bytes as text, in the unit that makes it less than 1000.
local function size_text(bytes)
  local unit = 1
  while math.abs(bytes) >= 1000 and unit < #kUnits do bytes, unit = bytes / 1024, unit + 1 end
  return unit == 1 and ("%d B"):format(bytes) or ("%.2f %s"):format(bytes, kUnits[unit])
end

return size_text
