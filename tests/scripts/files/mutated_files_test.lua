-- Thousands of damaged variants of valid files for the readers written in Lua: each is read, or rejected
-- with an error that names the file. Those written in C++ have tests/runtime/io/mutated_files_test.cpp.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local count_refused = dofile(here .. "/../support/count_refused.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

describe("damaged files", function()
  local folder = own_folder()

  it("of comma-separated values are read or rejected", function()
    local path = folder() .. "/x.csv"
    write(path, 'id,x,"a ""name""",known\n1,0.5,ann,true\n2,-1e3,"bob, jr\n",False\n3,,"",true\n')
    local refused = count_refused(path, 2000, 1, function() tide.data.read_csv(path) end, path)
    test.is_true(refused > 500 and refused < 2000)
  end)
  it("of JSON lines are read or rejected", function()
    local path = folder() .. "/x.jsonl"
    write(path, '{"x": [1, 2.5e3, -0.1], "y": {"a": null, "b": [true, false]}}\n' ..
      '{"text": "tab\\t, \\u00e4, \\ud83d\\ude00", "deep": [[[[[]]]]]}\n\n3\n"end"\n')
    for _, tensors in ipairs {false, true} do
      local refused = count_refused(path, 1500, 2, function() tide.data.read_jsonl(path, {tensors = tensors}) end, path)
      test.is_true(refused > 500 and refused < 1500)
    end
  end)
  it("of events are read up to the damage, or rejected", function()
    local writer <close> = tide.loggers.SummaryWriter(folder())
    writer:add_scalar("loss", 0.5, 1)
    writer:add_text("note", "text", 2)
    writer:add_histogram("weights", tide.tensor {1.0, 2}, 3, 2)
    writer:flush()
    local refused = count_refused(writer.path, 700, 3, function() tide.loggers.read_events(writer.path) end,
      writer.path)
    test.is_true(refused > 200 and refused < 700)
  end)
  it("of tables are loaded or rejected", function()
    local path = folder() .. "/x.safetensors"
    tide.save({net = tide.nn.Linear(2, 2), step = 3, names = {"a", "b"}}, path)
    local refused = count_refused(path, 1000, 4, function() tide.load(path) end, path)
    test.is_true(refused > 200 and refused < 1000)
  end)
end)
