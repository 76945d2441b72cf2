-- Every public name has an example with the stated result; types, gradients and waits in the manual
-- agree with what is measured.
local entries = require "tide.reference"
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local has_gnuplot = os.execute "command -v gnuplot >/dev/null"

--- Fails with all problems found, one per line.
local function report(problems)
  if #problems > 0 then error(#problems .. " wrong:\n" .. table.concat(problems, "\n"), 2) end
end

--- Calls visit(entry) once for each example. Those of image files of figures need gnuplot.
local function each_example(visit)
  local seen = {}
  for _, entry in ipairs(entries) do
    local can_run = entry.family ~= "Figures in files" or has_gnuplot
    if can_run and not seen[entry.example] then visit(entry) end
    seen[entry.example] = true
  end
end

describe("examples", function()
  it("contain the name that they explain", function()
    local problems = {}
    for _, entry in ipairs(entries) do
      local named = entry.name:find "^[%a_][%w_]*$" -- operators have no name
      local shown = entry.example:find(entry.name:gsub("_$", ""), 1, true)
      if named and not shown then problems[#problems + 1] = entry.signature .. ": " .. entry.example end
    end
    report(problems)
  end)
  it("have the stated results", function()
    local problems = {}
    each_example(function(entry)
      local ran, got, promised = pcall(example.run, entry.example)
      if not ran or promised and got ~= promised then
        problems[#problems + 1] = ("%s gives %s"):format(entry.example, got)
      end
    end)
    report(problems)
  end)
  it("can fail", function()
    local got, promised = example.run "tide.tensor{1.0, 4}:sqrt() --> {1.0, 3.0}"
    test.same_type({got, promised}, {"{1.0, 2.0}", "{1.0, 3.0}"})
  end)
end)

describe("the reference", function()
  it("states which ops wait", function()
    -- On a device whose launches take a while, so that a wait is noticeable.
    tide.sim.configure {index = 1, launch_cost = 0.002}
    tide.set_default_device "sim:1"
    local problems = {}
    each_example(function(entry)
      if not entry.row then return end
      tide.synchronize()
      local before = tide.wait_count()
      facts.record(facts.plain_code(entry.example), function(x) return x:clone() end)
      local waited = tide.wait_count() > before
      if waited ~= facts.waits(entry) then
        problems[#problems + 1] = entry.signature .. (waited and " waits" or " does not wait")
      end
    end)
    tide.set_default_device "cpu"
    tide.sim.configure {index = 1, launch_cost = 0}
    report(problems)
  end)
  it("states the types of an op's inputs and results, and whether it has a gradient", function()
    local function line(called_as)
      for _, entry in ipairs(entries) do
        if entry.called_as == called_as then return facts.text(entry) end
      end
    end
    test.equal(line "x:sqrt",
      "types of x: floating, float8; integer, bool -> float32. Gradient: yes. Waits: no")
    test.equal(line "x:eq", "types of x: any -> bool. Gradient: no. Waits: no")
    test.equal(line "x:gather", "types of x: any. Gradient: yes. Waits: no")
    test.equal(line "x:sum", "types of x: floating, float8; integer, bool -> int64. Gradient: yes. Waits: no")
    test.equal(line "tide.linalg.inv", "types of A: float32, float64. Gradient: yes. Waits: no")
    test.equal(line "x:nonzero", "types of x: any -> int64. Gradient: no. Waits: yes")
  end)
end)
