-- loggers.CSVLogger: metrics in the columns of metrics.csv, a row for each step.
local define = require "tide.internal.declare.define"
local folders = require "tide.training.loggers.folders"
local Logger = require "tide.training.loggers.logger"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local with_decimal_point = require "tide.internal.with_decimal_point"

-- Fields in addition to those of Logger: path; columns (sorted names, as in the file's header) and known (a set
-- of them); written (a set of the steps in the file); rows (step to {name = value}) and steps (in order)
-- not yet written; last_step (the largest so far); complete (whether the file ends with a complete record).
--- Logs to save_dir/name/version_N/metrics.csv, a row for each step; columns may be added later. Without a version,
--- uses the next free one; the rows of an existing version are kept.
---@param save_dir string  the parent folder of all runs
---@param name string = "tide_logs"  name of the experiment, a folder in save_dir
---@param version integer | string = nil  name of the run; nil is "version_N" with the next free N
---@waits at most once a second, when it writes
---@see loggers.TensorBoardLogger loggers.SummaryWriter tide.Trainer
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch() .. "/csv")
--- logger:log_metrics({loss = 0.5}, 1)
--- logger.version --> 0
local CSVLogger, read = define("loggers.CSVLogger", Logger)

local function field_text(text)
  return text:find '[",\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

local number_text = with_decimal_point(function(value)
  if math.type(value) == "integer" then return tostring(value) end
  if value ~= value then return "nan" end
  if value == 1 / 0 or value == -1 / 0 then return value > 0 and "inf" or "-inf" end
  local text = ("%.15g"):format(value)
  if tonumber(text) ~= value then text = ("%.17g"):format(value) end
  return text:find "[.e]" and text or text .. ".0"
end)

