-- Commands for a session's variables, modules, folder and memory.
local native = require "tide.native"
local size_text = require "tide.internal.size_text"
local table_text = require "tide.internal.table_text"
local tide = require "tide"

local kLongest <const> = 48 -- characters of a value

local workspace = {}

local function bytes_of(tensors)
  local bytes = 0
  for _, x in ipairs(tensors) do bytes = bytes + x:numel() * x:element_size() end
  return bytes
end

--- Describes a variable: its kind or shape, type, device and bytes.
local function described(value)
  if tide.is_tensor(value) then
    local text = ("(%s) %s"):format(table.concat(value.shape, ", "), value.dtype)
    return text, tostring(value.device), size_text(bytes_of {value})
  end
  local Module = require "tide.nn.module"
  if require "tide.internal.class".is_a(value, Module) then
    local built, parameters = pcall(value.parameters, value)
    if not built then return getmetatable(value).name, "", "" end
    local device = parameters[1] and tostring(parameters[1].device) or ""
    return ("%s, %d parameters"):format(getmetatable(value).name, #parameters), device, size_text(bytes_of(parameters))
  end
  local text = type(value) == "string" and ("%q"):format(value) or type(value) == "function" and "function" or
    type(value) == "table" and not getmetatable(value) and table_text(value) or tostring(value)
  text = text:gsub("%s+", " ")
  return #text > kLongest and text:sub(1, kLongest - 3) .. "..." or text, "", ""
end

--- The variables of the session, a line each.
function workspace.who(session)
  local names, rows, widths = {}, {}, {0, 0, 0, 0}
  for name in pairs(session:variables()) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  if #names == 0 then return print "there are no variables" end
  table.sort(names)
  for i, name in ipairs(names) do
    rows[i] = {name, described(session:variables()[name])}
    for c, text in ipairs(rows[i]) do widths[c] = math.max(widths[c], utf8.len(text) or #text) end
  end
  for _, row in ipairs(rows) do
    local line = ""
    for c, text in ipairs(row) do line = line .. text .. (" "):rep(widths[c] - (utf8.len(text) or #text) + 2) end
    print((line:gsub("%s+$", "")))
  end
end

-- Modules -----------------------------------------------------------------------------------------

local seen = {} -- the text of each module's file when it was last checked

--- The file of a module of the script's own, and its text; nil for the library's and those in C.
local function file_of(name)
  if type(name) ~= "string" or name == "tide" or name:find "^tide%." then return nil end
  local path = package.searchpath(name, package.path)
  local file = path and io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return path, text
end

--- Runs the file of a module again. The table that it returned before gets the fields of the new one, so that existing
--- references see the new functions.
local function reload(name)
  local old = package.loaded[name]
  package.loaded[name] = nil
  local loaded, new = pcall(require, name)
  if not loaded then
    package.loaded[name] = old
    error(new, 0)
  end
  if type(old) ~= "table" or type(new) ~= "table" then return end
  for key in next, old do rawset(old, key, nil) end
  for key, value in next, new do rawset(old, key, value) end
  setmetatable(old, getmetatable(new))
  package.loaded[name] = old
end

--- Reloads the modules whose files have changed since the last check; modules not checked before are only recorded.
--- Returns the names of the reloaded modules.
local function reload_changed()
  local changed = {}
  for name in pairs(package.loaded) do
    local _, text = file_of(name)
    if text and seen[name] and seen[name] ~= text then changed[#changed + 1] = name end
    seen[name] = text or seen[name]
  end
  table.sort(changed)
  for _, name in ipairs(changed) do reload(name) end
  return changed
end

--- %reload NAME, or %reload auto | off.
function workspace.reload(session, text)
  if text == "auto" or text == "off" then
    session.reloads = text == "auto"
    reload_changed()
    return
  end
  if text == "" then error("%reload: the name of a module is missing, or auto, or off", 0) end
  if not package.loaded[text] then error(("%%reload: the module '%s' is not loaded"):format(text), 0) end
  if not file_of(text) then error(("%%reload: the module '%s' has no file of Lua"):format(text), 0) end
  reload(text)
  seen[text] = select(2, file_of(text))
end

--- Called before an input is run: reloads changed modules, if enabled.
function workspace.refresh(session)
  if not session.reloads then return end
  local changed = reload_changed()
  if #changed > 0 then print("reloaded " .. table.concat(changed, ", ")) end
end

-- Folder, environment, memory -----------------------------------------------------------------------

function workspace.cd(_, text)
  native.change_folder(text == "" and os.getenv "HOME" or text)
end

function workspace.ls(_, text)
  io.stdout:flush()
  os.execute("ls -C " .. text)
end

--- %env, %env NAME
function workspace.env(_, text)
  if text == "" then
    io.stdout:flush()
    os.execute "env | sort"
  else
    print(os.getenv(text) or ("%s is not set"):format(text))
  end
end

--- Returns the function of %memit, which measures the function that `function_of` makes of a text.
function workspace.memit(function_of)
  return function(session, text)
    local run, before = function_of(session, "memit", text), {}
    collectgarbage()
    tide.synchronize()
    for i, device in ipairs(tide.devices()) do
      tide.reset_peak_memory_stats(device)
      before[i] = tide.memory_allocated(device)
    end
    local results = table.pack(run())
    tide.synchronize()
    for i, device in ipairs(tide.devices()) do
      local peak, now = tide.max_memory_allocated(device), tide.memory_allocated(device)
      if peak > before[i] then
        print(("%s: %s more than before at most, %s more now"):format(device, size_text(peak - before[i]),
          size_text(math.max(0, now - before[i]))))
      end
    end
    return table.unpack(results, 1, results.n)
  end
end

return workspace
