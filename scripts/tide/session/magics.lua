-- The commands of a session: %NAME ARGUMENT and !COMMAND.
local native = require "tide.native"
local nearest = require "tide.internal.nearest"
local tide = require "tide"
local workspace = require "tide.session.workspace"

local long_enough <const> = 1 -- seconds that %timeit measures

--- The function of an expression or of statements.
local function function_of(session, name, text)
  if text == "" then
    error(("%%%s: an expression is missing, as in %%%s x:sum()"):format(name, name), 0)
  end
  local kind, value = session:compile(text)
  if kind == "run" then return value end
  error(kind == "wrong" and value or ("%%%s: the expression is unfinished"):format(name), 0)
end

--- Opens a file; errors do not name a line of the input.
local function open(name, path, mode)
  local file, message = io.open(path, mode)
  return file or error(("%%%s: %s"):format(name, message), 0)
end

local function need_file(name, text)
  if text == "" then error(("%%%s: the name of a file is missing"):format(name), 0) end
  return text
end

--- The results of `run`, and milliseconds: of the host, of its waits, and until the devices finished.
local function measured(run)
  tide.synchronize()
  local waited, start = tide.statistics().wait_ms, tide.time()
  local results = table.pack(run())
  tide.flush()
  local host = 1000 * (tide.time() - start)
  waited = tide.statistics().wait_ms - waited
  tide.synchronize()
  return results, host, waited, 1000 * (tide.time() - start)
end

