-- CRC-32C (Castagnoli), and the mask that event records apply to it.
local byte = string.byte

local kPolynomial <const> = 0x82F63B78 -- reflected
local kPiece <const> = 4096            -- bytes per call: the number of results of a function is limited

local kTable = {}
for i = 0, 255 do
  local crc = i
  for _ = 1, 8 do crc = crc & 1 == 1 and crc >> 1 ~ kPolynomial or crc >> 1 end
  kTable[i] = crc
end

local crc32c = {}

--- The checksum of a string.
function crc32c.of(text)
  local crc, sums = 0xFFFFFFFF, kTable
  for from = 1, #text, kPiece do
    local bytes = {byte(text, from, from + kPiece - 1)}
    for i = 1, #bytes do crc = sums[(crc ~ bytes[i]) & 255] ~ crc >> 8 end
  end
  return crc ~ 0xFFFFFFFF
end

--- The masked checksum of event records: CRCs of data that contains CRCs are problematic.
function crc32c.masked(text)
  local crc = crc32c.of(text)
  return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
end

return crc32c
