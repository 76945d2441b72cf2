-- tide.test: tests in busted's style, run once for each device.
--
--   describe("matmul", function(device)
--     it("returns the sum of products", function() ... end)
--   end)
local asserts = require "tide.test.asserts"
local checked = require "tide.internal.declare.checked"
local exercises = require "tide.test.exercises"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"
local spy = require "tide.test.spy"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local test = {exercises = exercises}
for name, fn in pairs(asserts) do test[name] = fn end

local function new_group(name, parent)
  return {name = name, parent = parent, tests = {}, setup = {}, teardown = {}, before = {}, after = {}}
end

local root = new_group ""  -- registered but not yet run
local current = root       -- the group being defined
local running = nil        -- the functions that the running test passed to `finally`

local function joined(path, name) return path == "" and name or path .. " " .. name end

--- A group of tests; fn is called with each device in turn, once if it takes no parameter.
---@param name string  name of the group
---@param fn function  the function to call
---@example
--- tide.test.describe("sums", function() tide.test.it("add", function() tide.test.equal(1 + 1, 2) end) end)
test.describe = checked("test.describe", function(name, fn)
  local parent = current
  if parent == root then
    root.tests[#root.tests + 1] = {name = name, suite = fn}
    return
  end
  local group = new_group(name, parent)
  parent.tests[#parent.tests + 1] = group
  group.device, current = parent.device, group
  fn(parent.device)
  current = parent
end)

--- One test, named as a sentence; fails if fn raises an error, and is pending without fn.
---@param name string  name of the test
---@param fn? function  the function to call
---@example
--- tide.test.describe("sums", function() tide.test.it("add", function() tide.test.equal(1 + 1, 2) end) end)
test.it = checked("test.it", function(name, fn)
  current.tests[#current.tests + 1] = {name = name, fn = fn}
end)

-- The error that ends a test that calls `pending`.
local Pending = {}

--- A test that cannot run yet, or not here; called in a test, ends it as pending.
---@param name string  name of the test, or the reason
---@example
--- tide.test.describe("sums", function() tide.test.pending("wait for a GPU") end)
test.pending = checked("test.pending", function(name)
  if running and current == root then error(setmetatable({name = name}, Pending), 0) end
  current.tests[#current.tests + 1] = {name = name}
end)

--- Makes the function declared as `name`, which adds a function to a list of the group being defined.
local function hook(name, kind)
  return checked(name, function(fn) table.insert(current[kind], fn) end)
end

--- Runs once before the tests of this group and of the groups in it.
---@param fn function  the function to call
---@example
--- tide.test.describe("sums", function() local x; tide.test.setup(function() x = tide.ones(2) end) end)
test.setup = hook("test.setup", "setup")

--- Runs once after the tests of this group and of the groups in it, also if one failed.
---@like test.setup
---@example
--- tide.test.describe("sums", function() tide.test.teardown(function() os.remove("x.npy") end) end)
test.teardown = hook("test.teardown", "teardown")

--- Runs before each test of this group and of the groups in it.
---@like test.setup
---@example
--- tide.test.describe("sums", function() local x; tide.test.before_each(function() x = tide.ones(2) end) end)
test.before_each = hook("test.before_each", "before")

--- Runs after each test of this group and of the groups in it, also if it failed.
---@like test.setup
---@example
--- tide.test.describe("sums", function() tide.test.after_each(function() os.remove("x.npy") end) end)
test.after_each = hook("test.after_each", "after")

--- Runs at the end of the test that calls it, also if it fails.
---@like test.setup
---@example
--- local function clean() os.remove("x.npy") end
--- tide.test.describe("sums", function() tide.test.it("add", function() tide.test.finally(clean) end) end)
test.finally = checked("test.finally", function(fn)
  if not running then raise "finally was called outside of a test" end
  running[#running + 1] = fn
end)

--- The error's text with the lines of the test that led to it.
local function with_lines(message)
  if getmetatable(message) == Pending then return message end
  if type(message) ~= "string" then return tostring(message) end
  local lines = {require "tide.mistakes.errors".describe(message)}
  for line in debug.traceback("", 2):gmatch("[^\n]+") do
    local inside = line:find("[tide]", 1, true) or line:find("[C]", 1, true)
    if not inside and line:match("^%s+%S+:%d+:") then
      lines[#lines + 1] = "  " .. line:match("^%s*(.*)$")
    end
  end
  return table.concat(lines, "\n")
end

local function call_all(list)
  for _, fn in ipairs(list) do fn() end
end

--- Runs the hooks of `group` and its parents: before_each from the outside in, after_each back
--- again.
local function run_hooks(group, kind)
  if group.parent and kind == "before" then run_hooks(group.parent, kind) end
  call_all(group[kind])
  if group.parent and kind == "after" then run_hooks(group.parent, kind) end
end

local function run_one(case, group, report, name)
  if not case.fn then return report(name, "pending", nil, 0) end
  local start, spies, around = tide.time(), spy.placed(), running
  running = {}
  local ok, message = xpcall(function()
    run_hooks(group, "before")
    case.fn()
  end, with_lines)
  local done = running
  for _, clean in ipairs {function() call_all(done) end, function() run_hooks(group, "after") end} do
    local cleaned, trouble = xpcall(clean, with_lines)
    if ok and not cleaned then ok, message = false, trouble end
  end
  running = around
  spy.revert_to(spies)
  if getmetatable(message) == Pending then return report(name, "pending", nil, 0) end
  report(name, ok and "passed" or "failed", not ok and message or nil, tide.time() - start)
end

--- Whether a test with this name is selected.
local function is_wanted(name, options)
  if options.filter and not name:find(options.filter) then return false end
  if not options.tags then return true end
  for _, tag in ipairs(options.tags) do
    local first, last = name:find("#" .. tag, 1, true)
    if first and not name:find("^[%w_]", last + 1) then return true end
  end
  return false
end

local function has_wanted(group, path, suffix, options)
  for _, case in ipairs(group.tests) do
    local name = joined(path, case.name)
    if case.tests and has_wanted(case, name, suffix, options)
      or not case.tests and is_wanted(name .. suffix, options) then
      return true
    end
  end
  return false
end

--- Runs the tests of a group. `trouble` is the error of a failed `setup` of an enclosing group, with which they fail.
local function run_group(group, path, suffix, options, trouble)
  if not has_wanted(group, path, suffix, options) then return end
  local spies = spy.placed()
  if not trouble and not options.list then
    local ok, message = xpcall(call_all, with_lines, group.setup)
    if not ok then trouble = message end
  end
  for _, case in ipairs(group.tests) do
    local name = joined(path, case.name)
    if case.tests then
      run_group(case, name, suffix, options, trouble)
    elseif is_wanted(name .. suffix, options) then
      if options.list then
        options.report(name .. suffix, "listed", nil, 0)
      elseif trouble then
        options.report(name .. suffix, "failed", trouble, 0)
      else
        run_one(case, group, options.report, name .. suffix)
      end
    end
  end
  if options.list then return end
  local ok, message = xpcall(call_all, with_lines, group.teardown)
  if not ok then options.report(joined(path .. suffix, "teardown"), "failed", message, 0) end
  spy.revert_to(spies)
end

--- Defines one outermost describe for one device and runs its tests.
local function run_suite(suite, parent, device, options, trouble)
  local suffix = device and (" [%s]"):format(tostring(device)) or ""
  local group = new_group(suite.name, parent)
  group.device, current = device, group
  local ok, message = xpcall(suite.suite, with_lines, device)
  current = root
  if not ok then return options.report(suite.name .. suffix, "failed", message, 0) end
  run_group(group, suite.name, suffix, options, trouble)
end

local function print_report(name, status, message)
  if status == "listed" then print(name) end
  if status == "failed" then
    print(("FAILED %s\n  %s"):format(name, (message:gsub("\n", "\n  "))))
  end
end

--- Runs the tests outside of all groups, and the outermost groups.
local function run_all(group, devices, options)
  local trouble = nil
  if not options.list and #group.setup > 0 then
    local ok, message = xpcall(call_all, with_lines, group.setup)
    if not ok then trouble = message end
  end
  for _, case in ipairs(group.tests) do
    if not case.suite then
      local single = new_group("", group)
      single.tests[1] = case
      run_group(single, "", "", options, trouble)
    elseif debug.getinfo(case.suite, "u").nparams == 0 then
      run_suite(case, group, nil, options, trouble)
    else
      for _, device in ipairs(devices) do run_suite(case, group, device, options, trouble) end
    end
  end
  if options.list then return end
  local ok, message = xpcall(call_all, with_lines, group.teardown)
  if not ok then options.report("teardown", "failed", message, 0) end
end

--- Runs the tests registered so far and returns how many passed, failed and are pending. Without report, prints
--- failures and the counts.
---@param filter string = nil  only tests whose name has a match of this pattern
---@param tags string[] = nil  only tests with one of these tags, such as #slow, in their name
---@param devices device[] = nil  devices to run on; nil is all
---@param list boolean = false  only list the tests
---@param report function = nil  report(name, status, message, seconds) is called for each test; the status is "passed",
---  "failed" or "pending"
---@example
--- tide.test.run({filter = "no test is named so"}) --> 0, 0, 0
local read_run = reader "test.run"

function test.run(...)
  local options = read_run(...)
  local counts = {passed = 0, failed = 0, pending = 0, listed = 0}
  local report = options.report or print_report
  local settings = {filter = options.filter, tags = options.tags, list = options.list}
  function settings.report(name, status, message, seconds)
    counts[status] = counts[status] + 1
    report(name, status, message, seconds)
  end
  local registered = root
  root = new_group ""
  current = root
  run_all(registered, options.devices or tide.devices(), settings)
  if not options.report and not options.list then
    local pending = counts.pending > 0 and (", %d pending"):format(counts.pending) or ""
    print(("%d passed, %d failed%s"):format(counts.passed, counts.failed, pending))
  end
  return counts.passed, counts.failed, counts.pending
end

return strict_table("tide.test", test)
