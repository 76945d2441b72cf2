-- Text files as the readers of tide.data take them: read whole, with places named by line and
-- column.
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local raise = require "tide.internal.raise"

local text_file = {}

--- The text of a file, unpacked if gzip has packed it, without the mark that some editors put in front of UTF-8. A
--- string, or what native.csv_record takes in its place and tostring makes one.
function text_file.open(caller, path)
  if type(path) ~= "string" then
    raise("%s: path: expected the name of a file, got %s", caller, kind_of(path))
  end
  local file <close>, reason = io.open(path, "rb")
  if not file then raise("%s: %s", caller, reason) end
  if native.file_kind(path) == "file" then return native.csv_text(path) end
  local text
  text, reason = file:read "a" -- of a pipe
  if not text then raise("%s: %s: %s", caller, path, reason) end
  return text:sub(1, 3) == "\xEF\xBB\xBF" and text:sub(4) or text
end

--- The same as a string.
function text_file.read(caller, path) return tostring(text_file.open(caller, path)) end

--- The line that byte `at` of a text is in, and its column, both from 1. A line ends in "\n", "\r\n"
--- or "\r".
function text_file.place(text, at)
  local line, start = 1, 1
  while true do
    local stop = text:find("[\r\n]", start)
    if not stop or stop >= at then return line, at - start + 1 end
    line, start = line + 1, text:sub(stop, stop + 1) == "\r\n" and stop + 2 or stop + 1
  end
end

return text_file
