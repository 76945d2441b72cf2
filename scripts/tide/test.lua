-- tide.test: tests in busted's words, run once for each device.
--
--   describe("matmul", function(device)
--     it("gives the sum of products", function() ... end)
--   end)
local asserts = require "tide.test.asserts"
local strict_table = require "tide.strict_table"
local tide = require "tide"

local test = {}
for name, fn in pairs(asserts) do test[name] = fn end

local suites = {}   -- what the outermost describes of the loaded files registered
local current = nil -- the group that is being read

local function new_group(name, parent)
  return {name = name, parent = parent, tests = {}, before = {}, after = {}}
end

--- A group of tests. `fn` is called with each device in turn; once if it takes no parameter.
function test.describe(name, fn)
  if not current then
    suites[#suites + 1] = {name = name, fn = fn}
    return
  end
  local group = new_group(name, current)
  current.tests[#current.tests + 1] = group
  local parent = current
  current = group
  fn(parent.device)
  current = parent
end

local function needs_group(word)
  if not current then error(word .. " stands outside of describe", 3) end
  return current
end

--- One test, named as a sentence; it fails if `fn` raises an error.
function test.it(name, fn)
  local group = needs_group("it")
  group.tests[#group.tests + 1] = {name = name, fn = fn}
end

--- A test that cannot run yet, or not here; `name` should say why.
function test.pending(name)
  local group = needs_group("pending")
  group.tests[#group.tests + 1] = {name = name}
end

--- Runs before each test of this group and of the groups in it.
function test.before_each(fn)
  local group = needs_group("before_each")
  group.before[#group.before + 1] = fn
end

--- Runs after each test of this group and of the groups in it, also if it failed.
function test.after_each(fn)
  local group = needs_group("after_each")
  group.after[#group.after + 1] = fn
end

--- The error's text with the lines of the test that led to it.
local function with_lines(message)
  if type(message) ~= "string" then return tostring(message) end
  local lines = {message}
  for line in debug.traceback("", 2):gmatch("[^\n]+") do
    local inside = line:find("[tide]", 1, true) or line:find("[C]", 1, true)
    if not inside and line:match("^%s+%S+:%d+:") then
      lines[#lines + 1] = "  " .. line:match("^%s*(.*)$")
    end
  end
  return table.concat(lines, "\n")
end

--- Runs the hooks of `group` and its parents: before_each from the outside in, after_each back
--- again.
local function run_hooks(group, kind)
  if group.parent and kind == "before" then run_hooks(group.parent, kind) end
  for _, fn in ipairs(group[kind]) do fn() end
  if group.parent and kind == "after" then run_hooks(group.parent, kind) end
end

local function run_one(case, group, report, name)
  if not case.fn then return report(name, "pending", nil, 0) end
  local start = tide.time()
  local ok, message = xpcall(function()
    run_hooks(group, "before")
    case.fn()
  end, with_lines)
  local cleaned, trouble = xpcall(run_hooks, with_lines, group, "after")
  if ok and not cleaned then ok, message = false, trouble end
  report(name, ok and "passed" or "failed", not ok and message or nil, tide.time() - start)
end

local function run_group(group, path, suffix, options)
  for _, case in ipairs(group.tests) do
    local name = path .. " " .. case.name
    if case.tests then
      run_group(case, name, suffix, options)
    elseif not options.filter or (name .. suffix):find(options.filter) then
      if options.list then
        options.report(name .. suffix, "listed", nil, 0)
      else
        run_one(case, group, options.report, name .. suffix)
      end
    end
  end
end

--- Reads one outermost describe for one device and runs what it holds.
local function run_suite(suite, device, options)
  local suffix = device and (" [%s]"):format(tostring(device)) or ""
  local group = new_group(suite.name)
  group.device, current = device, group
  local ok, message = xpcall(suite.fn, with_lines, device)
  current = nil
  if not ok then return options.report(suite.name .. suffix, "failed", message, 0) end
  run_group(group, suite.name, suffix, options)
end

local function print_report(name, status, message)
  if status == "listed" then print(name) end
  if status == "failed" then
    print(("FAILED %s\n  %s"):format(name, (message:gsub("\n", "\n  "))))
  end
end

--- Runs the tests registered so far. Options: `filter` (a Lua pattern of names), `devices` (a list;
--- default: all there are), `list` (only name them), `report(name, status, message, seconds)`,
--- called for each test with the status "passed", "failed" or "pending". Returns how many of each
--- there were; without a `report` of yours, prints failures and the counts.
function test.run(options)
  options = options or {}
  local counts = {passed = 0, failed = 0, pending = 0, listed = 0}
  local report = options.report or print_report
  local settings = {filter = options.filter, list = options.list}
  function settings.report(name, status, message, seconds)
    counts[status] = counts[status] + 1
    report(name, status, message, seconds)
  end
  local registered = suites
  suites = {}
  for _, suite in ipairs(registered) do
    if debug.getinfo(suite.fn, "u").nparams == 0 then
      run_suite(suite, nil, settings)
    else
      for _, device in ipairs(options.devices or tide.devices()) do
        run_suite(suite, device, settings)
      end
    end
  end
  if not options.report and not options.list then
    local pending = counts.pending > 0 and (", %d pending"):format(counts.pending) or ""
    print(("%d passed, %d failed%s"):format(counts.passed, counts.failed, pending))
  end
  return counts.passed, counts.failed, counts.pending
end

return strict_table("tide.test", test)
