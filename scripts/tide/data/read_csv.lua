-- data.read_csv: reads tables of text, whose columns become tensors or lists of strings.
local reader = require "tide.internal.declare.reader"
local native = require "tide.native"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local text_file = require "tide.data.text_file"
local tide = require "tide"

--- The name of a first column without a header, as R writes row names.
local kRowNames <const> = "row_names"

-- A source: path, text (of text_file.open), delimiter, comment (nil: there are none), missing (a set of fields).

--- Raises an error with the line and column of byte `at`.
local function fail(source, at, format, ...)
  local line, column = text_file.place(tostring(source.text), at)
  raise("read_csv: %s:%d:%d: %s", source.path, line, column, format:format(...))
end

--- The fields of the record at `at`, their byte offsets, and the offset after the record; nil at the end.
local function read_record(source, at)
  local fields, places, after = native.csv_record(source.text, at, source.delimiter, source.comment)
  if not fields and places then fail(source, places, "%s", after) end
  return fields, places, after
end

--- The columns from byte `at` on; `kinds` is that of native.csv_columns, by position.
local function read_columns(source, at, count, kinds, names)
  local columns, place, problem, c, field = native.csv_columns(source.text, at, source.delimiter, source.comment, count,
    kinds, source.missing)
  if columns then return columns end
  if problem then fail(source, place, "%s", problem) end
  local what = source.missing[field] and "a missing value" or ("%q"):format(field)
  fail(source, place, "%s in column '%s', which holds %s", what, tostring(names[c] or c), names.holds[c])
end

-- Options -----------------------------------------------------------------------------------------

--- Reads a CSV file: returns a table of the columns by name, tensors of numbers and lists of strings, and a list of the
--- names. Missing numbers are nan.
---@param path string  path of the file
---@param delimiter string = ","  separator of the columns
---@param header boolean | string[] = true  whether the first line has the names of the columns; or a list of names
---@param columns table = nil  columns to read, by name or number from 1; nil is all
---@param dtype dtype | table = nil  type of all columns, or of each by name; nil infers it from the values
---@param missing string[] = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}  strings for missing values,
---  read as nan
---@param as_tensor boolean = false  return one tensor of all columns
---@param comment string = nil  character that starts a comment, up to the end of the line
---@param skip integer >= 0 = 0  number of lines to skip at the start
---@errors malformed text: the message contains the file and the line
---@see data.read_jsonl data.TensorDataset
---@example
--- local path = os.tmpname()
--- local file = io.open(path, "w")
--- file:write "x,name\n1,ann\n2,bob\n"
--- file:close()
--- local columns = tide.data.read_csv(path)
--- os.remove(path)
--- columns.x, columns.name --> {1, 2}, {"ann", "bob"}
local read = reader "data.read_csv"

local function check_character(name, value)
  if type(value) == "string" and #value == 1 and not value:find '["\r\n]' then return value end
  raise("read_csv: %s must be one character other than a quote, got %s", name,
    type(value) == "string" and ("%q"):format(value) or protocol.kind_of(value))
end

local function new_source(given)
  if not protocol.is_list(given.missing) then
    raise("read_csv: missing: expected a list of strings, got %s", protocol.kind_of(given.missing))
  end
  local missing = {}
  for _, word in ipairs(given.missing) do missing[word] = true end
  local source = {
    path = given.path, delimiter = check_character("delimiter", given.delimiter), missing = missing,
    comment = given.comment and check_character("comment", given.comment),
  }
  source.text = text_file.open("read_csv", given.path)
  return source
end

--- The offset after `count` lines.
local function after_lines(source, count)
  local at, text = 1, count > 0 and tostring(source.text)
  for _ = 1, count do
    local stop = text:find("[\r\n]", at)
    if not stop then return #text + 1 end
    at = text:sub(stop, stop + 1) == "\r\n" and stop + 2 or stop + 1
  end
  return at
end

--- Makes names unique: repeated ones get a number, as in pandas: x, x.1, x.2.
local function each_once(names)
  local count, taken, unique = {}, {}, {}
  for _, name in ipairs(names) do taken[name] = true end
  for c, name in ipairs(names) do
    local own = name
    if count[name] then
      repeat
        count[name] = count[name] + 1
        own = ("%s.%d"):format(name, count[name] - 1)
      until not taken[own]
      taken[own] = true
    else
      count[name] = 1
    end
    unique[c] = own
  end
  return unique
end

--- The names of the columns (or nil), their number and the offset of the first record of values.
local function read_header(source, header, at)
  if type(header) == "table" then
    local seen = {}
    for _, name in ipairs(header) do
      if seen[name] then raise("read_csv: header: the column '%s' occurs twice", name) end
      seen[name] = true
    end
    return header, #header, at
  end
  local names, _, after = read_record(source, at)
  if not names then fail(source, 1, "the file is empty") end
  if not header then return nil, #names, at end
  local first = read_record(source, after)
  -- One field more than names: the first has the names of the rows, unless the line ends with a delimiter.
  if first and #first == #names + 1 and first[#first] ~= "" then table.insert(names, 1, kRowNames) end
  return each_once(names), #names, after
end

--- The positions of the requested columns.
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

--- The requested type of a column; nil to infer it.
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

--- The kind for native.csv_columns of a column with a requested type, or nil.
local function kind_of(key, wanted, as_tensor)
  if wanted == "string" then
    if as_tensor then raise("read_csv: dtype: a tensor cannot hold the text of column '%s'", tostring(key)) end
    return "text"
  end
  if not wanted then return as_tensor and "number" or "any" end
  if wanted == "bool" then return "bool" end
  return wanted:find "int" and "integer" or "real"
end

--- Converts a column to its type; integers must be in range. `at` is the offset of the first record.
local function converted(source, x, dtype, name, at, c)
  if not dtype or dtype == "string" or x.dtype == dtype then return x end
  if dtype:find "int" and #x > 0 then
    local limits = tide.iinfo(dtype)
    local wrong = x:lt(limits.min):logical_or(x:gt(limits.max))
    if wrong:any():item() then
      local row = wrong:int():argmax():item()
      local places
      for _ = 1, row do
        local _, starts, after = read_record(source, at)
        places, at = starts, after
      end
      fail(source, places[c], [["%d" in column '%s', which holds %s]], x[row]:item(), tostring(name), dtype)
    end
  end
  return x:to(dtype)
end

--- Columns of numbers and of true and false become tensors, others lists of strings. A first column without a name is
--- "row_names".
local function read_csv(...)
  local given = read(...)
  local source = new_source(given)
  local names, count, at = read_header(source, given.header, after_lines(source, given.skip))
  local places = wanted_places(given.columns, names, count)
  local keys, kinds, types, holds = {}, {}, {}, {}
  for c = 1, count do kinds[c] = "" end
  for _, c in ipairs(places) do
    keys[c] = names and names[c] or c
    types[c] = type_of(given.dtype, keys[c])
    kinds[c] = kind_of(keys[c], types[c], given.as_tensor)
    holds[c] = types[c] or "numbers"
  end
  check_types(given.dtype, keys)
  local found = read_columns(source, at, count, kinds, setmetatable({holds = holds}, {__index = keys}))
  local order, columns, list = {}, {}, {}
  for k, c in ipairs(places) do
    local column = found[c]
    list[k] = tide.is_tensor(column) and converted(source, column, types[c], keys[c], at, c) or column
    order[k], columns[keys[c]] = keys[c], list[k]
  end
  return given.as_tensor and tide.stack(list, 2) or columns, order
end

return read_csv