local function timeit(session, text)
  local run = function_of(session, "timeit", text)
  local _, _, _, first = measured(run) -- compiles
  local _, _, _, once = measured(run)
  local repeats = math.tointeger(1000 * long_enough // math.max(once, 1e-3))
  if first > 1000 * long_enough then repeats = 0 end
  return tide.benchmark(run, {warmup = 0, repeats = math.max(1, repeats)})
end

local function time(session, text)
  local results, host, waited, whole = measured(function_of(session, "time", text))
  print(("%.3f ms: the host %.3f ms, of which it waited %.3f ms, then the devices %.3f ms")
    :format(whole, host, waited, whole - host))
  return table.unpack(results, 1, results.n)
end

local function syncs(session, text)
  local run = function_of(session, "syncs", text)
  local before = {}
  local function key(wait) return wait.place .. " " .. wait.reason end
  for _, wait in ipairs(native.wait_report()) do before[key(wait)] = wait end
  local results = table.pack(run())
  local any = false
  for _, wait in ipairs(native.wait_report()) do
    local known = before[key(wait)] or {count = 0, ms = 0}
    local count = wait.count - known.count
    if count > 0 then
      any = true
      print(("%s: %s: waited %s, %.3f ms"):format(wait.place, wait.reason,
        count == 1 and "once" or count .. " times", wait.ms - known.ms))
    end
  end
  if not any then print "it did not wait" end
  return table.unpack(results, 1, results.n)
end

--- The profile, which is shown as a result and can be saved as one.
local function profile(session, text)
  return (tide.profile(function_of(session, "profile", text)))
end

local function device(_, text)
  if text ~= "" then
    tide.ones(1, {device = text}) -- raises if it does not exist
    tide.set_default_device(text)
  end
  return tide.get_default_device()
end

--- The numbers of the inputs so far, without this one.
local function numbers(session)
  local list = session:numbers()
  if list[#list] == session.number then list[#list] = nil end
  return list
end

local function edit(session, text)
  if require("tide.display.notebook").show then
    error("%edit: a notebook has no terminal for an editor; cells are edited where they are", 0)
  end
  local all = numbers(session)
  local input = session.inputs[text == "" and all[#all] or math.tointeger(tonumber(text))]
  if text ~= "" and not input then error(("%%edit: there is no input %s"):format(text), 0) end
  local path = os.tmpname()
  local _ <close> = setmetatable({}, {__close = function() os.remove(path) end})
  local file = open("edit", path, "w")
  file:write(input and input.text or "", "\n"):close()
  io.stdout:flush()
  local editor = os.getenv "VISUAL" or os.getenv "EDITOR" or "vi"
  if not os.execute(editor .. " " .. path) then
    error(("%%edit: %s failed; VISUAL or EDITOR names another editor"):format(editor), 0)
  end
  local edited = open("edit", path, "r"):read "a"
  if not edited:find "%S" then return end
  io.write(edited)
  local kind, value = session:read(edited:match "^(.-)%s*$", session.number)
  if kind == "run" then return value() end
  error(kind == "wrong" and value or "%edit: the text is unfinished", 0)
end

local function run_file(_, text)
  local words = {}
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  local path = need_file("run", words[1] or "")
  local run, message = loadfile(path)
  if not run then error(message, 0) end
  local before = rawget(_G, "arg")
  local _ <close> = setmetatable({}, {__close = function() rawset(_G, "arg", before) end})
  rawset(_G, "arg", table.move(words, 1, #words, 0, {}))
  return run(table.unpack(words, 2))
end

--- Runs the text of a file as if it had been typed.
local function load_input(session, text)
  local file <close> = open("load", need_file("load", text), "r")
  local code = file:read "a"
  io.write(code, code:find "\n$" and "" or "\n")
  local kind, value = session:read(code:match "^(.-)%s*$", session.number)
  if kind == "run" then return value() end
  if kind ~= "nothing" then error(kind == "wrong" and value or "%load: the text is unfinished", 0) end
end

local function save(session, text)
  local path = need_file("save", text)
  local file = open("save", path, "w")
  local count = 0
  for _, number in ipairs(numbers(session)) do
    local script = session.inputs[number].script
    if script then
      file:write(script, "\n")
      count = count + 1
    end
  end
  file:close()
  print(("%d %s written to %s"):format(count, count == 1 and "input" or "inputs", path))
end

local function history(session)
  for _, number in ipairs(numbers(session)) do
    local mark = ("In [%d]: "):format(number)
    local next_line = "\n" .. (" "):rep(#mark - 5) .. "...: "
    print(mark .. session.inputs[number].text:gsub("\n", next_line))
  end
end

local function shell(_, text)
  if text == "" then error("!: a command is missing, as in !ls", 0) end
  io.stdout:flush()
  local _, what, code = os.execute(text)
  if code == 0 then return end
  print(("%s %d"):format(what == "signal" and "ended by signal" or "exit status", code))
end

local rows -- name, argument, what it does, function of the session and the argument

local function list_magics(session)
  local lines = {}
  for _, row in ipairs(rows) do
    local usage = (row[1] == "!" and "!%s" or "%%" .. row[1] .. " %s"):format(row[2])
    lines[#lines + 1] = ("  %-26s %s"):format(usage, row[3])
  end
  lines[#lines + 1] = ("_ is the last result, _12 that of input 12; the last %d are kept.")
    :format(session.most_results)
  print(table.concat(lines, "\n"))
end

local function variables(name)
  return function(session, text)
    local path = need_file(name .. "_session", text)
    require "tide.session.variables"[name](session, path)
  end
end

rows = {
  {"timeit", "EXPRESSION", "how long it takes, over as many runs as fill a second", timeit},
  {"time", "EXPRESSION", "how long one run takes the host and the devices", time},
  {"syncs", "EXPRESSION", "where it waits for a device, how often and how long", syncs},
  {"profile", "EXPRESSION", "its profile: _:save(\"trace.html\") keeps it", profile},
  {"memit", "EXPRESSION", "how much memory it takes on each device", workspace.memit(function_of)},
  {"device", "[DEVICE]", "makes it the default, where tensors are created", device},
  {"edit", "[N]", "opens the last input, or N, in $EDITOR and runs it", edit},
  {"run", "FILE [ARGUMENTS]", "runs a script; its globals stay", run_file},
  {"load", "FILE", "runs the text of a file as an input", load_input},
  {"save", "FILE", "writes the inputs so far as a script", save},
  {"who", "", "lists the variables: shapes, types, devices, bytes", workspace.who},
  {"reload", "NAME | auto | off", "loads a module again; auto: when its file changes", workspace.reload},
  {"cd", "[FOLDER]", "goes to a folder", workspace.cd},
  {"ls", "[NAMES]", "lists files", workspace.ls},
  {"env", "[NAME]", "shows the environment, or a variable of it", workspace.env},
  {"history", "", "lists the inputs so far", history},
  {"save_session", "FILE", "writes the variables: tensors and plain values", variables "save"},
  {"load_session", "FILE", "reads them back", variables "load"},
  {"help", "", "lists these commands", list_magics},
  {"!", "COMMAND", "runs a command of the shell", shell},
}

local magics = {rows = rows}

--- The function of `%text` or `!text`.
function magics.read(session, mark, text)
  local name, argument = "!", text
  if mark == "%" then
    name, argument = text:match "^%s*([%w_]*)%s*(.*)$"
    if name == "" then name = "help" end
  end
  argument = argument:match "^(.-)%s*$"
  local names = {}
  for _, row in ipairs(rows) do
    names[row[1]] = true
    if row[1] == name then
      return function()
        local results = table.pack(row[4](session, argument)) -- a tail call would show
        return table.unpack(results, 1, results.n)
      end
    end
  end
  return function()
    local near = nearest(name, names)
    error(("unknown command %%%s%s; %%help lists the commands")
      :format(name, near and ("; did you mean %%%s?"):format(near) or ""), 0)
  end
end

return magics
