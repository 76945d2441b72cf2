-- Output to a full disk, and in a locale with a decimal comma.
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")
local run = dofile(here .. "/../support/program.lua")

describe("output that cannot be written", function()
  for _, text in ipairs {'print("text")', 'io.write("text")', "print(tide.ones(3))", 'print("text") os.exit(0)'} do
    it("is reported, and is a failure: " .. text, function()
      local said = run(("-e '%s' 2>&1 >/dev/full; echo status $?"):format(text))
      equal(said:match "standard output could not be written %(is the disk full%?%)\nstatus 1\n$" ~= nil, true)
    end)
  end
  it("keeps another exit status", function()
    equal(run("-e 'print(1) os.exit(7)' 2>&1 >/dev/full; echo status $?"):match "status (%d+)", "7")
  end)
end)

--- Code that writes numbers for other programs; each part is true if it succeeded.
local kScript <const> = [[
local folder = ...
assert(os.setlocale("comma", "numeric"), "no locale")
assert(("%g"):format(1.5) == "1,5", "no decimal comma")
local function all_of(path) local file <close> = assert(io.open(path, "rb")); return (file:read "a") end
local net = tide.nn.Linear(2, 2)
local checks = {
  {"save", function()
    tide.save({model = net, rate = 0.25, list = {0.5, 1e-7}}, folder .. "/a")
    local x = tide.load(folder .. "/a")
    return x.rate == 0.25 and x.list[2] == 1e-7
  end},
  {"save_torch", function()
    tide.save_torch({rate = 0.25}, folder .. "/b.pt")
    return tide.load_torch(folder .. "/b.pt").rate == 0.25
  end},
  {"read_jsonl", function()
    local file <close> = assert(io.open(folder .. "/f.jsonl", "w"))
    file:write('{"a": 1.5}\n'); file:close()
    return tide.data.read_jsonl(folder .. "/f.jsonl")[1].a == 1.5
  end},
  {"metrics.csv", function()
    local log <close> = tide.loggers.CSVLogger(folder .. "/logs"); log:log_metrics({loss = 0.5}, 1); log:close()
    return all_of(log.log_dir .. "/metrics.csv"):find "\n0%.5,1\n" ~= nil
  end},
  {"hparams.yaml", function()
    local log <close> = tide.loggers.CSVLogger(folder .. "/logs"); log:log_hyperparams({rate = 0.25}); log:close()
    return all_of(log.log_dir .. "/hparams.yaml"):find "rate: 0%.25" ~= nil
  end},
  {"the script for gnuplot", function()
    local gnuplot = require "tide.plot.gnuplot"
    local figure = tide.plot.line({0.25, 0.5, 0.125}, {1.5, 2.5, 3.5})
    if not gnuplot.is_available() then return true end
    return figure:svg():find '"%d+,%d+"' == nil
  end},
  {"an explained step", function()
    local svg = tide.explain(function() return (tide.ones(9) + 1):sum() end):svg()
    return svg:find '"%d+,%d+"' == nil
  end},
  {"a tensor's text", function() return tostring(tide.tensor {0.25, 1e-9}):find "," == tostring(tide.tensor {0.25, 1e-9}):find ", " end},
}
for _, check in ipairs(checks) do
  local done, good = pcall(check[2])
  if good ~= true then print(check[1] .. ": " .. tostring(good)) end
end
]]

describe("numbers for other programs", function()
  local folder = own_folder()
  it("have a point in a locale with a decimal comma", function()
    -- A minimal locale: a table of six offsets, then point, separator, grouping, both as numbers, and
    -- the character set.
    local place = folder() .. "/locales/comma"
    assert(os.execute(("mkdir -p '%s'"):format(place)))
    local file = assert(io.open(place .. "/LC_NUMERIC", "wb"))
    file:write(string.pack("<I4I4I4I4I4I4I4I4", 0x20031114, 6, 32, 34, 36, 40, 44, 48), ",\0.\0\3\3\0\0",
      string.pack("<I4I4", 44, 46), "UTF-8\0")
    file:close()
    local script = assert(io.open(folder() .. "/script.lua", "w"))
    script:write(kScript)
    script:close()
    local said, worked = run(("'%s/script.lua' '%s'"):format(folder(), folder()), ("LOCPATH='%s/locales'"):format(folder()))
    equal({said, worked}, {"", true})
  end)
end)
