-- Runs the golden cases and prints per group how many passed, failed, or call a name that tide
-- lacks. It succeeds if all have passed.
--
--   tide tests/golden/runner.lua [--device D] [--promotion] [--models] [--no-models] [--vision]
--        [GROUP ...]

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local cases = dofile(here .. "/cases.lua")
local promotion = dofile(here .. "/promotion.lua")
local models = dofile(here .. "/models.lua")
local vision_files = dofile(here .. "/vision_files.lua")
local vision_transforms = dofile(here .. "/vision_transforms.lua")
local vision_models = dofile(here .. "/vision_models.lua")

local flags = {promotion = true, models = true, ["no-models"] = true, vision = true}

local function read_arguments(given)
  local options = {device = "cpu", groups = {}, chosen = false}
  local i = 1
  while given[i] do
    local word = given[i]
    if word == "--device" then
      options.device, i = given[i + 1], i + 1
    elseif word:sub(1, 2) == "--" then
      local flag = word:sub(3)
      if not flags[flag] then error(("there is no option '%s'"):format(word), 0) end
      options[flag] = true
    else
      options.groups[word], options.chosen = true, true
    end
    i = i + 1
  end
  return options
end

local function new_counts() return {passed = 0, failed = 0, missing = 0} end

local function line(name, counts)
  return ("%-34s %5d passed %5d failed %5d not there yet"):format(name, counts.passed,
    counts.failed,
    counts.missing)
end

local options = read_arguments(arg)
local folder, total = cases.folder(), new_counts()

--- Counts what `run(report)` reports and prints a line, with what did not pass above it.
local function section(name, run)
  local counts = new_counts()
  run(function(words, status, message)
    counts[status], total[status] = counts[status] + 1, total[status] + 1
    if status ~= "passed" then
      print(("%s %s: %s\n    %s"):format(status:upper(), name, words, message))
    end
  end)
  print(line(name, counts))
end

local only = options.promotion or options.models or options.vision
if not only or options.chosen then
  for _, group in ipairs(dofile(folder .. "/ops.lua")) do
    if not options.chosen or options.groups[group.op] then
      options.groups[group.op] = nil
      section(group.op, function(report)
        cases.run_group(folder, group, options.device, function(number, case, status, message)
          report(("%d: %s"):format(number, case.call), status, message)
        end)
      end)
    end
  end
end
if next(options.groups) then error(("there is no group '%s'"):format(next(options.groups)), 0) end
if options.promotion or not (only or options.chosen) then
  section("promotion", function(report) promotion.run(folder, cases.lacking, report) end)
end
if options.models or not (only or options.chosen or options["no-models"]) then
  section("models", function(report) models.run(folder, options.device, report) end)
  section("vision models", function(report) vision_models.run(folder, options.device, report) end)
end
if options.vision or not (only or options.chosen) then
  section("vision files", function(report) vision_files.run(folder, report) end)
  section("vision transforms", function(report)
    vision_transforms.run(folder, options.device, report)
  end)
end
print(line("all", total))
os.exit(total.failed + total.missing == 0 and total.passed > 0, true)
