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

-- A source: path, text, delimiter (its byte) and plain_field (a pattern for fields without quotes).

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

--- The field at `at`, and the place behind it, where a delimiter or the end of the record is.
local function next_field(source, at)
  local text = source.text
  local field, stop = match(text, source.plain_field, at)
  local ending = byte(text, stop)
  if ending == kQuote then
    if stop > at then fail(source, stop, "a quote inside of a field that does not begin with one") end
    field, stop = quoted_field(source, at)
    ending = byte(text, stop)
    if ending and ending ~= source.delimiter and ending ~= kNewline and ending ~= kReturn then
      fail(source, stop, "text behind a closing quote")
    end
  end
  return field, stop, ending
end

--- The place of the first record from `at` on: empty lines are none. nil at the end of the text.
local function record_at(text, at) return match(text, "^[\r\n]*()[^\r\n]", at) end

--- The fields of the record at `at`, where they begin, and the place behind it.
local function read_record(source, at)
  local fields, places, ending = {}, {}, source.delimiter
  while ending == source.delimiter do
    places[#places + 1] = at
    fields[#fields + 1], at, ending = next_field(source, at)
    if ending == source.delimiter then at = at + 1 end
  end
  return fields, places, at
end

-- Values of fields --------------------------------------------------------------------------------

--- The number that a field is; nil if it is none. Lua's hexadecimal numbers are none here.
local function to_number(field)
  local value = tonumber(field)
  if value and not find(field, "[xX]") then return value end
  return kInfinite[field:lower()]
end

--- Returns read(field, at) for a type of tensors, which raises an error for what is not of it.
local function reader_of_type(source, name, dtype)
  local function refuse(field, at, what)
    local missing = source.missing[field] and "a missing value" or ("%q"):format(field)
    fail(source, at, "%s in column '%s', which holds %s", missing, name, what or dtype)
  end
  if dtype == "bool" then
    return function(field, at)
      if kBooleans[field] == nil then refuse(field, at) end
      return kBooleans[field]
    end
  end
  if dtype:find "int" then
    local limits = tide.iinfo(dtype)
    local least, most = limits.min, limits.max
    return function(field, at)
      local value = not source.missing[field] and to_number(field)
      local fits = math.type(value) == "integer" and value >= least and value <= most
      return fits and value or refuse(field, at)
    end
  end
  return function(field, at)
    if source.missing[field] then return 0 / 0 end
    return to_number(field) or refuse(field, at, dtype == "number" and "numbers" or dtype)
  end
end

local function as_text(field) return field end

--- Returns read(field) for a column whose type its fields tell: it gives a number or a boolean, nan
--- for a missing number, and nil when the column turns out to hold text.
local function reader_of_any(source)
  local kind
  return function(field)
    if kind ~= "boolean" then
      local value = source.missing[field] and 0 / 0 or to_number(field)
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

--- Reads the columns whose place has a reader, from record `at` on. Returns lists of values by
--- place, and the places of text: "read" if the list has it, "to read" if the text came too late.
local function read_columns(source, at, count, readers)
  local text, delimiter = source.text, source.delimiter
  local columns, texts, rows = {}, {}, 0
  readers = table.move(readers, 1, count, 1, {})
  for c = 1, count do columns[c] = readers[c] and {} end
  at = record_at(text, at)
  while at do
    rows = rows + 1
    local start, ending = at, delimiter
    for c = 1, count do
      if ending ~= delimiter then
        fail(source, start, "%d fields, expected %d", c - 1, count)
      end
      local field, stop
      field, stop, ending = next_field(source, at)
      local read = readers[c]
      if read then
        local value = read(field, at)
        columns[c][rows] = value
        if value == nil and rows == 1 then
          readers[c], texts[c], columns[c][1] = as_text, "read", field
        elseif value == nil then
          readers[c], texts[c] = false, "to read"
        end
      end
      at = ending == delimiter and stop + 1 or stop
    end
    if ending == delimiter then
      fail(source, start, "%d fields, expected %d", #read_record(source, start), count)
    end
    at = record_at(text, at)
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
  return {
    path = given.path, text = text_file.read("read_csv", given.path), delimiter = byte(delimiter),
    plain_field = "^([^" .. escaped .. '\r\n"]*)()', missing = missing,
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
