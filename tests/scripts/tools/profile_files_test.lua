-- The files and texts of a profile.
local json = require "tide.internal.json"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, raises = test.equal, test.is_true, test.raises

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function some_profile(device)
  local x = tide.rand(32, 32, {device = device})
  return (tide.profile(function()
    local _ <close> = tide.profiler.record_function 'a "range" <b>'
    for _ = 1, 3 do x:matmul(x):relu():sum():item() end
  end))
end

describe("a profile as JSON", function(device)
  it("has tracks, events inside their parents, and samples", function()
    local path = os.tmpname() .. ".json"
    test.finally(function() os.remove(path) end)
    some_profile(device):save(path)
    local trace = assert(json.decode(read(path)))
    local tracks, kinds, counters = {}, {}, {}
    for _, event in ipairs(trace.traceEvents) do
      if event.ph == "X" then
        local key = event.pid .. "/" .. event.tid
        tracks[key] = tracks[key] or {}
        table.insert(tracks[key], event)
        kinds[event.cat] = (kinds[event.cat] or 0) + 1
        is_true(event.ts >= 0 and event.dur >= 0)
      elseif event.ph == "C" then
        counters[event.name] = true
      end
    end
    equal(kinds.compute, 3)
    is_true(kinds.wait > 0 and kinds.op > 0 and kinds.line > 0 and kinds.loop > 0)
    equal(kinds.range, 1)
    is_true(counters["memory of " .. tostring(tide.device(device))])
    is_true(counters["queue of " .. tostring(tide.device(device))])
    for _, events in pairs(tracks) do
      local open = {}
      for _, event in ipairs(events) do
        while #open > 0 and open[#open] <= event.ts + 1e-3 do table.remove(open) end
        is_true(#open == 0 or event.ts + event.dur <= open[#open] + 1e-2)
        open[#open + 1] = event.ts + event.dur
      end
    end
  end)
end)

describe("arrows of a profile as JSON", function(device)
  it("lead from the call or the flush that submits to each piece of work", function()
    local path = os.tmpname() .. ".json"
    test.finally(function() os.remove(path) end)
    some_profile(device):save(path)
    local events = assert(json.decode(read(path))).traceEvents
    local work, tails, heads = {}, {}, {}
    for _, event in ipairs(events) do
      local place = ("%d/%d/%.3f"):format(event.pid, event.tid, event.ts or 0)
      if event.ph == "s" then tails[event.id] = event end
      if event.ph == "f" then heads[place] = event end
      if event.ph == "X" and event.args.ops then work[place] = event end
    end
    local function encloses(call, tail)
      return call.ph == "X" and call.pid == tail.pid and call.tid == tail.tid
        and call.ts == tail.ts and (call.cat == "flush" or call.cat == "op" or call.cat == "wait")
    end
    is_true(next(work) ~= nil)
    for place, event in pairs(work) do
      local tail = tails[heads[place].id]
      is_true(tail.ts <= event.ts)
      local calls = 0
      for _, call in ipairs(events) do
        if encloses(call, tail) then calls = calls + 1 end
      end
      is_true(calls > 0)
    end
  end)
end)

describe("a profile as a page", function()
  it("is one file with the events and the lines of the script", function()
    local path = os.tmpname() .. ".html"
    test.finally(function() os.remove(path) end)
    some_profile "cpu":save(path)
    local page = read(path)
    is_true(page:find("x:matmul(x):relu():sum():item() end", 1, true) ~= nil)
    is_true(page:find([[a \"range\" \u003cb>]], 1, true) ~= nil)
    is_true(page:find('"relu_sum"', 1, true) ~= nil)
    is_true(page:find '"TRACE DATA"' == nil)
    is_true(page:find "https?://" == nil)
  end)
end)

describe("saving a profile", function()
  local p = some_profile "cpu"
  it("reports an invalid name", function()
    raises("save: x.txt: expected a name that ends in .json or .html", p.save, p, "x.txt")
    raises("save: argument 1 (path): expected string, got nothing", p.save, p)
    raises("/dev/null/x.json: cannot be written", p.save, p, "/dev/null/x.json")
    raises("/dev/null/x.html: cannot be written", p.save, p, "/dev/null/x.html")
  end)
  it("on a full disk raises an error that names the file, and keeps the profile", function()
    for _, suffix in ipairs {".json", ".html"} do
      local path = os.tmpname() .. suffix
      test.finally(function() os.remove(path) end)
      os.execute(("ln -s /dev/full '%s'"):format(path))
      raises(path .. ": cannot be written: No space left on device", p.save, p, path)
      os.remove(path)
      p:save(path)
      is_true(#read(path) > 1000)
    end
  end)
  it("reports the number of missing events", function()
    local full = tide.profile(function()
      for i = 1, 900 do tide.profiler.record_function("range", math.abs, i) end
    end, {max_events = 100})
    local dropped = full:summary().dropped
    is_true(dropped > 0)
    for suffix, word in pairs {[".json"] = '"dropped_events": "%d"', [".html"] = '"dropped": %d,'} do
      local path = os.tmpname() .. suffix
      test.finally(function() os.remove(path) end)
      full:save(path)
      is_true(read(path):find(word:format(dropped), 1, true) ~= nil)
    end
  end)
end)

describe("the text of a profile", function()
  it("has a table of each kind", function()
    local text = tostring(some_profile "cpu")
    for _, title in ipairs {"\nop ", "\nline ", "\nkernel ", "\nrange "} do
      is_true(text:find(title, 1, true) ~= nil)
    end
    is_true(text:find "cpu: %d+ kernels and copies" ~= nil)
    is_true(text:find "host: Lua" ~= nil)
  end)
  it("is sorted and limited as requested", function()
    local p = some_profile "cpu"
    local rows = p:table{by = "kernel", sort = "flops", limit = 1}
    equal(#rows, 1)
    equal(rows[1].name, "matmul")
    equal(rows.left_out, #p:table{by = "kernel"} - 1)
    is_true(tostring(rows):find "and %d+ more$" ~= nil)
    local share = 0
    for _, row in ipairs(p:table{by = "kernel"}) do share = share + row.share end
    test.close(share, 1)
  end)
end)

describe("two profiles", function()
  it("are compared by op", function()
    local x = tide.rand(64, 64)
    local function run(times)
      return (tide.profile(function() for _ = 1, times do x:matmul(x):sum():item() end end))
    end
    local comparison = tide.profile.compare(run(2), run(5))
    local found
    for _, row in ipairs(comparison) do
      if row.name == "matmul" then found = row end
    end
    equal({found.a.calls, found.b.calls}, {2, 5})
    is_true(tostring(comparison):find "times as long" ~= nil)
    raises("compare: argument 2 (b): expected table, got number", tide.profile.compare, run(1), 3)
  end)
end)
