-- Parses JSON: strictly by RFC 8259, plus NaN, Infinity and -Infinity, which Python writes. Also writes JSON strings.
local json = {}

local kDeepest <const> = 512 -- nested arrays and objects: the stack is limited

local kEscapes <const> = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

local kWords <const> = {
  ["true"] = true, ["false"] = false, NaN = 0 / 0, Infinity = 1 / 0, ["-Infinity"] = -1 / 0,
}

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

--- Stops parsing; decode returns the message and the position.
local function fail(at, format, ...) error({at = at, message = format:format(...)}, 0) end

--- The text at a position: "'x'", or "the end".
local function found(text, at)
  local character = match(text, "^[\32-\126]", at)
  if character then return "'" .. character .. "'" end
  return at > #text and "the end" or ("byte %d"):format(byte(text, at))
end

local function skip_space(text, at) return match(text, "^[ \t\r\n]*()", at) end

-- Strings -----------------------------------------------------------------------------------------

--- The code unit of "XXXX" in \uXXXX, which begins at `at`.
local function code_unit(text, at)
  local digits = match(text, "^%x%x%x%x", at)
  if not digits then fail(at, "expected four hexadecimal digits after \\u, got %s", found(text, at)) end
  return tonumber(digits, 16)
end

--- The character of the escape whose backslash is at `at`, and the position after it.
local function read_escape(text, at)
  local letter = sub(text, at + 1, at + 1)
  if kEscapes[letter] then return kEscapes[letter], at + 2 end
  if letter ~= "u" then fail(at, "unknown escape: %s after a backslash", found(text, at + 1)) end
  local unit, stop = code_unit(text, at + 2), at + 6
  if unit >= 0xDC00 and unit <= 0xDFFF then fail(at, "half of a surrogate pair") end
  if unit >= 0xD800 and unit <= 0xDBFF then
    local low = match(text, "^\\u()", stop)
    local second = low and code_unit(text, low) or 0
    if second < 0xDC00 or second > 0xDFFF then fail(at, "half of a surrogate pair") end
    unit, stop = 0x10000 + (unit - 0xD800) * 0x400 + second - 0xDC00, stop + 6
  end
  return utf8.char(unit), stop
end

--- The string whose opening quote is at `at`, and the position after it.
local function read_string(text, at)
  local parts, from = nil, at + 1
  while true do
    local stop = find(text, '["\\\0-\31]', from)
    if not stop then fail(at, "a string is opened and never closed") end
    local character = byte(text, stop)
    if character == 34 then
      local rest = sub(text, from, stop - 1)
      if not parts then return rest, stop + 1 end
      parts[#parts + 1] = rest
      return table.concat(parts), stop + 1
    end
    if character ~= 92 then fail(stop, "byte %d in a string: it must be escaped", character) end
    parts = parts or {}
    parts[#parts + 1] = sub(text, from, stop - 1)
    parts[#parts + 1], from = read_escape(text, stop)
  end
end

-- Values ------------------------------------------------------------------------------------------

local function read_number(text, at)
  local stop = match(text, "^-?0()", at) or match(text, "^-?[1-9]%d*()", at)
  if not stop then fail(at, "expected a value, got %s", found(text, at)) end
  stop = match(text, "^%.%d+()", stop) or stop
  stop = match(text, "^[eE][+-]?%d+()", stop) or stop
  return tonumber(sub(text, at, stop - 1)), stop
end

local read_value

--- Parses the entries between brackets: read_entry(at) reads one entry and returns the position
--- after it.
local function read_entries(text, at, close, read_entry)
  at = skip_space(text, at + 1)
  if sub(text, at, at) == close then return at + 1 end
  while true do
    at = skip_space(text, read_entry(at))
    local character = sub(text, at, at)
    if character == close then return at + 1 end
    if character ~= "," then fail(at, "expected ',' or '%s', got %s", close, found(text, at)) end
    at = skip_space(text, at + 1)
  end
end

local function read_array(text, at, null, depth)
  local list = {}
  local stop = read_entries(text, at, "]", function(entry)
    local value, after = read_value(text, entry, null, depth)
    if value == nil then fail(entry, "null in an array: say what stands for it by the option null") end
    list[#list + 1] = value
    return after
  end)
  return list, stop
end

local function read_object(text, at, null, depth)
  local object, seen = {}, {}
  local stop = read_entries(text, at, "}", function(entry)
    if byte(text, entry) ~= 34 then fail(entry, "expected a key in quotes, got %s", found(text, entry)) end
    local key, after = read_string(text, entry)
    if seen[key] then fail(entry, "the key %q is given twice", key) end
    seen[key] = true
    after = skip_space(text, after)
    if byte(text, after) ~= 58 then fail(after, "expected ':', got %s", found(text, after)) end
    object[key], after = read_value(text, skip_space(text, after + 1), null, depth)
    return after
  end)
  return object, stop
end

local kReaders <const> = {[34] = read_string, [91] = read_array, [123] = read_object}

--- The value at `at`, and the position after it.
function read_value(text, at, null, depth)
  local reader = kReaders[byte(text, at)]
  if reader then
    if depth == kDeepest then fail(at, "more than %d arrays and objects inside of each other", kDeepest) end
    return reader(text, at, null, depth + 1)
  end
  local word = match(text, "^-?%a+", at)
  if word == "null" then return null, at + 4 end
  if word and kWords[word] ~= nil then return kWords[word], at + #word end
  return read_number(text, at)
end

local function read_document(text, null)
  local valid, wrong = utf8.len(text)
  if not valid then fail(wrong, "byte %d is not valid UTF-8 here", byte(text, wrong)) end
  local value, stop = read_value(text, skip_space(text, 1), null, 0)
  stop = skip_space(text, stop)
  if stop <= #text then fail(stop, "expected the end, got %s", found(text, stop)) end
  return value
end

--- The value of a JSON text. Arrays become lists, objects tables, numbers without a point or an
--- exponent integers if they fit. `null` represents null; if it is nil, null members of objects are
--- omitted, and null in an array is an error. For invalid text: nil, a message and the position of
--- the invalid byte.
function json.decode(text, null)
  local read, value = pcall(read_document, text, null)
  if read then return value end
  if type(value) ~= "table" then error(value, 0) end
  return nil, value.message, value.at
end

-- Writing -----------------------------------------------------------------------------------------

--- A text as a JSON string. It should be UTF-8.
function json.quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(character)
    if character == '"' or character == "\\" then return "\\" .. character end
    return ("\\u%04x"):format(character:byte())
  end) .. '"'
end

return json
