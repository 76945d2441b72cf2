-- Text files for the readers of tide.data, which report positions by line and column.
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local raise = require "tide.internal.raise"

local text_file = {}

--- The text of a file, decompressed if it is gzipped, without a UTF-8 byte order mark. Returns a string, or an object
--- for native.csv_record that tostring converts to one.
function text_file.open(caller, path)
  if type(path) ~= "string" then
    raise("%s: path: expected the path of a file, got %s", caller, kind_of(path))
  end
  local file <close>, reason = io.open(path, "rb")
  if not file then raise("%s: %s", caller, reason) end
  if native.file_kind(path) == "file" then return native.csv_text(path) end
  local text
  text, reason = file:read "a" -- of a pipe
  if not text then raise("%s: %s: %s", caller, path, reason) end
  return text:sub(1, 3) == "\xEF\xBB\xBF" and text:sub(4) or text
end

--- The text of a file as a string.
function text_file.read(caller, path) return tostring(text_file.open(caller, path)) end

--- The line and column of byte `at` of a text, from 1. Lines end in "\n", "\r\n" or "\r".
function text_file.place(text, at)
  local line, start = 1, 1
  while true do
    local stop = text:find("[\r\n]", start)
    if not stop or stop >= at then return line, at - start + 1 end
    line, start = line + 1, text:sub(stop, stop + 1) == "\r\n" and stop + 2 or stop + 1
  end
end

return text_file
