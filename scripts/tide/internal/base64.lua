-- Bytes in base64 (RFC 4648).
local kDigits <const> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

return function(bytes)
  local parts = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    local letters = {}
    for k = 1, 4 do
      local digit = (bits >> (24 - 6 * k) & 63) + 1
      letters[k] = (k == 3 and not b or k == 4 and not c) and "=" or kDigits:sub(digit, digit)
    end
    parts[#parts + 1] = table.concat(letters)
  end
  return table.concat(parts)
end
