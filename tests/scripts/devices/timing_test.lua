-- Timed work, and the output of smi: devices in use, by this process and by others.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local describe, it = test.describe, test.it

local function write(path, text)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

--- The numbers captured by the pattern in a text.
local function numbers(text, pattern)
  local found = {text:match(pattern)}
  if not found[1] then error("no '" .. pattern .. "' in: " .. text, 0) end
  for i, word in ipairs(found) do found[i] = tonumber(word) end
  return table.unpack(found)
end

describe("timing", function()
  local folder = own_folder()

  -- Five launches on the device, of 20 ms each if that is a sim.
  local work = [[
    local function work(device)
      local x = tide.ones(10, {device = device})
      for _ = 1, 5 do x = x * 2 tide.flush() end
    end
  ]]
  local function output(text, options)
    write(folder() .. "/script.lua", work .. text)
    return run(("run '%s/script.lua' %s"):format(folder(), options or ""), "TIDE_SIM_LAUNCH=0.02")
  end
  local events = [[
    work(DEVICE)
    tide.synchronize()
    local a, b = tide.Event{timing = true}, tide.Event{timing = true}
    a:record()
    work(DEVICE)
    b:record()
    print(a:elapsed_time(b))
  ]]

  it("by events uses the given device", function()
    local text = events:gsub("DEVICE", "tide.accelerator()")
    test.is_true(tonumber((output(text, "--device sim"))) >= 100)
    test.is_true(tonumber((output(text, "--device sim:1"))) >= 100)
  end)
  it("by events follows the default device", function()
    local text = 'tide.set_default_device "sim" ' .. events:gsub("DEVICE", "nil")
    test.is_true(tonumber((output(text))) >= 100)
    test.is_true(tonumber((output(text, "--device cpu"))) >= 100)
  end)
  it("by events excludes other devices", function()
    local text = events:gsub("DEVICE", '"sim"')
    test.is_true(tonumber((output(text))) < 100)
  end)

  local report = [[
    local result = tide.benchmark(function() FN end, {warmup = 1, repeats = 2})
    print(result.device, #result.devices, result.device_ms, result)
  ]]
  it("by benchmark reports the device in use", function()
    for _, options in ipairs {"--device sim", ""} do
      local text = output(report:gsub("FN", 'work "sim"'), options)
      local device, count, ms, places =
        text:match "^(%S+)\t(%d+)\t(%S+)\thost [^\n]* (%d+ runs[^\n]*)\n$"
      test.equal({device, count, places}, {"sim:0", "1", "2 runs on sim:0"})
      test.is_true(tonumber(ms) >= 100)
    end
  end)
  it("by benchmark reports the peak of the device in use", function()
    local text = output [[
      print(tide.benchmark(function() return tide.ones(1e6, {device = "sim"}) + 1 end,
        {repeats = 2}).peak_bytes)
    ]]
    test.is_true(tonumber((text)) >= 4e6)
  end)
  it("by benchmark reports several devices", function()
    local text = output(report:gsub("FN", 'work "sim" work "cpu"'), "--device sim")
    test.is_true(text:find("^sim:0\t2\t") ~= nil)
    test.is_true(text:find("2 runs on several devices: %S+, %S+\n$") ~= nil)
    text = output(report:gsub("FN", ""))
    test.is_true(text:find "^cpu\t0\t.*2 runs\n$" ~= nil)
  end)
end)

describe("smi", function()
  local folder = own_folder()
  local function smi(words)
    return (run("smi " .. (words or ""), ("XDG_RUNTIME_DIR='%s' TIDE_SIM_DEVICES=2"):format(folder())))
  end
  local function files()
    local pipe <close> = assert(io.popen(("ls -A '%s/tide'"):format(folder())))
    return pipe:read "a"
  end

  it("shows the memory and the use of other processes' sims, while they run", function()
    write(folder() .. "/worker.lua", [[
      local x = tide.ones(25 * 2 ^ 20 // 1, {device = "sim:1"})
      while true do x:mul_(1) tide.synchronize() end
    ]])
    local process = run(("'%s/worker.lua' >'%s/log' 2>&1 & echo $!"):format(folder(), folder()),
      ("export XDG_RUNTIME_DIR='%s';"):format(folder())):match "%d+"
    local line = "\n  sim:1  process " .. process .. "  (%d+) MB  (%d+)%%\n"
    local text
    for _ = 1, 100 do  -- until it has started
      text = smi()
      local use = select(2, text:match(line))
      if use and tonumber(use) > 20 then break end
    end
    local memory, use = numbers(text, line)
    test.is_true(memory >= 100)
    test.is_true(use > 20)
    test.is_true(numbers(text, "\n| sim:1 [^\n]* (%d+) / 1024 MB |") == memory)
    test.is_true(numbers(text, "\n| sim:1 [^\n]* (%d+)%% |\n") > 20)
    test.equal(numbers(text, "\n| sim:0 [^\n]* (%d+) / 1024 MB |"), 0)
    test.equal(numbers(text, "\n| sim:0 [^\n]* (%d+)%% |\n"), 0)
    test.is_true(numbers(text, "\n| cpu [^\n]* (%d+)%% |\n") > 0)
    test.is_true(numbers(smi "dmon 1", "\nsim:1 +%- +%- +(%d+) ") > 20)
    os.execute("kill -9 " .. process)
    repeat until not os.execute("kill -0 " .. process .. " 2>/dev/null")
    test.equal(smi():find "sim:%d  process", nil)
    test.equal(files(), "")
  end)
  it("shows the queue and the memory of other processes' devices", function()
    write(folder() .. "/worker.lua", [[
      tide.sim.configure {device = "sim:1", launch_cost = 0.02}
      local kept = tide.ones(25 * 2 ^ 20 // 1)
      local x = tide.ones({8}, {device = "sim:1"})
      while true do
        for _ = 1, 50 do
          x = x:cumsum(1)
          tide.flush()
        end
        tide.synchronize()
      end
    ]])
    local process = run(("'%s/worker.lua' >'%s/log' 2>&1 & echo $!"):format(folder(), folder()),
      ("export XDG_RUNTIME_DIR='%s';"):format(folder())):match "%d+"
    local memory, queue
    for _ = 1, 100 do
      local text = smi "dmon 1"
      memory = tonumber(text:match "\n  cpu [^\n]* (%d+) +%d+\n")
      queue = tonumber(text:match "\nsim:1 [^\n]* (%d+)\n")
      if memory >= 100 and queue > 0 then break end
    end
    os.execute("kill -9 " .. process)
    test.is_true(memory >= 100, memory)
    test.is_true(queue > 0, queue)
    test.is_true(tonumber(smi("dmon 1"):match "\n  cpu [^\n]* (%d+) +%d+\n") < 100)
  end)
  it("keeps its files in a folder of the user", function()
    smi()
    local pipe <close> = assert(io.popen(("stat -c %%a '%s/tide'"):format(folder())))
    test.equal(pipe:read "a", "700\n")
    test.equal(files(), "")
    os.execute(("chmod 755 '%s/tide'"):format(folder()))
    test.is_true(smi():find "\n| sim:0 " ~= nil)
    test.equal(files(), "")
  end)
  it("parses the number of times to print completely", function()
    for _, words in ipairs {"dmon 3x", "dmon -1", "dmon 1.5"} do
      test.is_true(smi(words):find "smi dmon: expected the number of times to print" ~= nil)
    end
  end)
end)
