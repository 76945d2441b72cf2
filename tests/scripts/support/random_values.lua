-- Random values of every kind that a script can pass to a function, and likely ones for a parameter
-- of a given name. Everything is determined by the seed.
local tide = require "tide"

local values = {}

-- --- random choice ------------------------------------------------------------------------------

local state = 1

--- random(n) is in 1..n, random(a, b) in a..b.
function values.random(low, high)
  if not high then low, high = 1, low end
  state = (state * 6364136223846793005 + 1442695040888963407)
  return low + (state >> 33) % (high - low + 1)
end
local random = values.random

--- Restarts the sequences, tide's own too, for call `number` of a round.
function values.restart(seed, number)
  state = seed * 1000003 + number
  tide.manual_seed(state)
  for _ = 1, 4 do random(2) end
end

local function pick(list) return list[random(#list)] end
local function chance(percent) return random(100) <= percent end

-- --- odd values ---------------------------------------------------------------------------------

local kWords = {
  "", "x", "cpu", "sim", "sim:0", "sim:1", "sim:9", "cuda", "cuda:0", "gpu", "sim:-1", "sim:99999999999",
  "float32", "float64", "f16", "bf16", "int64", "i8", "u8", "bool", "sum", "mean", "none", "max",
  "mul", "floor", "trunc", "constant", "reflect", "replicate", "circular", "nearest", "bilinear",
  "same", "valid", "tanh", "xy", "ij", "ij,jk->ik", "i->", "ii->i", "...i,i->...", "->", "ij->jij",
  "fro", "nuc", "inf", "...", "new", "%s%n%d", "a\0b", "\255\254", "channels_last", "weight",
  "__index", "no/such/folder/x.npy", "3", "0x10", "1e400", ("long"):rep(2000), "relu", "fan_in",
}
local kNumbers = {
  0, 1, 2, 3, 4, 5, 7, 8, 16, -1, -2, -3, -100, 255, 256, 1000, 0.0, -0.0, 0.5, 1.5, -2.5, 2.0, 1e-8,
  1e10, 1e308, -1e308, 5e-324, 0 / 0, 1 / 0, -1 / 0, 1 << 16, 1 << 31, -(1 << 31), 1 << 32, (1 << 53) + 1,
  math.maxinteger, math.mininteger, math.maxinteger // 8, 2.0 ^ 63, 2.0 ^ 62, 1e18, 100000,
}
local kSmall = {0, 1, 1, 2, 2, 3, 3, 4, 5, 6, -1, -1, -2, -3, 8}

local kFar = {
  1 << 20, 1 << 31, -(1 << 31), 1 << 32, 1 << 33, 1 << 40, 1 << 62, math.maxinteger, math.mininteger,
  math.maxinteger - 3, math.mininteger + 3, -(1 << 62), 1e15, 2.5, 0 / 0, 1 / 0,
}

--- Values raised by functions among the arguments.
local kRaised = "raised by an argument"

function values.is_raised(message)
  return message == kRaised or type(message) == "table" or
    type(message) == "string" and message:find(kRaised, 1, true) ~= nil
end

local odd -- any value at all

local function deep_table(depth)
  local t = {1}
  for _ = 1, depth do t = {t} end
  return t
end

local odd_makers = {
  function() return nil end,
  function() return chance(50) end,
  function() return pick(kNumbers) end,
  function() return pick(kNumbers) end,
  function() return pick(kWords) end,
  function() return {} end,
  function() return {pick(kSmall), pick(kSmall)} end,
  function() return {pick(kNumbers), pick(kNumbers), pick(kNumbers)} end,
  function() return {{1, 2}, {3}} end,
  function() return {{1, 2}, 3} end,
  function() return {{1.5, 2}, {3, true}} end,
  function() return deep_table(random(1, 12)) end,
  function() return deep_table(pick {100, 199, 300, 100000}) end,
  function()
    local t = {1}
    t[1] = t
    return t
  end,
  function() return {[pick(kWords)] = pick(kNumbers)} end,
  function() return {[pick(kNumbers) == pick(kNumbers) and 1 or 2.5] = 1, [true] = false} end,
  function() return {odd(), odd(), odd()} end,
  function() return {1, 2, nil, 4} end,
  function()
    return setmetatable({1, 2}, {__index = function() error(kRaised, 0) end,
      __len = function() error(kRaised, 0) end, __gc = function() error(kRaised, 0) end,
      __tostring = function() error(kRaised, 0) end, __name = "odd"})
  end,
  function() return setmetatable({}, {__call = function() return 1 end, __index = {1, 2, 3}}) end,
  function() return function(...) return ... end end,
  function() return function() error(kRaised, 0) end end,
  function() return function() error({}) end end,
  function() return coroutine.create(function() coroutine.yield(1) end) end,
  function() return io.stdout end,
  function() return print end,
  function() return tide.nn end,
  function() return values.object() end,
  function() return values.tensor() end,
  function() return values.tensor() end,
  function() return {values.tensor(), values.tensor()} end,
}

function odd() return pick(odd_makers)() end

-- --- tensors and objects ------------------------------------------------------------------------

local kTypes = {"float32", "float32", "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16",
  "int8", "uint8", "bool"}
local kShapes = {{}, {0}, {1}, {3}, {3}, {5}, {2, 3}, {3, 4}, {4, 4}, {0, 3}, {3, 0}, {2, 3, 4}, {1, 1, 3, 3},
  {2, 3, 8, 8}, {1, 2, 9}, {3, 2, 3, 3}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 2}, {300, 300}, {70000}}

local pool, objects, device_name = {}, {}, ""

local function new_device() return device_name ~= "" and device_name or chance(20) and "sim:0" or "cpu" end

local function new_tensor()
  local device = new_device()
  local type, shape = pick(kTypes), pick(kShapes)
  local x = tide.rand(shape, {device = device})
  if chance(30) then x = x * 5 end
  if chance(10) then x = x / 0 - x end
  x = (x * 2 - 0.5):to(type)
  if x:dim() >= 2 and chance(25) then x = x:transpose(1, 2) end
  if x:dim() >= 1 and x:size(1) > 1 and chance(15) then x = x:narrow(1, 2, x:size(1) - 1) end
  if x:dim() >= 1 and x:size(1) == 1 and chance(25) then
    local wide = x.shape
    wide[1] = 3
    x = x:broadcast_to(wide)
  end
  if (type == "float32" or type == "float64") and chance(25) then x = x:detach():requires_grad_() end
  return x
end

local streams = {}

--- One stream of each device is used by all calls: each has a thread, and there may be few.
local function some_stream(device)
  streams[device] = streams[device] or tide.Stream(device)
  return streams[device]
end

local function new_object()
  local nn = tide.nn
  local makers = {
    function() return nn.Linear(3, 4) end,
    function() return nn.LazyLinear(2) end,
    function() return nn.Conv2d(3, 2, 3) end,
    function() return nn.MaxPool2d(2) end,
    function() return nn.Sequential(nn.Linear(3, 4), nn.ReLU()) end,
    function() return nn.Sequential() end,
    function() return nn.CrossEntropyLoss() end,
    function() return nn.MSELoss() end,
    function() return nn.Dropout() end,
    function() return nn.Module() end,
    function() return tide.optim.SGD(nn.Linear(3, 4):parameters(), {lr = 0.1}) end,
    function() return tide.optim.Adam(nn.Linear(3, 4):parameters()) end,
    function() return tide.data.TensorDataset(tide.ones(4, 3), tide.ones(4)) end,
    function() return tide.data.DataLoader(tide.data.TensorDataset(tide.ones(4, 3))) end,
    function() return tide.device(pick {"cpu", "sim:0", "cuda:0", "sim:77"}) end,
    function() return tide.Event {timing = chance(50)} end,
    function() return some_stream(pick {"cpu", "sim:0"}) end,
    function() return tide.no_grad() end,
    function() return tide.benchmark(function() end, {repeats = 1, warmup = 0}) end,
  }
  return pick(makers)()
end

--- A tensor that was created before, or by an earlier call.
function values.tensor() return pick(pool) end

--- A module, optimizer, device, event or the like.
function values.object() return pick(objects) end

--- Makes this result available to later calls.
function values.keep(result)
  if tide.is_tensor(result) then
    if result:numel() <= 100000 then pool[random(#pool)] = result end
  elseif type(result) == "userdata" or type(result) == "table" and getmetatable(result) then
    objects[random(#objects)] = result
  end
end

--- Files that calls may write, in the current folder.
local kFiles <const> = {"x.npy", "x.npz", "x.safetensors"}

--- The start of a round of calls.
function values.begin(seed, device)
  state, device_name = seed, device
  for _, name in ipairs(kFiles) do os.remove(name) end -- files of the previous round
  for _ = 1, 8 do random(2) end
  tide.manual_seed(seed)
  if device ~= "" then tide.set_default_device(device) end
  for i = 1, 24 do pool[i] = new_tensor() end
  for i = 1, 10 do objects[i] = new_object() end
end

--- Its end: settings of the program that calls may have changed are restored.
function values.finish()
  pool, objects = {}, {}
  collectgarbage()
  for _ = 1, 8 do pcall(tide.synchronize) end -- the code that flushes receives the error of a lack of memory
  tide.set_grad_enabled(true)
  tide.set_default_device("cpu")
  tide.set_default_dtype("float32")
  tide.set_num_threads(2)
  tide.set_printoptions {profile = "default"}
end

-- --- likely values ------------------------------------------------------------------------------

--- Mostly a plausible size or amount; now and then one far out of range.
local function small() return chance(93) and pick(kSmall) or pick(kFar) end

local function list_of(make, most)
  local list = {}
  for i = 1, random(0, most) do list[i] = make() end
  return list
end

local function sizes() return chance(50) and small() or list_of(small, 4) end

local function integer_tensor()
  local shape = pick(kShapes)
  return tide.randint(chance(80) and 1 or -5, 5, shape[1] and shape[1] > 1000 and {3} or shape,
    {device = new_device()})
end

local function mask_tensor() return tide.rand(pick(kShapes), {device = new_device()}):gt(0.5) end

local function dimension() return chance(97) and random(-3, 4) or pick(kFar) end
local function boolean() return chance(50) end
local function word() return pick(kWords) end
local function number() return pick(kNumbers) end
local function tensors() return list_of(values.tensor, 3) end
local function type_name() return pick(kTypes) end
local function device() return pick {"cpu", "cpu", "sim:0", "sim:1", "cuda", "sim:5"} end
local function action() return pick {function(...) return ... end, function() error(kRaised, 0) end} end
local function path() return pick {kFiles[1], kFiles[2], kFiles[3], "no/such/x", "", ".", "a\0b"} end

local likely = {}
local function suits(make, names) for name in names:gmatch "%S+" do likely[name] = make end end
suits(dimension, "dim dim0 dim1 dim2 start_dim end_dim")
suits(sizes, "dims shape sizes size repeats shifts kernel_size stride padding dilation output_size pad " ..
  "output_padding normalized_shape source destination")
suits(boolean, "keepdim descending stable sorted largest training ceil_mode return_indices unbiased full " ..
  "return_inverse return_counts replacement is_causal log_target count_include_pad on requires_grad timing " ..
  "use_input_stats align_corners retain_graph create_graph allow_unused non_blocking copy bias drop_last")
suits(type_name, "dtype")
suits(device, "device kind ctx")
suits(integer_tensor, "index indices")
suits(mask_tensor, "mask condition")
suits(tensors, "tensors operands inputs outputs params module tensor...")
suits(word, "reduction mode rounding_mode reduce indexing approximate memory_format equation name nonlinearity")
suits(path, "path")
suits(action, "fn")
suits(values.object, "stream stream_or_device event later model")
suits(small, "n m k i count length start end_ first last step steps groups decimals correction offset diagonal " ..
  "num_classes num_groups minlength chunks upscale_factor downscale_factor batch_size in_channels " ..
  "out_channels in_features out_features units index_")
suits(number, "value alpha beta p eps momentum min max exponent other_number lr seed base margin delta")

--- A value for the parameter `name`: mostly a plausible one.
function values.value_for(name)
  if chance(12) then return odd() end
  local make = likely[name] or values.tensor
  return make()
end

--- A table of options of these names.
function values.options_for(names)
  local options = {}
  for _, name in ipairs(names) do
    if chance(40) then options[name] = values.value_for(name) end
  end
  if chance(3) then options[word()] = odd() end
  return options
end

--- Arguments for a target (see callable_names.lua), as table.pack gives them.
function values.arguments(target)
  local list = {n = 0}
  local function add(value)
    list.n = list.n + 1
    list[list.n] = value
  end
  if target.receiver then add(target.receiver()) end
  for _, parameter in ipairs(target.parameters) do
    if parameter.optional and chance(35) then break end
    if parameter.rest then
      for _ = 1, random(0, 3) do add(values.value_for(parameter.name)) end
    else
      add(values.value_for(parameter.name))
    end
  end
  if target.options and chance(40) then add(values.options_for(target.options)) end
  if chance(4) then add(odd()) end
  if chance(2) then list.n = random(0, list.n) end
  return list
end

--- A readable text of the value for a report, without what differs each time.
function values.text(value)
  if type(value) == "string" then return ("%q"):format(value:sub(1, 40)) end
  if math.type(value) == "integer" then return tostring(value) end
  if tide.is_tensor(value) then
    return ("tensor(%s {%s} %s%s)"):format(value.dtype, table.concat(value.shape, ", "),
      tostring(value.device), value.requires_grad and " grad" or "")
  end
  if type(value) == "table" and not getmetatable(value) then
    local parts = {}
    for k, v in pairs(value) do
      if #parts > 5 then break end
      local shown = type(v) == "table" and "{...}" or values.text(v)
      parts[#parts + 1] = math.type(k) and shown or tostring(k):sub(1, 20) .. " = " .. shown
    end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  if type(value) == "table" then return "object" end
  return (tostring(value):gsub("0x%x+", "..."):gsub("^stream %d+", "a stream"):gsub("^process %d+", "a process"))
end

return values
