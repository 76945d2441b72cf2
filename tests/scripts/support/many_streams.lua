-- Creates streams until memory for their threads runs out; the device continues with the existing ones.
local streams, message = {}, nil
local spare = ("x"):rep(48 << 20) -- memory that the existing streams need to work
for i = 1, 62 do
  local ok, result = pcall(tide.Stream, i % 2 == 0 and "sim:0" or "sim:1")
  if not ok then
    message = result
    break
  end
  streams[i] = result
end
spare = nil
collectgarbage()
for _, stream in ipairs(streams) do
  tide.stream(stream, function()
    assert((tide.ones(3, {device = stream:get_device()}) * 2):sum():item() == 6)
  end)
end
print(message and message:match "Stream: .*thread" or #streams)