--- The fields of the record at offset `at`, and the offset after it; nil if its end is missing.
local function read_record(text, at)
  local fields = {}
  while true do
    local field, stop
    if text:sub(at, at) == '"' then
      local close = at
      repeat
        close = text:find('"', close + 1, true)
        if not close then return nil end
        local doubled = text:sub(close + 1, close + 1) == '"'
        if doubled then close = close + 1 end
      until not doubled
      field, stop = text:sub(at + 1, close - 1):gsub('""', '"'), close + 1
    else
      field, stop = text:match("^([^,\n]*)()", at)
    end
    fields[#fields + 1] = field
    local ending = text:sub(stop, stop)
    if ending == "\n" then return fields, stop + 1 end
    if ending ~= "," then return nil end
    at = stop + 1
  end
end

--- The rows of a file in order, each a table of fields by column with its step under 1, and the columns.
--- Ignores an incomplete last record.
local function read_rows(caller, path)
  local kind = native.file_kind(path)
  if not kind then return {}, {} end
  -- A device may be endless.
  if kind ~= "file" then raise("%s: %s is not a regular file", caller, path) end
  local file, reason = io.open(path, "rb")
  if not file then raise("%s: %s", caller, reason) end
  local text
  text, reason = file:read "a"
  file:close()
  if not text then raise("%s: %s: %s", caller, path, reason) end
  local columns, at = read_record(text, 1)
  if not columns then return {}, {} end
  local rows = {}
  while true do
    local fields, next_at = read_record(text, at)
    if not fields then return rows, columns end
    local row = {}
    for c, name in ipairs(columns) do row[name] = fields[c] end
    row[1] = math.tointeger(tonumber(row.step))
    if #fields ~= #columns or not row[1] then
      raise("%s: %s is not a metrics file: row %d", caller, path, #rows + 1)
    end
    rows[#rows + 1], at = row, next_at
  end
end

function CSVLogger:add_columns(names)
  for _, name in ipairs(names) do
    if not self.known[name] then self.known[name], self.columns[#self.columns + 1] = true, name end
  end
  table.sort(self.columns)
end

--- CSVLogger{save_dir =, name =, version =}: the rows of an existing version are kept.
function CSVLogger:init(...)
  local log_dir, name, version = folders.of_logger("CSVLogger", read(...))
  self:start("CSVLogger", log_dir)
  self.name, self.version, self.path = name, version, log_dir .. "/metrics.csv"
  self.columns, self.known, self.written, self.rows, self.steps, self.complete = {}, {}, {}, {}, {}, false
  local rows, columns = read_rows(self.caller, self.path)
  self:add_columns(columns)
  self.last_step = -1
  for _, row in ipairs(rows) do
    self.written[row[1]], self.last_step = true, math.max(self.last_step, row[1])
  end
end

--- Logs numbers, or one-element tensors, by name.
---@param metrics table  numbers or tensors by name
---@param step integer = nil  the step; nil is the next step for a CSVLogger, else 0
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch())
--- logger:log_metrics({loss = 0.5, accuracy = tide.tensor(0.25)}, 1)
--- logger:save()
--- io.open(logger.path):read() --> "accuracy,loss,step"
function CSVLogger:log_metrics(metrics, step)
  self:check_open()
  step = step == nil and self.last_step + 1 or self:checked_step(step)
  local values = {}
  for name, value in pairs(metrics) do
    if name == "step" then raise("%s: 'step' is reserved for the step column", self.caller) end
    values[name] = self:scalar(name, value)
  end
  local row = self.rows[step]
  if not row then
    row = {}
    self.rows[step], self.steps[#self.steps + 1] = row, step
  end
  for name, value in pairs(values) do row[name] = value end
  self.last_step = math.max(self.last_step, step)
  self:write_sometimes()
end

function CSVLogger:line(step, row)
  local fields = {}
  for c, name in ipairs(self.columns) do
    fields[c] = name == "step" and tostring(step) or field_text(row[name] or "")
  end
  return table.concat(fields, ",") .. "\n"
end

--- Rewrites the file with its rows and those of `steps`, under a header with all columns.
function CSVLogger:rewrite(steps, texts)
  local rows = read_rows(self.caller, self.path)
  local header = {}
  for c, name in ipairs(self.columns) do header[c] = field_text(name) end
  local lines = {table.concat(header, ",") .. "\n"}
  local merged = {}
  for _, row in ipairs(rows) do
    local step = row[1]
    for name, text in pairs(texts[step] or {}) do row[name] = text end
    merged[step], lines[#lines + 1] = true, self:line(step, row)
  end
  for _, step in ipairs(steps) do
    if not merged[step] then lines[#lines + 1] = self:line(step, texts[step]) end
  end
  native.write_file(self.path, table.concat(lines))
end

--- Appends rows. Until all of them are written, the file counts as incomplete.
function CSVLogger:append(steps, texts)
  local lines = {}
  for i, step in ipairs(steps) do lines[i] = self:line(step, texts[step]) end
  self.complete = false
  local file, reason = io.open(self.path, "ab")
  if not file then raise("%s: %s", self.caller, reason) end
  file:setvbuf "no"
  local written
  written, reason = file:write(table.concat(lines))
  file:close()
  if not written then raise("%s: %s: %s", self.caller, self.path, reason) end
end

--- Writes the pending rows: all, or all but the newest, which may still get more values.
function CSVLogger:write(all)
  local steps = table.move(self.steps, 1, #self.steps - (all and 0 or 1), 1, {})
  if #steps == 0 then return end
  local texts, again, count = {}, not self.complete, #self.columns
  local names = {"step"}
  for _, step in ipairs(steps) do
    local row = {}
    for name, value in pairs(self.rows[step]) do
      if type(value) ~= "number" then
        local read, result = pcall(Logger.number, value)
        self.rows[step][name] = read and result or nil -- a value that cannot be read is dropped
        if not read then error(result, 0) end
        value = result
      end
      row[name], names[#names + 1] = number_text(value), name
    end
    texts[step], again = row, again or self.written[step]
  end
  self:add_columns(names)
  if again or #self.columns > count then self:rewrite(steps, texts) else self:append(steps, texts) end
  self.complete = true
  for _, step in ipairs(steps) do self.written[step], self.rows[step] = true, nil end
  self.steps = table.move(self.steps, #steps + 1, #self.steps, 1, {})
end

methods(CSVLogger, "logger")

return CSVLogger
