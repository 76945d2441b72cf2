-- Workloads in processes of their own: how long tide takes to start and to train, with and without kernels on
-- disk, what an idle prompt holds, and what a new kernel costs.
local tide = require "tide"
local program = require "bench.program"

local kKernels = 20 -- measured in each process that compiles, or looks up, new kernels

--- Calls `fn` with an empty folder that is gone afterwards.
local function with_folder(fn)
  local folder <close> = program.folder()
  return fn(folder.path)
end

local function command_for(script)
  return ("exec '%s' -e '%s' > /dev/null"):format(program.path(), script)
end

local kFirst = "print(tide.ones(2, 2) + 1)"

--- Milliseconds that `script` takes in a new process, in which %s is the device; `alone` if no peer has the like.
local function process_row(name, words, script, alone)
  return {
    name = name,
    words = words,
    unit = "ms",
    alone = alone,
    figure = function(t) return t * 1e3 end,
    make = function(device)
      local command = command_for(script:format(device))
      return function() assert(os.execute(command)) end
    end,
  }
end

--- ResNet-18 made, and one step of its training on the device %s.
local kFirstStep = [[local F, there = tide.nn.functional, {device = "%s"}
  local net = tide.vision.models.resnet18():to(there.device)
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.001})
  local x, y = tide.randn(16, 3, 224, 224, there), tide.randint(1, 1000, {16}, there)
  local loss = F.cross_entropy(net(x), y)
  loss:backward()
  optimizer:step()
  print(loss:item(), net.fc.weight:sum():item())]]

--- Milliseconds that `script` takes in new processes that find no kernel on disk, neither tide's nor the driver's.
local function cold_starts(script)
  return function(reps, device)
    local times = {}
    for i = 1, reps do
      with_folder(function(folder)
        local command = ("TIDE_CACHE_DIR='%s' CUDA_CACHE_PATH='%s' %s"):format(folder, folder,
          command_for(script:format(device)))
        local start = tide.time()
        assert(os.execute(command))
        times[i] = (tide.time() - start) * 1e3
      end)
    end
    return times
  end
end

--- A prompt on a terminal of its own is asked what it holds.
local function idle_prompts(reps)
  local ask = [[for l in io.lines"/proc/self/status" do if l:find"^VmRSS" then print(l) end end]]
  local sizes = {}
  for i = 1, reps do
    sizes[i] = with_folder(function(folder)
      local command = ([[echo '%s' | XDG_STATE_HOME='%s' TERM=dumb script -qec "'%s'" /dev/null]])
      local answer = program.output(command:format(ask, folder, program.path()))
      return assert(answer:match("VmRSS:%s+(%d+) kB"), "bench: no answer from the prompt") / 1024
    end)
  end
  return sizes
end

--- The numbers that bench/kernels.lua prints: of the first kernel, then of the others.
local function new_kernels(folder)
  local command = ([[TIDE_INTERPRETER=0 TIDE_CACHE_DIR='%s' '%s' -e 'require "bench.kernels"(%d)']])
  local numbers = {}
  for number in program.output(command:format(folder, program.path(), kKernels)):gmatch("%S+") do
    numbers[#numbers + 1] = tonumber(number)
  end
  return numbers
end

--- The first kernel of a process also opens the plugin, or the folder.
local function without_first(numbers) return table.move(numbers, 2, #numbers, 1, {}) end

local function compilations() return without_first(with_folder(new_kernels)) end

local function lookups()
  return with_folder(function(folder)
    new_kernels(folder)
    return without_first(new_kernels(folder))
  end)
end

local function first_lookups(reps)
  return with_folder(function(folder)
    new_kernels(folder)
    local times = {}
    for i = 1, reps do times[i] = new_kernels(folder)[1] end
    return times
  end)
end

return {
  process_row("startup", "a new process: load, make ones(2, 2), add 1, print it", kFirst),
  process_row("startup_bare", "a new process that prints 1", "print(1)", true),
  {
    name = "startup_cold",
    words = "as startup, with no kernel on disk",
    unit = "ms",
    alone = true,
    samples = cold_starts(kFirst),
  },
  process_row("first_step", "a new process: make ResNet-18 and take a training step, batch 16 of (3, 224, 224)",
    kFirstStep),
  {
    name = "first_step_cold",
    words = "as first_step, with no kernel on disk",
    unit = "ms",
    samples = cold_starts(kFirstStep),
  },
  {
    name = "idle_memory",
    words = "resident memory of a prompt that has done nothing yet",
    unit = "MB",
    alone = true,
    samples = idle_prompts,
  },
  {
    name = "kernel_compile",
    words = "one new kernel of 20 ops, 3 of them functions such as exp",
    unit = "ms",
    alone = true,
    samples = compilations,
  },
  {
    name = "kernel_lookup",
    words = "finding such a kernel on disk in a new process, and loading it",
    unit = "ms",
    alone = true,
    samples = lookups,
  },
  {
    name = "kernel_lookup_1st",
    words = "as kernel_lookup, for a process's first one, which also opens the folder",
    unit = "ms",
    alone = true,
    samples = first_lookups,
  },
}
