-- Lesson 7: is my GPU visible? What tide asks the machine, and how to read `tide smi`.
-- It runs everywhere: without a GPU it shows what is said then.
--
-- Run it:        tide lesson 7
-- All about this machine, outside of a lesson:   tide info   and   tide smi
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "cpu"}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Can CUDA be used? ----------------------------------------------------------------------------
heading "1. Can CUDA be used?"

-- The driver is a library (libcuda.so.1) that comes with the GPU's driver package, not with tide.
-- tide looks for it when it is first asked, so programs that never ask start without it.
local available = tide.cuda.is_available()
print("tide.cuda.is_available():  " .. tostring(available))
print("tide.cuda.device_count():  " .. tide.cuda.device_count())
assert(available == (tide.cuda.device_count() > 0), "available means that there is at least one")
assert(available == (#tide.devices("cuda") > 0), "and that it is among the devices")

if not available then
  -- Three things must be there: a card, a driver, and a driver that is new enough. `tide info` says
  -- which one is missing and what to do about it.
  print("\nWhat `tide info` says:\n" .. tide.info())
  assert(tide.info():find("cuda: cannot be used: ", 1, true), "the reason is given")
  assert(tide.info():find("what to do: ", 1, true), "and what to do")

  -- Asking for a device that is not there is an ordinary error, with the same reason in it.
  local ok, message = pcall(tide.cuda.get_device_name, 0)
  assert(not ok and message:find("CUDA cannot be used", 1, true))
  print("\nUsing it all the same:\n  " .. message)
end

-- 2. Which devices, and what are they made of? ----------------------------------------------------
heading "2. Which devices, and what are they made of?"

-- The driver numbers devices from 0. CUDA_VISIBLE_DEVICES hides or reorders them before tide sees
-- any: with CUDA_VISIBLE_DEVICES=1 the machine's second card is cuda:0. The compute capability says
-- which generation a card is of, and a multiprocessor is a group of arithmetic units that work on
-- the same instructions.
print("CUDA_VISIBLE_DEVICES is " .. (os.getenv("CUDA_VISIBLE_DEVICES") or "not set"))
for _, device in ipairs(tide.devices("cuda")) do
  local name = tide.cuda.get_device_name(device)
  local major, minor = tide.cuda.get_device_capability(device)
  local p = tide.cuda.get_device_properties(device)
  local free, total = tide.cuda.mem_get_info(device)
  print(("%s  %s, compute capability %d.%d"):format(device, name, major, minor))
  print(("    %d multiprocessors, %.1f of %.1f GB free"):format(p.multi_processor_count,
    free / 2 ^ 30, total / 2 ^ 30))

  -- The peak is arithmetic, not a measurement: units x clock, and 2 because a fused multiply-add is
  -- one instruction and two operations. Without FMA half of it is left.
  local peak = 2 * p.multi_processor_count * p.float_units * p.clock_rate * 1e3
  print(("    peak: 2 x %d x %d units x %.2f GHz = %.1f TFLOP/s in float32, %.1f without FMA"):format(
    p.multi_processor_count, p.float_units, p.clock_rate / 1e6, peak / 1e12, peak / 2e12))
  assert(p.peak_float == peak)
  assert(p.major == major and p.minor == minor)
  assert(free <= total)
end
print("All devices: " .. table.concat((function()
  local names = {}
  for i, device in ipairs(tide.devices()) do names[i] = tostring(device) end
  return names
end)(), ", "))

-- 3. Does it compute? -----------------------------------------------------------------------------
heading("3. Does it compute? A sum on " .. options.device)

-- Seeing a device is not yet using it. The shortest proof is a number that you know beforehand.
local x = tide.ones(1000, {device = options.device})
local sum = (x * 2):sum()
print(sum)
assert(sum:item() == 2000)
assert(sum.device == tide.device(options.device), "and it was computed there")

-- 4. How to read tide smi -------------------------------------------------------------------------
heading "4. How to read tide smi"

print(tide.smi())
print [[

temp, fan, power   how hot, how loud, how hungry: below its power cap a card is not working hard
perf               P0 is the fastest state; an idle card saves power in P8
memory             of all processes together, for gpu lines; of this process's tensors elsewhere
use                share of the last moments in which some kernel ran. It says nothing about how
                   much of the card that kernel used: `x = x + 1` on one element can show 100 %
processes          who else is there: memory that is gone although your script has none]]
assert(tide.smi():find("| cpu ", 1, true), "the cpu has a line, too")

print("\nAll of this was true on " .. options.device .. ".")

print [[

Exercises
---------
1. Write a function that says in one line what a script will run on: the name of the first GPU, or
   "cpu" and the reason why there is no GPU. tide.info() has the reason.
2. How many numbers of float32 fit into the free memory of a device with 8 GB, of which 5.5 GB are
   free? And how large a square matrix is that?

`tide lesson 7 --answers` shows answers.]]
