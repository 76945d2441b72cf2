-- Names of other systems and their equivalents in tide, for errors and help.
local kCompiled <const> = "work is compiled automatically; no call is needed"
local kRecorded <const> = "gradients are recorded automatically: loss:backward(), or tide.grad(loss, inputs)"
local kDevices <const> = "tide.devices() lists the available devices"
local kOneKind <const> = "tide runs on CPUs and NVIDIA GPUs"

local other_systems = {}

--- Devices.
other_systems.devices = {
  mps = kOneKind, xla = kOneKind, hip = kOneKind, rocm = kOneKind, xpu = kOneKind, tpu = kOneKind,
  meta = "tide.estimate(fn) estimates the time on another GPU",
}

--- Functions and modules, in any table.
other_systems.names = {
  compile = kCompiled, jit = kCompiled, hybridize = kCompiled, script = kCompiled, make_graphed_callables = kCompiled,
  ["function"] = kCompiled,
  GradientTape = kRecorded, record = kRecorded,
  attach_grad = "x:requires_grad_()", value_and_grad = "tide.func.grad_and_value",
  config = kDevices, list_physical_devices = kDevices, list_devices = kDevices, is_available = kDevices,
  bottleneck = "tide.profiler.profile(fn) measures, and tide.advise(fn) suggests changes",
  waitall = "tide.synchronize()", block_until_ready = "tide.synchronize()",
  eval = "values are read when they are needed",
  split_and_load = "x:chunk(n) takes parts, part:to(device) moves them",
  SuperDataset = "tide.data.Dataset", ImageFolderDataset = "tide.vision.datasets.ImageFolder",
  backends = "there is nothing to choose", utils = "tide.nn.utils, tide.data, and tide.profiler",
  numpy = "x:tolist() gives tables, tide.np.save writes .npy", from_numpy = "tide.tensor(list), or tide.np.load(path)",
  device_put = "x:to(device)", as_in_context = "x:to(device)", asnumpy = "x:tolist()", asscalar = "x:item()",
  set_default_tensor_type = "tide.set_default_dtype, and tide.set_default_device",
  mx = "arrays are tensors: tide.tensor", nd = "arrays are tensors: tide.tensor",
  gluon = "layers are in tide.nn, data sets in tide.data", keras = "layers are in tide.nn, tide.Trainer has fit",
}
for name, advice in pairs(other_systems.devices) do other_systems.names[name] = advice end

--- Methods of arrays.
other_systems.array_methods = {
  numpy = other_systems.names.numpy, astype = "x:to(dtype) converts",
}

--- Methods of models, optimizers and loaders.
other_systems.object_methods = {
  new = "classes are called: Net()", get_lr = "get_last_lr() gives the rates",
  next = "in Lua: for x, y in loader do, or loader:iter()",
  save = "tide.save(net, path) writes it", load = "net:load_state_dict(tide.load(path)) reads it",
  fit = "tide.Trainer has fit", summary = "net:summary{1, 3, 64, 64}",
}

--- What tide has instead of "compile", "tide.compile" or "net:fit"; nil for names that are not known.
function other_systems.advice(name)
  local last = name:match "[%w_]+$"
  return other_systems.names[last] or other_systems.array_methods[last] or other_systems.object_methods[last]
end

return other_systems
