-- data.read_jsonl: reads a file with a JSON value in each line.
local reader = require "tide.internal.declare.reader"
local json = require "tide.internal.json"
local raise = require "tide.internal.raise"
local text_file = require "tide.data.text_file"
local tide = require "tide"

--- Reads a JSON Lines file: returns a list of the values of its lines.
---@param path string  name of the file
---@param tensors boolean = false  convert arrays of numbers to tensors
---@param null any = nil  value for null
---@errors malformed text: the message contains the file and the line
---@see data.read_csv data.TensorDataset
---@example
--- local path = os.tmpname()
--- local file = io.open(path, "w")
--- file:write '{"x": [1, 2]}\n{"x": [3, 4]}\n'
--- file:close()
--- local values = tide.data.read_jsonl(path)
--- os.remove(path)
--- values[2].x --> {3, 4}
local read = reader "data.read_jsonl"

--- "numbers", "booleans", "tensors" or "lists" if all entries of a list are such, else nil.
local function kind_of_entries(list)
  local kind
  for _, entry in ipairs(list) do
    local own = tide.is_tensor(entry) and table.concat(entry.shape, ",") or type(entry)
    if kind and own ~= kind then return nil end
    kind = own
  end
  return kind
end

--- Replaces each list of numbers or booleans, and each list of such lists of equal lengths, with a tensor.
local function with_tensors(value)
  if type(value) ~= "table" then return value end
  for key, entry in pairs(value) do value[key] = with_tensors(entry) end
  if #value == 0 then return value end
  local kind = kind_of_entries(value)
  if kind == "number" or kind == "boolean" then return tide.tensor(value) end
  return kind and tide.is_tensor(value[1]) and tide.stack(value) or value
end

--- Objects and arrays are tables. null is omitted in objects, and an error elsewhere, unless the option null gives a
--- value for it, such as 0 / 0. Empty lines are skipped.
local function read_jsonl(...)
  local given = read(...)
  local text, values = text_file.read("read_jsonl", given.path), {}
  for start, line in text:gmatch "()([^\r\n]+)" do
    if line:find "[^ \t]" then
      local value, message, at = json.decode(line, given.null)
      if value == nil then
        local number, column = text_file.place(text, start + (at or 1) - 1)
        raise("read_jsonl: %s:%d:%d: %s", given.path, number, column,
          message or "unexpected null: pass a value for it as the option null")
      end
      values[#values + 1] = given.tensors and with_tensors(value) or value
    end
  end
  return values
end

return read_jsonl
