-- data.read_csv: reads tables of text, whose columns become tensors or lists of strings.
local arguments = require "tide.internal.arguments"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local text_file = require "tide.data.text_file"
local tide = require "tide"

local byte, find, match, sub, tonumber = string.byte, string.find, string.match, string.sub, tonumber

local kQuote <const>, kNewline <const>, kReturn <const> = 34, 10, 13

local kMissing <const> = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}

local kBooleans <const> = {
  ["true"] = true, True = true, TRUE = true, ["false"] = false, False = false, FALSE = false,
}

local kInfinite <const> = {
  inf = 1 / 0, ["+inf"] = 1 / 0, ["-inf"] = -1 / 0, infinity = 1 / 0, ["+infinity"] = 1 / 0,
  ["-infinity"] = -1 / 0,
}

-- A source: path, text, delimiter (its byte), escaped_delimiter and plain (in patterns: a delimiter,
-- a field without quotes), plain_field (the pattern of such a field and the place behind it), missing
-- (a set of fields), and hexadecimal (whether a field may be a hexadecimal number of Lua's).

--- Raises an error about what is at byte `at`.
local function fail(source, at, format, ...)
  local line, column = text_file.place(source.text, at)
  raise("read_csv: %s:%d:%d: %s", source.path, line, column, format:format(...))
end

-- Fields and records ------------------------------------------------------------------------------

--- The field whose opening quote is at `at`, and the place behind its closing quote.
local function quoted_field(source, at)
  local text, from, doubled = source.text, at + 1, false
  while true do
    local close = find(text, '"', from, true)
    if not close then fail(source, at, "a quote is opened and never closed") end
    if byte(text, close + 1) ~= kQuote then
      local field = sub(text, at + 1, close - 1)
      return doubled and field:gsub('""', '"') or field, close + 1
    end
    doubled, from = true, close + 2
  end
end

--- The field at `at`, whose first quote is at `quote`, the place behind it, and the byte there: a
--- delimiter or the end of the record.
local function field_with_quotes(source, at, quote)
  if quote > at then fail(source, quote, "a quote inside of a field that does not begin with one") end
  local field, stop = quoted_field(source, at)
  local ending = byte(source.text, stop)
  if ending and ending ~= source.delimiter and ending ~= kNewline and ending ~= kReturn then
    fail(source, stop, "text behind a closing quote")
  end
  return field, stop, ending
end

--- The place of the first record from `at` on: empty lines are none. nil at the end of the text.
local function record_at(text, at) return match(text, "^[\r\n]*()[^\r\n]", at) end

--- The fields of the record at `at`, where they begin, and the place behind it.
local function read_record(source, at)
  local fields, places, ending = {}, {}, source.delimiter
  while ending == source.delimiter do
    local field, stop = match(source.text, source.plain_field, at)
    ending = byte(source.text, stop)
    if ending == kQuote then field, stop, ending = field_with_quotes(source, at, stop) end
    places[#places + 1], fields[#fields + 1] = at, field
    at = ending == source.delimiter and stop + 1 or stop
  end
  return fields, places, at
end

-- Values of fields --------------------------------------------------------------------------------

--- The number that a field is; nil if it is none. Lua's hexadecimal numbers are none here.
local function to_number(source, field)
  local value = tonumber(field)
  if value and not (source.hexadecimal and find(field, "[xX]")) then return value end
  return kInfinite[field:lower()]
end

--- Returns read(field, at, c) for a type of tensors, which raises an error if field c of the record
--- at `at` is not of it.
local function reader_of_type(source, name, dtype)
  local function refuse(field, at, c)
    local missing = source.missing[field] and "a missing value" or ("%q"):format(field)
    local _, places = read_record(source, at)
    fail(source, places[c], "%s in column '%s', which holds %s", missing, name,
      dtype == "number" and "numbers" or dtype)
  end
  if dtype == "bool" then
    return function(field, at, c)
      if kBooleans[field] == nil then refuse(field, at, c) end
      return kBooleans[field]
    end
  end
  if dtype:find "int" then
    local limits = tide.iinfo(dtype)
    local least, most = limits.min, limits.max
    return function(field, at, c)
      local value = not source.missing[field] and to_number(source, field)
      local fits = math.type(value) == "integer" and value >= least and value <= most
      return fits and value or refuse(field, at, c)
    end
  end
  return function(field, at, c)
    if source.missing[field] then return 0 / 0 end
    return to_number(source, field) or refuse(field, at, c)
  end
end

local function as_text(field) return field end

--- Returns read(field) for a column whose type its fields tell: it gives a number or a boolean, nan
--- for a missing number, and nil when the column turns out to hold text.
local function reader_of_any(source)
  local kind
  return function(field)
    if kind ~= "boolean" then
      local value = source.missing[field] and 0 / 0 or to_number(source, field)
      if value or kind then
        kind = "number"
        return value
      end
      kind = "boolean"
    end
    return kBooleans[field]
  end
end

-- Columns -----------------------------------------------------------------------------------------

-- Lua's patterns have 32 captures at most, one of which is the place behind the record, and match
-- long patterns by recursion.
local kWidest <const> = 31

--- A pattern that gives the fields of a record that are wanted (a list of places among `count`), if
--- none has quotes, and the place behind it; nil if there are too many for one.
local function record_pattern(source, count, wanted)
  if count > kWidest then return nil end
  local parts = {}
  for c = 1, count do parts[c] = source.plain end
  for _, c in ipairs(wanted) do parts[c] = "(" .. source.plain .. ")" end
  return "^" .. table.concat(parts, source.escaped_delimiter) .. "\r?\n()"
end

--- The wanted fields of the record at `at`, which does not fit the pattern, and the place behind it.
local function read_wanted(source, at, count, wanted)
  local all, _, behind = read_record(source, at)
  if #all ~= count then fail(source, at, "%d fields, expected %d", #all, count) end
  local fields = {}
  for k, c in ipairs(wanted) do fields[k] = all[c] end
  return fields, behind
end

--- Reads the columns whose place has a reader, from record `at` on. Returns lists of values by
--- place, and the places of text: "read" if the list has it, "to read" if the text came too late.
local function read_columns(source, at, count, readers)
  local text, columns, texts, wanted, row = source.text, {}, {}, {}, 0
  readers = table.move(readers, 1, count, 1, {})
  for c = 1, count do
    if readers[c] then columns[c], wanted[#wanted + 1] = {}, c end
  end
  local pattern, width = record_pattern(source, count, wanted), #wanted
  at = record_at(text, at)
  while at do
    row = row + 1
    local fields = pattern and {match(text, pattern, at)} or {}
    local behind = fields[width + 1]
    if not behind then fields, behind = read_wanted(source, at, count, wanted) end
    for k = 1, width do
      local c = wanted[k]
      local read, field = readers[c], fields[k]
      local value = read and read(field, at, c)
      columns[c][row] = value
      if value == nil and row == 1 then
        readers[c], texts[c], columns[c][1] = as_text, "read", field
      elseif value == nil then
        readers[c], texts[c] = false, "to read"
      end
    end
    at = record_at(text, behind)
  end
  return columns, texts
end

--- As read_columns, where columns that turn out to hold text are read again, as strings.
local function read_values(source, at, count, readers)
  local columns, texts = read_columns(source, at, count, readers)
  local again, any = {}, false
  for c = 1, count do
    again[c] = texts[c] == "to read" and as_text
    any = any or again[c]
  end
  local found = any and read_columns(source, at, count, again)
  for c in pairs(texts) do columns[c] = again[c] and found[c] or columns[c] end
  return columns, texts
end

-- Options -----------------------------------------------------------------------------------------

local read = arguments("read_csv", {
  "path", {"delimiter", ","}, {"header", true}, {"columns"}, {"dtype"}, {"missing", kMissing},
  {"as_tensor", false},
})

local function new_source(given)
  local delimiter = given.delimiter
  if type(delimiter) ~= "string" or #delimiter ~= 1 or find(delimiter, '["\r\n]') then
    raise("read_csv: delimiter must be one character other than a quote, got %s",
      type(delimiter) == "string" and ("%q"):format(delimiter) or protocol.kind_of(delimiter))
  end
  if not protocol.is_list(given.missing) then
    raise("read_csv: missing: expected a list of strings, got %s", protocol.kind_of(given.missing))
  end
  local missing = {}
  for _, word in ipairs(given.missing) do missing[word] = true end
  local escaped = find(delimiter, "%w") and delimiter or "%" .. delimiter
  local plain = "[^" .. escaped .. '\r\n"]*'
  local text = text_file.read("read_csv", given.path)
  return {
    path = given.path, text = text, delimiter = byte(delimiter), escaped_delimiter = escaped, plain = plain,
    plain_field = "^(" .. plain .. ")()", missing = missing, hexadecimal = find(text, "0[xX]") ~= nil,
  }
end

--- The names of the columns (nil: none), their number and the place of the first record of values.
local function read_header(source, header)
  local at = record_at(source.text, 1)
  local names, places, behind = header, nil, 1
  if type(header) == "boolean" then
    if not at then fail(source, 1, "the file is empty") end
    names, places, behind = read_record(source, at)
    if not header then return nil, #names, at end
  end
  local seen = {}
  for c, name in ipairs(names) do
    if seen[name] and places then fail(source, places[c], "the column '%s' is there twice", name) end
    if seen[name] then raise("read_csv: header: the column '%s' is there twice", name) end
    seen[name] = true
  end
  return names, #names, behind
end

--- The places of the columns that are asked for.
local function wanted_places(columns, names, count)
  local places, place_of = {}, {}
  for c = 1, count do
    places[c] = c
    if names then place_of[names[c]] = c end
  end
  if columns == nil then return places end
  if not protocol.is_list(columns) then
    raise("read_csv: columns: expected a list of names or positions, got %s", protocol.kind_of(columns))
  end
  places = {}
  for k, wanted in ipairs(columns) do
    local place = place_of[wanted] or math.type(wanted) == "integer" and wanted
    if not place or place < 1 or place > count then
      raise("read_csv: columns[%d]: there is no column %s: there are %s", k, tostring(wanted),
        names and table.concat(names, ", ") or ("%d columns"):format(count))
    end
    places[k] = place
  end
  return places
end

--- The full name of a type, "string" for text.
local function full_type(dtype)
  if dtype == "string" then return dtype end
  return tide.zeros({0}, {dtype = dtype}).dtype
end

--- The type that is asked for a column; nil if its fields tell.
local function type_of(dtype, key)
  if type(dtype) == "table" then dtype = dtype[key] end
  return dtype ~= nil and full_type(dtype) or nil
end

--- Raises an error for types of columns that are not read.
local function check_types(dtype, keys)
  if type(dtype) ~= "table" then return end
  local known = {}
  for _, key in pairs(keys) do known[key] = true end
  for key in pairs(dtype) do
    if not known[key] then raise("read_csv: dtype: the column %s is not read", tostring(key)) end
  end
end

--- A reader for the fields of a column, whose type is given or nil.
local function reader_of(source, key, wanted, as_tensor)
  if wanted == "string" then
    if as_tensor then raise("read_csv: dtype: a tensor cannot hold the text of column '%s'", key) end
    return as_text
  end
  if wanted or as_tensor then return reader_of_type(source, key, wanted or "number") end
  return reader_of_any(source)
end

--- data.read_csv(path, {delimiter, header, columns, dtype, missing, as_tensor}): a table of the
--- columns by name, and a list of the names. Numbers become tensors, words true and false too, other
--- columns lists of strings; missing numbers are nan. header = false means that the first line holds
--- no names, and a list gives them; without names columns go by position. `columns` lists those
--- to read. `dtype` is a type for all of them, or a table of types by name ("string" for text).
--- With as_tensor = true the first result is one tensor with a row for each record.
local function read_csv(...)
  local given = read(...)
  protocol.check_boolean("read_csv", "as_tensor", given.as_tensor)
  if type(given.header) ~= "boolean" and not protocol.is_list(given.header) then
    raise("read_csv: header: expected true, false or a list of names, got %s", protocol.kind_of(given.header))
  end
  local source = new_source(given)
  local names, count, at = read_header(source, given.header)
  local places = wanted_places(given.columns, names, count)
  local keys, readers, types = {}, {}, {}
  for c = 1, count do readers[c] = false end
  for _, c in ipairs(places) do
    keys[c] = names and names[c] or c
    types[c] = type_of(given.dtype, keys[c])
    readers[c] = reader_of(source, keys[c], types[c], given.as_tensor)
  end
  check_types(given.dtype, keys)
  local values, texts = read_values(source, at, count, readers)
  local order, columns, list = {}, {}, {}
  for k, c in ipairs(places) do
    local text = texts[c] or types[c] == "string"
    list[k] = text and values[c] or tide.tensor(values[c], {dtype = types[c]})
    order[k], columns[keys[c]] = keys[c], list[k]
  end
  return given.as_tensor and tide.stack(list, 2) or columns, order
end

return read_csv
