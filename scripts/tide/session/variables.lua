-- Writes the variables of a session to a file and reads them back: tensors and plain values.
local tide = require "tide"

--- Whether tide.save and tide.load preserve a value.
local function is_plain(value, above)
  local kind = type(value)
  if kind == "number" or kind == "string" or kind == "boolean" then return true end
  if tide.is_tensor(value) then return true end
  if kind ~= "table" or getmetatable(value) or above[value] then return false end
  above[value] = true
  for key, entry in next, value do
    local is_key = type(key) == "string" or type(key) == "number"
    if not is_key or not is_plain(entry, above) then return false end
  end
  above[value] = nil
  return true
end

--- Waits for the tensors of a plain value; raises the error of a failed one.
local function await(value)
  if tide.is_tensor(value) then
    if value:numel() > 0 then value:flatten()[1]:item() end
  elseif type(value) == "table" then
    for _, entry in next, value do await(entry) end
  end
end

local variables = {}

--- Writes the session's variables to a file; those that cannot be written are listed, and those
--- that failed with their errors.
function variables.save(session, path)
  local values, devices, left_out, failed, count = {}, {}, {}, {}, 0
  for name, value in pairs(session:variables()) do
    local plain = is_plain(value, {})
    local done, why = pcall(await, plain and value)
    if not done then
      failed[#failed + 1] = ("not saved: %s: %s"):format(name, why)
    elseif plain then
      values[name] = value
      if tide.is_tensor(value) then devices[name] = tostring(value.device) end
      count = count + 1
    else
      left_out[#left_out + 1] = name
    end
  end
  tide.save({values = values, devices = devices}, path)
  table.sort(left_out)
  table.sort(failed)
  print(("%d %s written to %s%s"):format(count, count == 1 and "variable" or "variables", path,
    left_out[1] and "; left out: " .. table.concat(left_out, ", ") or ""))
  for _, line in ipairs(failed) do print(line) end
end

--- Reads them back, each tensor to the device where it was.
function variables.load(session, path)
  local saved = tide.load(path)
  if type(saved.values) ~= "table" or type(saved.devices) ~= "table" then
    error(("%%load_session: %s was not written by %%save_session; tide.load reads it")
      :format(path), 0)
  end
  local names = {}
  for name, value in pairs(saved.values) do
    names[#names + 1] = name
    session.environment[name] = saved.devices[name] and value:to(saved.devices[name]) or value
  end
  table.sort(names)
  print(table.concat(names, ", "))
end

return variables
